package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"unfold/ingest/table"
	"unfold/internal/regular"
)

// Access controls access to a server. The zero value allows every request that uses one of the
// server's own names, which is right for an address that only this machine can reach.
type Access struct {
	// Token, if not empty, is required for all pages except /livez, /readyz and /metrics.
	Token string
	// Public allows everyone who reaches the address, under any name.
	Public bool
	// Hosts are names of the server in addition to localhost, addresses, the machine's name and the
	// name in the listen address. If set, no other name is answered, even with a token or in
	// public.
	Hosts []string
}

// ErrExposed is matched by the error of Check.
var ErrExposed = errors.New("others than this machine reach it")

// Check returns an error, ErrExposed, if other machines can reach the address without a token and
// Public is not set.
func (a Access) Check(address string) error {
	if private(address) || a.Token != "" || a.Public {
		return nil
	}
	return fmt.Errorf("%s: %w, without a token", address, ErrExposed)
}

// ReadToken reads the token from a file, "" for no file.
func ReadToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := regular.ReadSmall(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: "there is no token in it", Hint: "write one line, such as that of: openssl rand -hex 16"}
	}
	return token, nil
}

// guard checks all requests of a listener: methods, bodies, names, origins, the token.
type guard struct {
	Access
	pages http.Handler
	// body bounds the bytes of a request's body, bodies the number of bodies that are read
	// concurrently.
	body   int64
	bodies chan struct{}
	// socket means that only programs on this machine can connect, and no browser. own are the
	// names of the machine and of the address.
	socket bool
	own    []string
}

// mostBodies bounds the requests whose body is being read, so that other requests still find
// connections.
const mostBodies = 128

func newGuard(s *Settings, pages http.Handler) *guard {
	g := &guard{Access: s.Access, pages: pages, body: s.Body, bodies: make(chan struct{}, mostBodies), socket: strings.HasPrefix(s.Address, unixPrefix)}
	if host, _, err := net.SplitHostPort(s.Address); err == nil && host != "" {
		g.own = append(g.own, nameOf(host))
	}
	if name, err := os.Hostname(); err == nil && !private(s.Address) {
		g.own = append(g.own, nameOf(name))
	}
	return g
}

// probe reports whether a path is one of the probes of operators' tools, which only show whether
// the process is healthy.
func probe(path string) bool    { return path == "/livez" || path == "/readyz" }
func operator(path string) bool { return probe(path) || path == "/metrics" }

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A client that sends requests without waiting for responses would otherwise be served for a
	// whole time slice. With hundreds of those, a probe would wait for seconds.
	runtime.Gosched()
	path := r.URL.Path
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c.begin() { // the last connections are reserved for operators
		w.Header().Set("Connection", "close")
		if !operator(path) {
			g.refuse(w, r, http.StatusServiceUnavailable, "too many connections are open; ask again later")
			return
		}
	}
	done, status, why := g.admit(w, r)
	if status == 0 {
		defer done()
		status, why = g.allowed(r)
	}
	switch {
	case status == 0 && path == "/" && g.Token != "" && r.URL.Query().Get("token") != "":
		g.signIn(w, r)
	case status == 0:
		g.pages.ServeHTTP(w, r)
		g.drain(w, r)
	case status == http.StatusMisdirectedRequest && probe(path):
		// A probe under any name gets the health status and nothing else.
		g.pages.ServeHTTP(brief{w}, r)
	default:
		g.refuse(w, r, status, why)
	}
}

// drainTime and drainBytes bound the rest of a body that a page did not read.
const (
	drainTime  = time.Second
	drainBytes = 256 << 10
)

// drain reads the rest of a body that the page did not read, so that the connection can be kept. The
// server would do so for as long as a request may take, and beyond the limit of bodies: clients that
// send slowly could occupy all connections.
func (g *guard) drain(w http.ResponseWriter, r *http.Request) {
	b, is := r.Body.(*body)
	if !is || b.over {
		return
	}
	// Writers without deadlines are not from a server.
	control := http.NewResponseController(w)
	// A client that asked first (Expect: 100-continue) has not sent its body, and need not.
	if r.Header.Get("Expect") == "" && control.SetReadDeadline(time.Now().Add(drainTime)) == nil {
		_, _ = io.CopyN(io.Discard, b, drainBytes)
	}
	if !b.over {
		_ = control.SetReadDeadline(time.Now())
	}
}

