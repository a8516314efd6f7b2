//go:build unix

package web

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unfold/cmd/internal/web/webtest"
)

// A socket in the file system belongs to its owner. The socket of a dead process is replaced, that
// of a live one is not, and a file that is no socket stays.
func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	pages := Handler(func() (string, error) { return "", nil }, nil, "/more")
	// A killed process leaves its socket behind.
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	s, err := Listen(t.Context(), Settings{Address: "unix:" + path}, pages)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || s.Address() != "unix:"+path || s.URL() != "unix:"+path {
		t.Errorf("%v %v, address %s", info.Mode(), err, s.Address())
	}
	client, url := webtest.Client(s.Address())
	resp, err := client.Get(url)
	if _, body := webtest.Read(t, resp, err); string(body) != "unfold\n/livez\n/readyz\n/more\n" {
		t.Errorf("%q", body)
	}
	if _, err := Listen(t.Context(), Settings{Address: "unix:" + path}, pages); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), Settings{Address: "unix:" + path}, pages); err == nil {
		t.Error("a file was replaced")
	}
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Stop waits for the requests in progress, but not longer than its limit.
func TestStop(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-end
		io.WriteString(w, "done")
	})
	s, err := Listen(t.Context(), Settings{Address: "127.0.0.1:0"}, slow)
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan string, 1)
	go func() {
		client, url := webtest.Client(s.Address())
		resp, err := client.Get(url)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(time.Minute) }()
	close(end)
	if got := <-answer; got != "done" {
		t.Errorf("the request under way was answered %q", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A client that sends its header slowly is disconnected.
func TestSlowHeader(t *testing.T) {
	s := patient(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout == 0 || s.ReadTimeout == 0 || s.WriteTimeout == 0 || s.IdleTimeout == 0 || s.MaxHeaderBytes == 0 {
		t.Errorf("a limit is missing: %+v", s)
	}
	s.ReadHeaderTimeout = 50 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() {
		s.Close()
		<-done
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("POST /place HTTP/1.1\r\nHost: a\r\nX-Slow: ")); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("the connection stays open: %v", err)
	}
}

// A server on all interfaces names an address at which it answers, or the first of its names.
func TestURLOfAllInterfaces(t *testing.T) {
	pages := Handler(func() (string, error) { return "", nil }, nil)
	s, err := Listen(t.Context(), Settings{Address: "0.0.0.0:0", Access: Access{Public: true}}, pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(s.URL() + "/livez")
	if status, _ := webtest.Read(t, resp, err); status != 200 || strings.Contains(s.URL(), "0.0.0.0") || strings.Contains(s.URL(), "[::]") {
		t.Errorf("%s: %d", s.URL(), status)
	}
	named, err := Listen(t.Context(), Settings{Address: "0.0.0.0:0", Access: Access{Hosts: []string{"maps.example:80", "other"}}}, pages)
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	if !strings.HasPrefix(named.URL(), "http://maps.example:") || strings.HasSuffix(named.URL(), ":80") {
		t.Errorf("the URL is %s", named.URL())
	}
}
