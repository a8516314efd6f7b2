// Package webtest sends HTTP requests in tests.
package webtest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Client returns a client without persistent connections, so that no goroutine outlives a test, and
// the URL for an address: HOST:PORT or unix:PATH.
func Client(address string) (c *http.Client, url string) {
	t := &http.Transport{DisableKeepAlives: true}
	path, unix := strings.CutPrefix(address, "unix:")
	if unix {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		address = "unfold"
	}
	return &http.Client{Transport: t}, "http://" + address
}

// Read returns the status and the body of a response, and fails the test if there is none.
func Read(t testing.TB, resp *http.Response, err error) (status int, body []byte) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}
