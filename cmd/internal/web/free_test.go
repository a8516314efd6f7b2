package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"
)

// An address is free until a process listens there, and a stage of this program is distinguished
// from others.
func TestFree(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "# a metric\nunfold_events_total 1\n")
	})
	for name, address := range map[string]string{"address": "127.0.0.1:0", "socket": "unix:" + filepath.Join(t.TempDir(), "s")} {
		if err := Free(t.Context(), address); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s, err := Listen(t.Context(), Settings{Address: address}, Handler(func() (string, error) { return "", nil }, metrics))
		if err != nil {
			t.Fatal(err)
		}
		if err := Free(t.Context(), s.Address()); err == nil || name == "address" && !errors.Is(err, ErrOurs) {
			t.Errorf("%s: in use: %v", name, err)
		}
		taken := s.Address()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Free(t.Context(), taken); err != nil {
			t.Errorf("%s: free again: %v", name, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	defer l.Close()
	if err := Free(t.Context(), l.Addr().String()); err == nil || errors.Is(err, ErrOurs) {
		t.Errorf("another program: %v", err)
	}
	if err := Free(t.Context(), "unix:"+filepath.Join(t.TempDir(), "nowhere", "s")); err == nil {
		t.Error("a socket in no folder is free")
	}
}
