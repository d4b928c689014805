// Package single answers: does one trial at one load hold the scenario's thresholds?
//
// It plans one trial, and judges it as a pure function of the run directory. One trial
// says nothing about differences; package abtest does.
package single
