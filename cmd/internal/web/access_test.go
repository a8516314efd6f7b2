package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// operators and others are the paths of a listener that serves everything.
var (
	operators = []string{"/livez", "/readyz", "/metrics"}
	others    = []string{"/", "/app.js", "/live", "/api/points", "/place", "/model", "/openapi.json", "/debug/pprof/heap"}
)

// guarded returns pages behind a guard. They answer with the body they received.
func guarded(s Settings) http.Handler {
	if s.Address == "" {
		s.Address = "127.0.0.1:0"
	}
	return newGuard(&s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		io.WriteString(w, "detail"+string(b))
	}))
}

// status requests a path and returns the status.
func status(h http.Handler, method, path string, head map[string]string, body string) (int, *httptest.ResponseRecorder) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	for k, v := range head {
		if r.Header.Set(k, v); k == "Host" {
			r.Host = v
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w
}

// Under a foreign name only the health of the process is visible. Addresses, as in probes and
// Prometheus, and names of the machine count as the server's own.
func TestHosts(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	here, everywhere := Settings{}, Settings{Address: "0.0.0.0:0"}
	named := Settings{Address: "0.0.0.0:0", Access: Access{Hosts: []string{"unfold", "Unfold.example."}}}
	strict := Settings{Address: "0.0.0.0:0", Access: Access{Hosts: []string{"unfold"}, Public: true, Token: "secret"}}
	public := Settings{Address: "0.0.0.0:0", Access: Access{Public: true}}
	for _, c := range []struct {
		set  Settings
		host string
		want bool
	}{
		{here, "localhost:8080", true}, {here, "LOCALHOST", true}, {here, "[::1]:8080", true}, {here, "127.0.0.2", true}, {here, "", true},
		{here, "evil.example", false}, {here, "localhost.evil.example", false}, {here, "unfold:8080", false},
		{everywhere, "10.1.2.3:8080", true}, {everywhere, "[fd00::1]:8080", true}, {everywhere, name + ":8080", true}, {everywhere, "evil.example:8080", false},
		{named, "unfold:8080", true}, {named, "unfold.example:8080", true}, {named, "10.1.2.3", true}, {named, "evil.example", false},
		{strict, "unfold", true}, {strict, "evil.example", false}, {public, "proxy.example", true},
		{Settings{Address: "stage.example:8080"}, "stage.example:8080", true}, {Settings{Address: "unix:/a"}, "unfold", true},
	} {
		h := guarded(c.set)
		for _, path := range append(others, operators...) {
			head := map[string]string{"Host": c.host, "Authorization": "Bearer secret"}
			code, w := status(h, "GET", path, head, "")
			switch {
			case c.want && (code != 200 || w.Body.String() != "detail"):
				t.Errorf("%+v answers %s under %q with %d", c.set, path, c.host, code)
			case !c.want && probe(path) && (code != 200 || w.Body.Len() != 0):
				t.Errorf("%+v answers a probe under %q with %d %q", c.set, c.host, code, w.Body)
			case !c.want && !probe(path) && (code != 421 || strings.HasPrefix(w.Body.String(), "detail")):
				t.Errorf("%+v answers %s under %q with %d", c.set, path, c.host, code)
			}
		}
	}
}

// Without the token only the pages for operators' tools are answered; with it, any name is
// accepted.
func TestToken(t *testing.T) {
	h := guarded(Settings{Address: "0.0.0.0:0", Access: Access{Token: "secret"}})
	for _, path := range others {
		if code, w := status(h, "GET", path, nil, ""); code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s without the token: %d", path, code)
		}
		for _, head := range []map[string]string{{"Authorization": "Bearer secret"}, {"Cookie": cookieOf("secret") + "=" + digest("secret")}} {
			if code, _ := status(h, "GET", path, head, ""); code != 200 {
				t.Errorf("%s with %v: %d", path, head, code)
			}
			head["Host"] = "proxy.example"
			if code, _ := status(h, "GET", path, head, ""); code != 200 {
				t.Errorf("%s with %v: %d", path, head, code)
			}
		}
		for _, head := range []map[string]string{{"Authorization": "Bearer secreT"}, {"Cookie": cookieOf("secret") + "=secret"}, {"Cookie": cookieOf("other") + "=" + digest("secret")}} {
			if code, _ := status(h, "GET", path, head, ""); code != 401 {
				t.Errorf("%s with %v: %d", path, head, code)
			}
		}
	}
	for _, path := range operators {
		if code, _ := status(h, "GET", path, nil, ""); code != 200 {
			t.Errorf("%s without the token: %d", path, code)
		}
	}
	code, w := status(h, "GET", "/?token=secret&renderer=software", nil, "")
	if cookie := w.Header().Get("Set-Cookie"); code != 303 || w.Header().Get("Location") != "/?renderer=software" || !strings.HasPrefix(cookie, "unfold_token_") || !strings.Contains(cookie, "HttpOnly; SameSite=Lax") || strings.Contains(cookie, "secret") {
		t.Errorf("signing in: %d %v", code, w.Header())
	}
	if code, _ := status(h, "GET", "/?token=other", nil, ""); code != 403 {
		t.Errorf("another token: %d", code)
	}
}

