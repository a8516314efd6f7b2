// Package harness is what the programs that measure beside others have in common:
// the other programs' Python environment, results as files, and verdicts on figures.
package harness
