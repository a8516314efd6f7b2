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
	"slices"
	"strings"
	"time"

	"unfold/ingest/table"
)

// Access says who may ask a server. The zero value lets everyone ask who reaches the address by its own
// name, which is right for an address that this machine alone reaches.
type Access struct {
	// Token, if not empty, is wanted for all pages but /livez, /readyz and /metrics.
	Token string
	// Public says that everyone who reaches the address may ask, under any name.
	Public bool
	// Hosts are names of the server beside localhost, addresses, the machine's own name and that of
	// the address to listen on. With some, no other is answered, also with a token or in public.
	Hosts []string
}

// ErrExposed is matched by the error of Check.
var ErrExposed = errors.New("others than this machine reach it")

// Check returns an error, ErrExposed, if others reach the address and may ask without a token, and nobody
// said that they should.
func (a Access) Check(address string) error {
	if private(address) || a.Token != "" || a.Public {
		return nil
	}
	return fmt.Errorf("%s: %w, without a token", address, ErrExposed)
}

// ReadToken reads the token of a file, "" for no file.
func ReadToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: "there is no token in it", Hint: "write one line, such as that of: openssl rand -hex 16"}
	}
	return token, nil
}

// guard stands before all pages of a listener: methods, bodies, names, origins, the token.
type guard struct {
	Access
	pages http.Handler
	// body bounds the bytes of a request's body, bodies how many are read at a time.
	body   int64
	bodies chan struct{}
	// socket: only this machine's programs reach it, and no browser. own is the name of the machine
	// and that of the address.
	socket bool
	own    []string
}

// mostBodies bounds the requests whose body is being read: others find connections all the same.
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

// Of the pages that operators' tools ask: probes show no more than whether the process is well.
func probe(path string) bool    { return path == "/livez" || path == "/readyz" }
func operator(path string) bool { return probe(path) || path == "/metrics" }

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c.begin() { // the last connections are for operators
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
	case status == http.StatusMisdirectedRequest && probe(path):
		// A probe by whatever name learns how the process is, and nothing else.
		g.pages.ServeHTTP(brief{w}, r)
	default:
		g.refuse(w, r, status, why)
	}
}

// refuse refuses a request. Nobody waits for the rest of its body, and its connection makes way for
// others.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		// The server would read the body to its end. Where there is no deadline there is no server.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	refuse(w, r, status, why)
	c, _ := r.Context().Value(connKey{}).(*conn)
	c.wait()
}

// admit bounds the request itself. It returns the status and the reason of a refusal.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) (done func(), status int, why string) {
	limit := g.body
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		limit = 0
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		return nil, http.StatusMethodNotAllowed, "methods are GET, HEAD and POST"
	}
	if r.ContentLength > limit {
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", limit)
	}
	if r.ContentLength == 0 {
		return func() {}, 0, ""
	}
	select {
	case g.bodies <- struct{}{}:
	default:
		return nil, http.StatusServiceUnavailable, fmt.Sprintf("%d bodies are being read; ask again later", mostBodies)
	}
	b := &body{ReadCloser: http.MaxBytesReader(w, r.Body, limit), from: g.bodies}
	r.Body = b
	return b.end, 0, ""
}

// body counts among those that are read until its end.
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

// allowed says whether who asks may.
func (g *guard) allowed(r *http.Request) (status int, why string) {
	path := r.URL.Path
	token := g.Token != "" && g.has(r)
	switch {
	case g.named(r.Host):
	case len(g.Hosts) == 0 && (g.Public || token || g.Token != "" && !operator(path)):
	default:
		// A name from elsewhere that leads here is how pages from elsewhere get in.
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

// named reports whether a request's host is a name of the server. What is an address, or nothing, comes
// from no page that was reached by a name.
func (g *guard) named(host string) bool {
	name := nameOf(host)
	return g.socket || name == "" || name == "localhost" || net.ParseIP(name) != nil || slices.Contains(g.own, name) ||
		slices.ContainsFunc(g.Hosts, func(h string) bool { return nameOf(h) == name })
}

// foreign reports whether a browser asks for a page from elsewhere.
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

// signIn answers /?token=TOKEN: it sets the cookie and leads to the page without it. The cookie is lax: a
// strict one does not come with what a link from another site, as in a notebook, leads to. Other requests
// of such sites are refused by their origin.
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

// same compares secrets in a time that says nothing of them.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// digest stands for a token in browsers.
func digest(token string) string {
	sum := sha256.Sum256([]byte("unfold page " + token))
	return hex.EncodeToString(sum[:])
}

// cookieOf names the cookie: browsers share cookies among all ports of a machine, so that each token has
// one of its own.
func cookieOf(token string) string {
	sum := sha256.Sum256([]byte("unfold cookie " + token))
	return "unfold_token_" + hex.EncodeToString(sum[:4])
}

// brief sends the status of an answer alone.
type brief struct{ http.ResponseWriter }

func (b brief) Write(p []byte) (int, error) { return len(p), nil }
