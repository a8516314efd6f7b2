//go:build !race

package lvm

// RaceEnabled reports whether the race detector runs, which makes everything slower.
const RaceEnabled = false
