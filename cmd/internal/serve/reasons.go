package serve

import (
	"cmp"
	"context"
	"net/http"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// someReasons is the default number of columns that explain an event.
const someReasons = 5

// Vector returns the vector of a reference point by its id, see embed.Map.Point. It returns a
// *Problem for an unknown id.
func (m *Model) Vector(id string) ([]float32, error) {
	if x, there := m.m.Point(id); there {
		return x, nil
	}
	return nil, Problemf(http.StatusNotFound, "no event of id %q is known by its vector: it is too old, or never came", id)
}

// VectorAt is Vector for the reference point at a place, see embed.Map.PointAt.
func (m *Model) VectorAt(place ...float32) (x []float32, there bool) { return m.m.PointAt(place...) }

// Vectors returns a function for the vectors of reference points of the current map by their ids. It
// returns nil if a vector is unknown, or if there is no map.
func Vectors(current func() (*Model, error)) func(id string) []float32 {
	return func(id string) []float32 {
		m, err := current()
		if err != nil {
			return nil
		}
		x, _ := m.m.Point(id)
		return x
	}
}

// Dim returns the number of values in a vector.
func (m *Model) Dim() int { return m.said.Dim }

// reasons answers GET /reasons/ID with the explanation that POST /place would return for that
// event.
func (h *Handler) reasons(w http.ResponseWriter, r *http.Request) {
	answer, err := h.explained(w, r)
	if err != nil {
		problemOf(err, http.StatusInternalServerError).write(w)
		return
	}
	h.reply(w, emit.JSONType, answer)
}

func (h *Handler) explained(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	o, err := h.asked(r)
	if err != nil {
		return nil, err
	}
	o.Explain.Columns = cmp.Or(o.Explain.Columns, someReasons)
	done, err := h.turn(w, r)
	if err != nil {
		return nil, err
	}
	defer done()
	m, err := h.set.Current.model()
	if err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	x, err := h.set.Vector(m, id)
	if err != nil {
		return nil, err
	}
	if len(x) != m.said.Dim {
		return nil, Problemf(http.StatusNotFound, "event %q is of a map of %d values; those of this map have %d", id, len(x), m.said.Dim)
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.set.Limits.Time)
	defer cancel()
	at, err := m.explain(ctx, id, x, o)
	if err != nil {
		return nil, problemOf(err, http.StatusUnprocessableEntity)
	}
	return h.placer.writeJSON(at)
}

// explain places one event by its vector and explains its novelty.
func (m *Model) explain(ctx context.Context, id string, x []float32, o Options) (placed, error) {
	asked, err := m.m.AskVectors(ctx, table.StringColumn(emit.IDName, []string{id}), vec.Of(1, len(x), x))
	if err != nil {
		return placed{}, err
	}
	if err := asked.Explain(ctx, o.Explain); err != nil {
		return placed{}, err
	}
	out := placed{Output: asked.All()}
	if o.Neighbors > 0 {
		out.near, err = m.nearest(ctx, m.m, asked, o.Neighbors)
	}
	return out, err
}
