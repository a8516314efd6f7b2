// Package progress reports the progress of long operations.
//
// On a terminal each stage has a bar with its rate and the remaining time. Elsewhere (a log, a
// pipe) there are plain lines: one every ten seconds while a stage runs, and one at its end, unless
// it took less than a tenth of a second.
//
// A [Reporter] only writes and cannot change a result. A nil Reporter is silent.
package progress
