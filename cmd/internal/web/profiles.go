package web

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// WithProfiles adds this process's profiles to pages, for "go tool pprof". It does not use the
// standard library's handlers, because importing them registers them on the global mux.
func WithProfiles(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /debug/pprof/{$}", func(w http.ResponseWriter, _ *http.Request) {
		text := "profile?seconds=30\ntrace?seconds=1"
		for _, p := range pprof.Profiles() {
			text += fmt.Sprintf("\n%s?debug=1 (%d)", p.Name(), p.Count())
		}
		answer(w, http.StatusOK, text)
	})
	mux.HandleFunc("GET /debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) {
		p := pprof.Lookup(r.PathValue("name"))
		debug, err := strconv.Atoi("0" + r.FormValue("debug"))
		if p == nil || err != nil {
			answer(w, http.StatusNotFound, "there is no such profile")
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if debug > 0 {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		// Only the client's connection can fail here.
		_ = p.WriteTo(w, debug)
	})
	mux.HandleFunc("GET /debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
		during(w, r, 30, func() error { return pprof.StartCPUProfile(w) }, pprof.StopCPUProfile)
	})
	mux.HandleFunc("GET /debug/pprof/trace", func(w http.ResponseWriter, r *http.Request) {
		during(w, r, 1, func() error { return trace.Start(w) }, trace.Stop)
	})
	return mux
}

// mostSeconds bounds the duration of a profile.
const mostSeconds = 600

// during records a profile for the requested number of seconds.
func during(w http.ResponseWriter, r *http.Request, seconds float64, start func() error, stop func()) {
	if text := r.FormValue("seconds"); text != "" {
		var err error
		if seconds, err = strconv.ParseFloat(text, 64); err != nil || !(seconds > 0 && seconds <= mostSeconds) {
			answer(w, http.StatusBadRequest, fmt.Sprintf("seconds: %q is not a number up to %d", text, mostSeconds))
			return
		}
	}
	span := time.Duration(seconds * float64(time.Second))
	// The server's own write limit is too short for profiles.
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(span + 10*time.Second)); err != nil {
		answer(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := start(); err != nil {
		answer(w, http.StatusConflict, "another profile is under way: "+err.Error())
		return
	}
	defer stop()
	select {
	case <-time.After(span):
	case <-r.Context().Done():
	}
}
