//go:build unix && !linux

package cli

// ownPeak is not known here: see the one of Linux.
func ownPeak() (peak int64, known bool) { return 0, false }
