//go:build !unix

package web

import (
	"context"
	"net"
)

// private opens a socket in the file system.
func private(ctx context.Context, path string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}
