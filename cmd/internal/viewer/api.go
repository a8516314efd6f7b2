package viewer

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"unfold/cmd/internal/web"
	"unfold/ingest/emit"
	"unfold/stream"
	"unfold/stream/view"
)

// openAPI is the description of the API below /api/.
//
//go:embed openapi.json
var openAPI []byte

// mostNear bounds the neighbours in a response.
const mostNear = 100

// headerEpoch is the header with the epoch of the map, in addition to the headers that messages
// have too.
const headerEpoch = "unfold-map-epoch"

// api adds the handlers of the API for programs.
func (h *Handler) api(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/openapi.json", func(w http.ResponseWriter, r *http.Request) { h.sendJSON(w, r, json.RawMessage(openAPI)) })
	mux.HandleFunc("GET /api/map", h.mapped)
	mux.HandleFunc("GET /api/points", h.points)
	mux.HandleFunc("GET /api/points/{id...}", h.point)
	mux.HandleFunc("GET /api/vectors", h.vectors)
	mux.HandleFunc("GET /api/clusters", h.clusters)
	mux.HandleFunc("GET /api/uncertain", h.uncertain)
	mux.HandleFunc("GET /api/compare", h.comparisons)
	mux.HandleFunc("GET /api/compare/{map}", h.compare)
	mux.HandleFunc("GET /api/ways", h.ways)
	if h.set.Picture != nil {
		mux.HandleFunc("GET /api/pictures/{id...}", h.picture)
	}
	if h.set.Maps != nil {
		mux.HandleFunc("GET /api/history", func(w http.ResponseWriter, r *http.Request) {
			h.sendJSON(w, r, map[string]any{"maps": h.set.Maps()})
		})
	}
	if h.set.Place != nil {
		place := http.StripPrefix("/api", h.set.Place)
		mux.HandleFunc("POST /api/place", place.ServeHTTP)
		mux.HandleFunc("GET /api/model", place.ServeHTTP)
		mux.HandleFunc("GET /api/reasons/{id...}", place.ServeHTTP)
	}
}

// mapped answers with the state of the map and its columns.
func (h *Handler) mapped(w http.ResponseWriter, r *http.Request) {
	h.sendJSON(w, r, struct {
		Map     view.MapState `json:"map"`
		Points  int           `json:"points"`
		Columns []view.Field  `json:"columns"`
	}{h.set.Hub.Map(), h.set.Hub.Len(), h.set.Hub.Columns()})
}

// mostDumps bounds the concurrent responses with all points, since each occupies a connection for
// as long as its reader takes.
const mostDumps = 64

// points sends all points as an Arrow stream, with headers that identify their map. All requests
// for the same state share the bytes.
func (h *Handler) points(w http.ResponseWriter, r *http.Request) {
	if h.dumps.Add(1) > mostDumps {
		h.dumps.Add(-1)
		web.Busy(w, r, fmt.Sprintf("all points are being sent to %d others", mostDumps))
		return
	}
	defer h.dumps.Add(-1)
	d, err := h.set.Hub.Dump()
	switch {
	case errors.Is(err, view.ErrBusy):
		web.Busy(w, r, "readers of earlier states take as much memory as all may")
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer d.Release()
	plain(w, stream.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(d.Size()))
	if d.Map != (view.MapState{}) {
		w.Header().Set(stream.HeaderMapID, d.Map.ID)
		w.Header().Set(headerEpoch, strconv.FormatUint(uint64(d.Map.Epoch), 10))
		w.Header().Set(stream.HeaderModelVersion, strconv.FormatUint(d.Map.Version, 10))
	}
	_, _ = d.WriteTo(w) // only the client's connection can fail here
}

// point sends the point with an id, and its nearest points on the map.
func (h *Handler) point(w http.ResponseWriter, r *http.Request) {
	k := 8
	if text := r.URL.Query().Get("neighbors"); text != "" {
		var err error
		if k, err = strconv.Atoi(text); err != nil || k < 0 || k > mostNear {
			http.Error(w, fmt.Sprintf("neighbors: %q is not a number from 0 to %d", text, mostNear), http.StatusBadRequest)
			return
		}
	}
	p, near, there := h.set.Hub.Point(r.PathValue("id"), k)
	if !there {
		http.Error(w, "there is no point of this id", http.StatusNotFound)
		return
	}
	h.sendJSON(w, r, struct {
		view.Point
		Neighbors []view.Near `json:"neighbors"`
	}{p, near})
}

// AnswerBytes bounds the bytes of JSON that are queued for readers.
const AnswerBytes = 16 << 20

func (h *Handler) sendJSON(w http.ResponseWriter, r *http.Request, v any) {
	if h.answers.Load() > AnswerBytes {
		web.Busy(w, r, "too many answers wait for their readers")
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	n := int64(len(text))
	h.answers.Add(n)
	defer h.answers.Add(-n)
	plain(w, emit.JSONType)
	_, _ = w.Write(append(text, '\n')) // only the client's connection can fail here
}

// plain sets the headers of a response that is not a page.
func plain(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
}
