package viewer

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"os"
	"strings"

	"unfold/ingest/table"
)

// guard says who may ask.
type guard struct {
	token string
	local bool
}

// cookie holds the token's digest.
const cookie = "unfold_token"

// check lets f answer, or refuses.
func (g guard) check(f http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	if g.local && !local(r.Host) {
		// A name from elsewhere that leads here is how pages from elsewhere get in.
		http.Error(w, "this address answers under localhost and 127.0.0.1 only", http.StatusMisdirectedRequest)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") && foreign(r) {
		http.Error(w, "pages from elsewhere may not ask", http.StatusForbidden)
		return
	}
	if g.token == "" {
		f(w, r)
		return
	}
	query := r.URL.Query()
	if given := query.Get("token"); given != "" && r.URL.Path == "/" {
		if !same(given, g.token) {
			http.Error(w, "the token is another", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: digest(g.token), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
		query.Del("token")
		to := "/"
		if rest := query.Encode(); rest != "" {
			to += "?" + rest
		}
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	if c, err := r.Cookie(cookie); err == nil && same(c.Value, digest(g.token)) {
		f(w, r)
		return
	}
	if given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); bearer && same(given, g.token) {
		f(w, r)
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "a token is wanted: open /?token=..., or send it as Authorization: Bearer", http.StatusUnauthorized)
}

// local says whether a request's host is this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return loopback(host)
}

// same compares secrets in a time that says nothing of them.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// digest stands for a token in browsers.
func digest(token string) string {
	sum := sha256.Sum256([]byte("unfold page " + token))
	return hex.EncodeToString(sum[:])
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
