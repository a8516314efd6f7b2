//go:build linux || darwin

package remote

import "golang.org/x/sys/unix"

// free returns the bytes that the disk of a folder has left for this user, -1 if that is not known.
func free(folder string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
