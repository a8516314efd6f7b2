// Package harness is what the programs that measure have in common: their command
// lines, the other programs' Python environment, results as files, and verdicts on
// figures.
package harness
