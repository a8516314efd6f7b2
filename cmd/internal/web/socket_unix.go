//go:build unix

package web

import (
	"context"
	"net"
	"syscall"
)

// privateSocket opens a socket in the file system that only its owner can connect to, from the
// moment it exists.
func privateSocket(ctx context.Context, path string) (net.Listener, error) {
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}
