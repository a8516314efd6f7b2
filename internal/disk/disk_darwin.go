package disk

import "syscall"

// Free returns the free bytes for this user on the file system of a folder, -1 if unknown, and
// whether its files are kept in memory.
func Free(folder string) (bytes int64, memory bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return -1, false
	}
	return int64(s.Bavail) * int64(s.Bsize), false
}
