//go:build race

package lvm_test

const raceEnabled = true
