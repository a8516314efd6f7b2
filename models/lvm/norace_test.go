//go:build !race

package lvm_test

const raceEnabled = false
