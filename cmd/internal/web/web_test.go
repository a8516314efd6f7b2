package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"unfold/cmd/internal/web/webtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPages(t *testing.T) {
	var ready atomic.Bool
	detail := ""
	s, err := Listen(context.Background(), Settings{Address: "127.0.0.1:0"}, Handler(func() (string, error) {
		if ready.Load() {
			return detail, nil
		}
		return "", errors.New("no map yet")
	}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "figures") })))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	client, url := webtest.Client(s.Address())
	get := func(method, path string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(method, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		status, body := webtest.Read(t, resp, err)
		return status, string(body)
	}
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/livez", 200, "ok"}, {"GET", "/readyz", 503, "not ready: no map yet"}, {"GET", "/metrics", 200, "figures"},
		{"GET", "/", 200, "/readyz"}, {"GET", "/other", 404, ""}, {"POST", "/livez", 405, ""}, {"HEAD", "/livez", 200, ""},
	} {
		if status, body := get(c.method, c.path); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %q, expected %d %q", c.method, c.path, status, body, c.status, c.want)
		}
	}
	ready.Store(true)
	if status, body := get("GET", "/readyz"); status != 200 || body != "ready\n" {
		t.Errorf("/readyz: %d %q when ready", status, body)
	}
	detail = "an older map"
	if status, body := get("GET", "/readyz"); status != 200 || body != "ready: an older map\n" {
		t.Errorf("/readyz: %d %q when ready, with a remark", status, body)
	}
}

func TestTakenAddress(t *testing.T) {
	h := http.NotFoundHandler()
	a, err := Listen(context.Background(), Settings{Address: "127.0.0.1:0"}, h)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := Listen(context.Background(), Settings{Address: a.Address()}, h); err == nil || !strings.Contains(err.Error(), "name another address") {
		t.Errorf("error %v", err)
	}
}
