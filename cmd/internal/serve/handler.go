package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unfold/ingest/emit"
	"unfold/stream"
)

// Settings of a Handler.
type Settings struct {
	Current Current
	Limits  Limits
	// Vector, if set, returns the vector of an event by its id, or an error. It enables GET
	// /reasons/ID, which explains that event on the current map.
	Vector func(m *Model, id string) ([]float32, error)
}

// Handler answers HTTP requests. New creates one.
type Handler struct {
	set    Settings
	placer Placer
	mux    *http.ServeMux
	// turns limits the requests in progress. held counts the bytes of bodies, sending those of
	// responses.
	turns         chan struct{}
	held, sending atomic.Int64
}

// New returns a handler.
func New(s Settings) *Handler {
	s.Limits = s.Limits.Filled()
	h := &Handler{set: s, placer: Placer{Limits: s.Limits}, mux: http.NewServeMux(), turns: make(chan struct{}, s.Limits.Requests)}
	h.mux.HandleFunc("/place", only(h.place, http.MethodPost))
	h.mux.HandleFunc("/decode", only(h.decode, http.MethodPost))
	h.mux.HandleFunc("/model", only(h.model, http.MethodGet, http.MethodHead))
	if s.Vector != nil {
		h.mux.HandleFunc("/reasons/{id...}", only(h.reasons, http.MethodGet, http.MethodHead))
	}
	h.mux.HandleFunc("/openapi.json", only(h.openAPI, http.MethodGet, http.MethodHead))
	return h
}

// ServeHTTP answers the paths of the model, and 404 otherwise.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Beside returns a handler for pages and for the paths of h.
func (h *Handler) Beside(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	for _, path := range Paths {
		mux.Handle(path, h)
	}
	return mux
}

// Paths are the paths that a Handler answers.
var Paths = []string{"/place", "/decode", "/model", "/openapi.json"}

// only restricts a handler to the given methods.
func only(do http.HandlerFunc, methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			Problemf(http.StatusMethodNotAllowed, "%s takes %s", r.URL.Path, strings.Join(methods, " or ")).write(w)
			return
		}
		do(w, r)
	}
}

func (h *Handler) model(w http.ResponseWriter, _ *http.Request) {
	m, err := h.set.Current.model()
	var text []byte
	if err == nil {
		text, err = json.Marshal(m.Description())
	}
	if err != nil {
		problemOf(err, http.StatusInternalServerError).write(w)
		return
	}
	send(w, http.StatusOK, emit.JSONType, append(text, '\n'))
}

func (h *Handler) place(w http.ResponseWriter, r *http.Request) {
	answer, format, err := h.answered(w, r, h.placer.Place)
	if err != nil {
		problemOf(err, http.StatusInternalServerError).write(w)
		return
	}
	h.reply(w, format.contentType(), answer)
}

// reply sends a response. Its bytes count as sending until the client has read them.
func (h *Handler) reply(w http.ResponseWriter, kind string, answer []byte) {
	n := int64(len(answer))
	h.sending.Add(n)
	defer h.sending.Add(-n)
	send(w, http.StatusOK, kind, answer)
}

// work computes the response to a body.
type work func(ctx context.Context, m *Model, body []byte, o Options) ([]byte, Format, error)

// answered reads a request and runs do on it when a turn is free. Its errors are *Problem.
func (h *Handler) answered(w http.ResponseWriter, r *http.Request, do work) ([]byte, Format, error) {
	o, err := h.options(r)
	if err != nil {
		return nil, Auto, err
	}
	body, err := h.body(w, r)
	defer h.held.Add(-int64(cap(body)))
	if err != nil {
		return nil, Auto, err
	}
	done, err := h.turn(w, r)
	if err != nil {
		return nil, Auto, err
	}
	defer done()
	// The model is loaded after the wait, which may have been long.
	m, err := h.set.Current.model()
	if err != nil {
		return nil, Auto, err
	}
	return do(r.Context(), m, body, o)
}

// turn waits for a free turn. done releases it.
func (h *Handler) turn(w http.ResponseWriter, r *http.Request) (done func(), err error) {
	// The deadline covers the wait, the work and the response. A server's own limit may be shorter.
	// An error means that the connection has no deadlines, so it is ignored.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(2*h.set.Limits.Time + 10*time.Second))
	if n := h.sending.Load(); n > h.set.Limits.Held {
		return nil, Problemf(http.StatusServiceUnavailable, "%d bytes of answers wait for their readers, of %d; ask again later", n, h.set.Limits.Held)
	}
	wait := time.NewTimer(h.set.Limits.Time)
	defer wait.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns }, nil
	case <-wait.C:
		return nil, Problemf(http.StatusServiceUnavailable, "%d requests are being worked on, and none ended for %v; ask again later", cap(h.turns), h.set.Limits.Time)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// options parses the options in the query and the headers.
func (h *Handler) options(r *http.Request) (o Options, err error) {
	if o, err = h.asked(r); err != nil {
		return o, err
	}
	if c := r.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return o, Problemf(http.StatusUnsupportedMediaType, "bodies are taken as they are, not compressed with %s", c)
	}
	said := r.Header.Get("Content-Type")
	switch kind, parameters, err := mime.ParseMediaType(said); {
	case err == nil && kind == stream.ContentType:
		o.In = Arrow
	case err == nil && kind == emit.JSONType && (parameters["charset"] == "" || strings.EqualFold(parameters["charset"], "utf-8")):
		o.In = JSON
	default:
		return o, Problemf(http.StatusUnsupportedMediaType, "Content-Type is %q; it can be %s or %s", said, emit.JSONType, stream.ContentType)
	}
	o.Out, err = accepted(r.Header.Values("Accept"), o.In)
	return o, err
}

// asked parses the numbers in the query.
func (h *Handler) asked(r *http.Request) (o Options, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return o, Problemf(http.StatusBadRequest, "the query cannot be read: %v", err)
	}
	for name, values := range query {
		to := map[string]*int{"neighbors": &o.Neighbors, "reasons": &o.Explain.Columns}[name]
		most := map[string]int{"neighbors": h.set.Limits.Neighbors, "reasons": h.set.Limits.Reasons}[name]
		if to == nil {
			return o, Problemf(http.StatusBadRequest, "there is no parameter %q; there are neighbors=N and reasons=N", name)
		}
		n, err := strconv.Atoi(values[0])
		if err != nil || len(values) > 1 || n < 0 || n > most {
			return o, Problemf(http.StatusBadRequest, "%s: %q is not one number from 0 to %d", name, strings.Join(values, ","), most)
		}
		*to = n
	}
	return o, nil
}

// body reads the body of a request. Its bytes are counted even if reading fails.
func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := h.set.Limits
	if r.ContentLength > limit.Body {
		return nil, tooLarge(limit.Body)
	}
	in := http.MaxBytesReader(w, r.Body, limit.Body)
	var body []byte
	for {
		if len(body) == cap(body) {
			more := max(4096, min(cap(body), 1<<20))
			grown := append(make([]byte, 0, cap(body)+more), body...)
			if body = grown; h.held.Add(int64(more)) > limit.Held {
				return body, Problemf(http.StatusServiceUnavailable, "the bodies of all requests are more than %d bytes; ask again later", limit.Held)
			}
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var large *http.MaxBytesError
		switch {
		case err == io.EOF:
			return body, nil
		case errors.As(err, &large):
			return body, tooLarge(limit.Body)
		case err != nil:
			return body, Problemf(http.StatusBadRequest, "the body did not come whole: %v", err)
		}
	}
}

func tooLarge(most int64) *Problem {
	return Problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes; send fewer rows at a time", most)
}