// refuse rejects a request. It does not wait for the rest of the body, and frees the connection for
// others.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		// Without a deadline the server would read the body to its end. Writers without deadlines
		// are not from a server.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	refuse(w, r, status, why)
	c, _ := r.Context().Value(connKey{}).(*conn)
	c.wait()
}

// admit checks the request itself. For a rejection it returns the status and the reason.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) (done func(), status int, why string) {
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !get && operator(r.URL.Path):
		w.Header().Set("Allow", "GET, HEAD")
		return nil, http.StatusMethodNotAllowed, "methods are GET and HEAD"
	case !get && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, HEAD, POST")
		return nil, http.StatusMethodNotAllowed, "methods are GET, HEAD and POST"
	case r.ContentLength == 0:
		return func() {}, 0, ""
	case get: // also of unknown length
		return nil, http.StatusRequestEntityTooLarge, "only POST has a body"
	case r.ContentLength > g.body:
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", g.body)
	}
	select {
	case g.bodies <- struct{}{}:
	default:
		return nil, http.StatusServiceUnavailable, fmt.Sprintf("%d bodies are being read; ask again later", mostBodies)
	}
	b := &body{ReadCloser: http.MaxBytesReader(w, r.Body, g.body), from: g.bodies}
	r.Body = b
	return b.end, 0, ""
}

// body counts as being read until it ends.
type body struct {
	io.ReadCloser
	from chan struct{}
	over bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *body) end() {
	if !b.over {
		b.over = true
		<-b.from
	}
}

// allowed checks whether the client has access.
func (g *guard) allowed(r *http.Request) (status int, why string) {
	path := r.URL.Path
	token := g.Token != "" && g.has(r)
	switch {
	case g.named(r.Host):
	case len(g.Hosts) == 0 && (g.Public || token || g.Token != "" && !operator(path)):
	default:
		// DNS rebinding attacks use a foreign name that resolves to this server.
		return http.StatusMisdirectedRequest, "this server does not answer under this name; --hosts or http_hosts names others"
	}
	if path != "/" && foreign(r) {
		return http.StatusForbidden, "pages from elsewhere may not ask"
	}
	if g.Token == "" || token || operator(path) {
		return 0, ""
	}
	if given := r.URL.Query().Get("token"); path == "/" && given != "" {
		if same(given, g.Token) {
			return 0, ""
		}
		return http.StatusForbidden, "the token is another"
	}
	return http.StatusUnauthorized, "a token is wanted: open /?token=..., or send it as Authorization: Bearer"
}

// named reports whether a request's host is a name of the server. An address or an empty host
// cannot come from a page that was reached by a foreign name.
func (g *guard) named(host string) bool {
	name := nameOf(host)
	return g.socket || name == "" || name == "localhost" || net.ParseIP(name) != nil || slices.Contains(g.own, name) ||
		slices.ContainsFunc(g.Hosts, func(h string) bool { return nameOf(h) == name })
}

// foreign reports whether the request comes from a page of another origin.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

// has reports whether a request has the token, as a cookie or in a header.
func (g *guard) has(r *http.Request) bool {
	if c, err := r.Cookie(cookieOf(g.Token)); err == nil && same(c.Value, digest(g.Token)) {
		return true
	}
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer && same(given, g.Token)
}

// signIn answers /?token=TOKEN: it sets the cookie and redirects to the page without it. The cookie
// is lax, because a strict one would not be sent after a link from another site, such as a
// notebook. Other requests from such sites are rejected by their origin.
func (g *guard) signIn(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieOf(g.Token), Value: digest(g.Token), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
	query := r.URL.Query()
	query.Del("token")
	to := "/"
	if rest := query.Encode(); rest != "" {
		to += "?" + rest
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// same compares secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// digest returns the value that represents a token in a browser's cookie.
func digest(token string) string {
	sum := sha256.Sum256([]byte("unfold page " + token))
	return hex.EncodeToString(sum[:])
}

// cookieOf returns the cookie's name. Browsers share cookies among all ports of a machine, so each
// token has its own name.
func cookieOf(token string) string {
	sum := sha256.Sum256([]byte("unfold cookie " + token))
	return "unfold_token_" + hex.EncodeToString(sum[:4])
}

// brief sends only the status of a response.
type brief struct{ http.ResponseWriter }

func (b brief) Write(p []byte) (int, error) { return len(p), nil }
