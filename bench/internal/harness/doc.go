// Package harness is the common part of the measuring programs: command lines, the peers' Python
// environment, result files, and verdicts on figures.
package harness
