// Package abtest answers: is B better than A, by how much, and how sure are we?
//
// A session is planned before its first trial: which variants, at what load, in
// which order, judged after how many pairs by which primary metrics ([NewPlan]).
// [Run] then runs its trials in randomised ABBA/BAAB blocks of two pairs and stops at the
// first look at which every primary metric is settled. [Judge] is a pure function
// from the run directory to the result: judging it again a year later gives the same
// bytes.
//
// The method is docs/METHOD.md, its arithmetic package stats. A run is the unit of
// evidence; nothing here pools the requests of different runs to decide.
package abtest
