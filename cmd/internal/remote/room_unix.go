//go:build linux || darwin

package remote

import "golang.org/x/sys/unix"

// free returns the free bytes for this user on the disk of a folder, -1 if unknown.
func free(folder string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
