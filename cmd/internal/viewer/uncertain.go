package viewer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"unfold/stream/view"
)

// Numbers of points in responses to GET /api/uncertain: the maximum and the default.
const (
	mostUncertain = 100
	someUncertain = 10
)

// spare is the number of candidates that are predicted again for each returned point, because
// uncertain points may have become certain.
const spare = 2

// Again predicts the classes of points again with the current map. It sets the entropy and classes
// of the points that it knows, and leaves the others unchanged.
type Again func(ctx context.Context, points []view.Uncertain) error

// uncertain sends the points whose class is least certain, the least certain first.
func (h *Handler) uncertain(w http.ResponseWriter, r *http.Request) {
	n := someUncertain
	if text := r.URL.Query().Get("n"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > mostUncertain {
			http.Error(w, fmt.Sprintf("n: %q is not a number from 1 to %d", text, mostUncertain), http.StatusBadRequest)
			return
		}
	}
	points, err := h.leastCertain(r.Context(), n)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	h.sendJSON(w, r, struct {
		Map    view.MapState    `json:"map"`
		Points []view.Uncertain `json:"points"`
	}{h.set.Hub.Map(), points})
}

func (h *Handler) leastCertain(ctx context.Context, n int) ([]view.Uncertain, error) {
	if h.set.Again == nil {
		return h.set.Hub.Uncertain(n), nil
	}
	// One request at a time, because each places vectors.
	select {
	case h.again <- struct{}{}:
		defer func() { <-h.again }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	points := h.set.Hub.Uncertain(spare * n)
	if err := h.set.Again(ctx, points); err != nil {
		return nil, err
	}
	slices.SortStableFunc(points, func(a, b view.Uncertain) int { return cmp.Compare(b.Entropy, a.Entropy) })
	return points[:min(n, len(points))], nil
}
