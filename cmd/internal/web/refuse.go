package web

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
)

// Busy responds that the server is overloaded, and when to try again.
func Busy(w http.ResponseWriter, r *http.Request, why string) {
	refuse(w, r, http.StatusServiceUnavailable, why+"; ask again later")
}

// refuse responds with an error: for people as text, for programs as problem details (RFC 9457).
func refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	switch status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "2")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if WantsHTML(r) {
		answer(w, status, why)
		return
	}
	text, err := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"about:blank", http.StatusText(status), status, why})
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // only the client's connection can fail here
}

// WantsHTML reports whether the client is a browser.
func WantsHTML(r *http.Request) bool {
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if kind, _, err := mime.ParseMediaType(part); err == nil && kind == "text/html" {
			return true
		}
	}
	return false
}
