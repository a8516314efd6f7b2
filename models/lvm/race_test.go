//go:build race

package lvm

// RaceEnabled says whether the race detector slows everything down.
const RaceEnabled = true
