// Package progress shows how far a long piece of work has come.
//
// On a terminal each stage has a bar with its rate and the time that is left;
// elsewhere (a log, a pipe) there are plain lines: one every ten seconds while a
// stage runs, and one at its end. A stage that took less than a tenth of a
// second is not worth a line.
//
// A [Reporter] only writes; nothing it does can change a result. A nil Reporter
// is silent.
package progress
