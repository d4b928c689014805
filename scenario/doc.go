// Package scenario answers: what exactly does this file ask for, and if it is
// wrong, where?
//
// A scenario file is YAML that describes a system under test, the requests sent
// to it, how many and when, what counts as success, and the variants that an A-B
// test compares. [Parse] turns the text into a [Scenario] in which every
// reference resolves and every quantity has its unit, or into [Problems]: all
// of the mistakes at once, each with file, line, column, the source line and,
// where one is near enough, a suggestion.
//
// # Strictness
//
// A setting that would have no effect is a mistake, never a silent one: unknown
// keys, keys of a later version, an environment for a target that is not started
// here, a threshold on an operation that is never sent. A benchmark whose settings
// were dropped gives a believable wrong answer.
//
// # Holes
//
// Text may hold ${...} expressions. In a body, path or header they are evaluated
// once for each arrival, by package workload, from the seed of the run:
//
//	${seq} ${run} ${uuid} ${int(1,9999)} ${text(0..2000)}
//	${pick(FEEDER)} ${next(FEEDER)} ${row.FIELD} ${SAVED}
//
// In the command and environment of a program they are evaluated when it starts:
// ${perfctl} ${addr.SERVICE} ${port.SERVICE}. ${env.NAME} is evaluated here,
// wherever it stands. $${ writes ${ itself.
//
// # YAML
//
// The text is decoded into gopkg.in/yaml.v3 nodes, which keep line and column,
// and walked by this package, so that a mistake is shown where it was made. Of
// YAML's own machinery plain aliases are followed (within a bound); merge keys,
// custom tags and second documents are refused. JSON bodies keep numbers as
// written, so 64-bit ids are exact.
package scenario
