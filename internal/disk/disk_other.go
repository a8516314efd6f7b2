//go:build !linux && !darwin

package disk

// Free returns -1: the system reports a full disk itself.
func Free(string) (bytes int64, memory bool) { return -1, false }
