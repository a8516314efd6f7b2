//go:build !race

package saul

// RaceEnabled reports whether the race detector, which slows everything down, is on.
const RaceEnabled = false
