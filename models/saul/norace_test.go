//go:build !race

package saul

// RaceEnabled says whether the race detector slows everything down.
const RaceEnabled = false
