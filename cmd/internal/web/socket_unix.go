//go:build unix

package web

import (
	"context"
	"net"
	"syscall"
)

// privateSocket opens a socket in the file system. Only its owner can connect to it, from its
// creation on.
func privateSocket(ctx context.Context, path string) (net.Listener, error) {
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}
