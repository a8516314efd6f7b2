package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unfold/cmd/internal/web/webtest"
)

// Profiles are only served if enabled, in pprof's format, and not on the global mux.
func TestProfiles(t *testing.T) {
	pages := Handler(func() (string, error) { return "", nil }, http.NotFoundHandler())
	get := func(h http.Handler, path string) (int, []byte) {
		t.Helper()
		s := httptest.NewServer(h)
		defer s.Close()
		resp, err := s.Client().Get(s.URL + path)
		return webtest.Read(t, resp, err)
	}
	with := WithProfiles(pages)
	for path, c := range map[string]struct {
		status int
		want   string // "gzip": a profile
	}{
		"/livez":                                  {200, "ok"},
		"/debug/pprof/":                           {200, "goroutine?debug=1"},
		"/debug/pprof/heap":                       {200, "gzip"},
		"/debug/pprof/goroutine?debug=1":          {200, "goroutine profile: total"},
		"/debug/pprof/profile?seconds=0.05":       {200, "gzip"},
		"/debug/pprof/trace?seconds=0.05":         {200, "go 1."},
		"/debug/pprof/nonsense":                   {404, "no such profile"},
		"/debug/pprof/profile?seconds=1000000000": {400, "up to 600"},
		"/debug/pprof/profile?seconds=NaN":        {400, "up to 600"},
	} {
		status, body := get(with, path)
		if status != c.status {
			t.Errorf("%s: %d %.100s", path, status, body)
		}
		if c.want == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err == nil {
				body, err = io.ReadAll(z)
			}
			if err != nil || len(body) < 100 {
				t.Errorf("%s is no profile: %v, %d bytes", path, err, len(body))
			}
		} else if !strings.Contains(string(body), c.want) {
			t.Errorf("%s says %.200q, want %q", path, body, c.want)
		}
	}
	if status, _ := get(pages, "/debug/pprof/heap"); status != 404 {
		t.Errorf("without profiles there is one: %d", status)
	}
	if status, _ := get(http.DefaultServeMux, "/debug/pprof/heap"); status != 404 {
		t.Errorf("the mux of the process has profiles: %d", status)
	}
}
