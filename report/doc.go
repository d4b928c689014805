// Package report turns a judged document into bytes: what does a reader have to see, and in
// which order, so that one who stops early is not misled?
//
// Every form (terminal, Markdown, HTML, JUnit) is a pure function of result.Result, and says
// the same things in the same order: the verdict as one sentence, whether the measurement is
// valid, the one table that answers the question, the evidence, the breakdown, errors,
// resources, the generator, the environment, the method and how to do it again.
// The same document gives the same bytes, on any machine and in any year.
//
// Three rules hold in every form. A status is always a glyph and a word, never a colour
// alone. A number that cannot be stood behind prints as its text ("> 10 s", "- (n=95)"), never as
// zero and never as a figure to subtract. Names come from users and are data everywhere:
// escaped in HTML and Markdown, without control characters on a terminal.
//
// What is drawn is in report/chart. This package decides nothing: a judgement that is not
// in the document is not in the report.
package report
