// Package verdict holds the words of judgement that every experiment shares: what
// a metric is and when it may be judged, when a trial counts, what a warning means,
// whether a threshold holds, and how one variant's trials add up to a report's rows.
//
// Everything here is a pure function of facts. Limits come from the method
// (docs/METHOD.md); each is a named constant beside its use.
package verdict
