// Package trial answers: how is one set of facts made?
//
// A trial brings one variant up from nothing, proves that it is the variant that was
// asked for, seeds it, warms it up and measures it at one load, and writes what
// happened to its folder of the run directory:
//
//	up -> prove -> seed -> warm up -> measure -> drain -> collect -> prove again -> down
//
// It judges nothing. A variant that was not applied ends the trial before any load is
// sent; whatever happens, the system is taken down and the files are whole.
package trial
