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

// Numbers of points that GET /api/uncertain names: at most, and if nobody asks for another number.
const (
	mostUncertain = 100
	someUncertain = 10
)

// spare is how many candidates are predicted again for each point that is named, since points that
// were uncertain may no longer be.
const spare = 2

// Again predicts the classes of points anew, on the map in use. It sets the entropy and classes of
// the points that it knows, and leaves the others as they are.
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
	// One at a time: a request places vectors.
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
