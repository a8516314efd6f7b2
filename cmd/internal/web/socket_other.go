//go:build !unix

package web

import (
	"context"
	"net"
)

// privateSocket opens a socket in the file system.
func privateSocket(ctx context.Context, path string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}
