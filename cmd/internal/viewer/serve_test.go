package viewer

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"unfold/cmd/internal/web"
	"unfold/stream/view"
)

// TestMain runs the tests, or readers if a test started this program for that.
func TestMain(m *testing.M) {
	if url := os.Getenv(readersOf); url != "" {
		if err := readAll(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// serve serves a hub on an address (127.0.0.1:0 for any port), until the test ends or stop is
// called.
func serve(t testing.TB, address string, s Settings) (url string, stop func()) {
	t.Helper()
	return serveTo(t, address, s, web.Access{})
}

// serveTo is serve with access control.
func serveTo(t testing.TB, address string, s Settings, to web.Access) (url string, stop func()) {
	t.Helper()
	h, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	plain := web.Handler(func() (string, error) { return "", nil }, nil)
	server, err := web.Listen(t.Context(), web.Settings{Address: address, Access: to}, h.Over(plain))
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return server.URL(), stop
}

// ask sends a request with headers, including "Host", and returns status, headers and body.
func ask(t *testing.T, url string, head map[string]string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range head {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

// Browsers get the page and other clients the original one. The page only loads its own files,
// under a policy that allows nothing else.
func TestPageIsServed(t *testing.T) {
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: view.New(view.Settings{})})
	html := map[string]string{"Accept": "text/html,application/xhtml+xml"}
	status, head, body := ask(t, url+"/", html)
	if status != 200 || !strings.Contains(body, `src="app.js?`) || head.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v %.80s", status, head, body)
	}
	before, style, _ := strings.Cut(body, "<style>")
	style, after, _ := strings.Cut(style, "</style>")
	body = before + after
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'sha256-" + hashOf(style) + "';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(head.Get("Content-Security-Policy"), want) {
			t.Errorf("the policy is %q, without %s", head.Get("Content-Security-Policy"), want)
		}
	}
	if len(style) < 10_000 || strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Errorf("the style in the page: %.100q", style)
	}
	if strings.Contains(body, "<script>") || strings.Contains(body, "style=") || strings.Contains(body, "//") {
		t.Error("the page has inline code or names another address")
	}
	if status, _, body := ask(t, url+"/", nil); status != 200 || !strings.Contains(body, "/readyz") {
		t.Errorf("for others: %d %q", status, body)
	}
	status, head, small := ask(t, url+"/app.js", map[string]string{"Accept-Encoding": "gzip"})
	if status != 200 || head.Get("Content-Encoding") != "gzip" || len(small) == 0 {
		t.Errorf("%d %v", status, head)
	}
	if status, _, body := ask(t, url+"/app.js", map[string]string{"If-None-Match": head.Get("ETag")}); status != 304 || body != "" {
		t.Errorf("the same file again: %d, %d bytes", status, len(body))
	}
	for accepted, want := range map[string]string{"gzip, deflate, br, zstd": "br", "br;q=1.0, gzip": "br", "gzip, br;q=0": "gzip", "gzip;q=0": "", "broken": "", "": ""} {
		status, head, body := ask(t, url+"/app.js", map[string]string{"Accept-Encoding": accepted})
		if got := head.Get("Content-Encoding"); status != 200 || got != want || head.Get("Vary") != "Accept-Encoding" || want == "br" && (len(body) == 0 || len(body) >= len(small)) {
			t.Errorf("for %q the page is encoded as %q, %d %v, %d bytes", accepted, got, status, head, len(body))
		}
	}
	if status, _, _ := ask(t, url+"/app.js.br", nil); status != 404 {
		t.Errorf("the compressed file by its name: %d", status)
	}
	if status, _, _ := ask(t, url+"/dist/app.js", nil); status != 404 {
		t.Errorf("a file that is not there: %d", status)
	}
}

// The page's files are small.
func TestWeight(t *testing.T) {
	h, err := New(Settings{Hub: view.New(view.Settings{})})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	n := 0
	for _, f := range h.files {
		n += len(f.small)
	}
	if n > 120_000 || n < 1000 {
		t.Errorf("the page is %d bytes compressed, of 120,000 at most", n)
	}
}

// A request for a local page under another name, from another page, or without the token is
// rejected.
func TestGuard(t *testing.T) {
	open, _ := serve(t, "127.0.0.1:0", Settings{Hub: view.New(view.Settings{})})
	locked, _ := serveTo(t, "127.0.0.1:0", Settings{Hub: view.New(view.Settings{})}, web.Access{Token: "secret"})
	host := strings.TrimPrefix(open, "http://")
	page := "text/html"
	for _, c := range []struct {
		name, url string
		head      map[string]string
		status    int
	}{
		{"by address", open + "/app.js", nil, 200},
		{"by localhost", open + "/app.js", map[string]string{"Host": "localhost:1"}, 200},
		{"by another name", open + "/app.js", map[string]string{"Host": "evil.example"}, 421},
		{"socket by another name", open + "/live", map[string]string{"Host": "evil.example"}, 421},
		{"no socket at all", open + "/live", nil, 426},
		{"no token", locked + "/", map[string]string{"Accept": page}, 401},
		{"no token, a file", locked + "/app.js", nil, 401},
		{"no token, the socket", locked + "/live", nil, 401},
		{"another token", locked + "/?token=other", map[string]string{"Accept": page}, 403},
		{"the token", locked + "/?token=secret&renderer=software", map[string]string{"Accept": page}, 303},
		{"in a header", locked + "/app.js", map[string]string{"Authorization": "Bearer secret"}, 200},
		{"another in a header", locked + "/app.js", map[string]string{"Authorization": "Bearer secreT"}, 401},
	} {
		status, head, _ := ask(t, c.url, c.head)
		if status != c.status {
			t.Errorf("%s: %d, want %d", c.name, status, c.status)
		}
		if c.status == 303 && (head.Get("Location") != "/?renderer=software" || !strings.Contains(head.Get("Set-Cookie"), "HttpOnly; SameSite=Lax")) {
			t.Errorf("the token is answered with %v", head)
		}
	}
	for origin, want := range map[string]bool{"http://" + host: true, "": true, "http://evil.example": false, "null": false} {
		head := http.Header{}
		if origin != "" {
			head.Set("Origin", origin)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		c, _, err := websocket.Dial(t.Context(), "ws://"+host+"/live", &websocket.DialOptions{HTTPHeader: head, HTTPClient: client})
		if (err == nil) != want {
			t.Errorf("a socket from %q: %v", origin, err)
		}
		if err == nil {
			c.CloseNow()
		}
	}
}
