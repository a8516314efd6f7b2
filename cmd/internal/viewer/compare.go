package viewer

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"unfold/stream"
	"unfold/stream/view"
)

// compared computes comparisons one at a time, because each sorts all points.
type compared struct {
	turn chan struct{}
	// other is the comparison with Settings.Other, of a map that does not change.
	other []byte
}

// comparisons sends the list of maps that this map can be compared with.
func (h *Handler) comparisons(w http.ResponseWriter, r *http.Request) {
	out := struct {
		Other    string         `json:"other,omitempty"`
		Versions []view.Version `json:"versions"`
	}{Versions: h.set.Hub.Versions()}
	if h.set.Other != nil {
		out.Other = h.set.Other.Title()
	}
	h.sendJSON(w, r, out)
}

// errUnknownMap is returned for a map that is not kept.
var errUnknownMap = errors.New("there is no such map to compare with; /api/compare lists them")

// compare sends the places of the points on another map, and the number of neighbours that differ.
func (h *Handler) compare(w http.ResponseWriter, r *http.Request) {
	data, err := h.comparison(r.Context(), r.PathValue("map"))
	switch {
	case errors.Is(err, errUnknownMap):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		plain(w, stream.ContentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data) // only the client's connection can fail here
	}
}

// comparison returns the comparison with a map, as an Arrow stream.
func (h *Handler) comparison(ctx context.Context, name string) ([]byte, error) {
	select {
	case h.compared.turn <- struct{}{}:
		defer func() { <-h.compared.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if name == "other" && h.set.Other != nil {
		if h.compared.other != nil {
			return h.compared.other, nil
		}
		c, err := h.set.Hub.Compare(ctx, h.set.Other)
		if err != nil {
			return nil, err
		}
		h.compared.other, err = c.Encode()
		return h.compared.other, err
	}
	version, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return nil, errUnknownMap
	}
	c, known, err := h.set.Hub.CompareVersion(ctx, version)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errUnknownMap
	}
	return c.Encode()
}

// ways sends the ways of the categories of a column through the versions of the map.
func (h *Handler) ways(w http.ResponseWriter, r *http.Request) {
	versions, ways := h.set.Hub.Ways(r.URL.Query().Get("column"))
	h.sendJSON(w, r, struct {
		Versions []view.Version `json:"versions"`
		Ways     []view.Way     `json:"ways"`
	}{versions, ways})
}
