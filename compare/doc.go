// Package compare answers: what differs between two run directories that were made at
// different times, and may they be compared at all?
//
// It never says better or worse. Runs of A that were all made before the runs of B
// carry every drift of machine and system as a difference between A and B, and no
// analysis can take it out again; `perfctl abtest` exists for that. What can be said
// is whether the two did the same test, what else was not the same, and how far apart
// the values lie.
package compare
