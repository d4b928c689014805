// Package chart draws figures as SVG text: how does a list of numbers become marks
// that a reader can measure back?
//
// A Scale maps a value to a position between 0 and 1 and back. A Plot has one scale
// for each axis and a list of layers (lines, bands, marks, limits) drawn in the order
// they were added. Coordinates are written with one decimal, so a drawn point maps
// back to its value within half a pixel; the same input gives the same bytes.
//
// The percentile axis is a logarithm of nines, x = log10(1/(1-q)), as HdrHistogram's
// plots use it: p50, p90, p99 and p99.9 stand about a decade apart, so that the tail gets the
// room that it needs.
//
// Colours are not decided here. Marks carry CSS classes (a, b, ink ...), which the page
// styles for light, dark and print.
package chart
