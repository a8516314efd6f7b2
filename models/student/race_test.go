//go:build race

package student

// raceEnabled says whether the race detector runs, under which pools forget.
const raceEnabled = true