// Pages of other origins may link to the page, and may request nothing else.
func TestOrigins(t *testing.T) {
	h := guarded(Settings{})
	for _, path := range append(others, operators...) {
		for _, c := range []struct {
			head    map[string]string
			foreign bool
		}{
			{map[string]string{"Sec-Fetch-Site": "cross-site"}, true}, {map[string]string{"Sec-Fetch-Site": "same-site"}, true}, {map[string]string{"Origin": "http://evil.example"}, true}, {map[string]string{"Origin": "null"}, true},
			{map[string]string{"Sec-Fetch-Site": "same-origin"}, false}, {map[string]string{"Sec-Fetch-Site": "none"}, false}, {map[string]string{"Origin": "http://127.0.0.1:8080"}, false},
		} {
			want := 200
			if c.foreign && path != "/" {
				want = 403
			}
			if code, _ := status(h, "GET", path, c.head, ""); code != want {
				t.Errorf("%s with %v: %d, want %d", path, c.head, code, want)
			}
		}
	}
}

// Methods and bodies are checked before any page gets the request.
func TestRequests(t *testing.T) {
	h := guarded(Settings{Body: 4})
	for _, c := range []struct {
		method, body string
		status       int
	}{
		{"GET", "", 200}, {"HEAD", "", 200}, {"POST", "four", 200}, {"POST", "five!", 413}, {"GET", "x", 413},
		{"PUT", "", 405}, {"DELETE", "", 405}, {"OPTIONS", "", 405}, {"TRACE", "", 405}, {"CONNECT", "", 405},
	} {
		code, w := status(h, c.method, "/place", nil, c.body)
		if code != c.status || code == 405 && w.Header().Get("Allow") == "" {
			t.Errorf("%s of %q: %d %v", c.method, c.body, code, w.Header())
		}
	}
	r := httptest.NewRequest("POST", "http://localhost/place", io.MultiReader(strings.NewReader("of unknown length")))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 413 {
		t.Errorf("a body that does not say how long it is: %d", w.Code)
	}
}

// An address that other machines reach requires a token, or explicit public access.
func TestCheck(t *testing.T) {
	for address, local := range map[string]bool{"127.0.0.1:80": true, "localhost:1": true, "[::1]:1": true, "unix:/a": true, "0.0.0.0:1": false, ":1": false, "10.0.0.1:1": false, "stage.example:1": false} {
		if err := (Access{}).Check(address); (err == nil) != local {
			t.Errorf("%s: %v", address, err)
		}
		for _, a := range []Access{{Token: "t"}, {Public: true}} {
			if err := a.Check(address); err != nil {
				t.Errorf("%s with %+v: %v", address, a, err)
			}
		}
	}
}
