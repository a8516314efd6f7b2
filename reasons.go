package unfold

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/reasons"
)

// Reason is the contribution of one element of a vector to its novelty.
type Reason struct {
	// Element is the index of the element. Columns has the names of elements, if there are any.
	Element int
	// Share is its share of the row's mean distance to its nearest points, on which NoveltyGlobal
	// depends. The shares of all elements sum to 1, unless the distance is 0.
	Share float64
	// Value is the element, and Expected its mean over the nearest points (through the projection,
	// if there is one).
	Value, Expected float64
}

// Explain returns the reasons for the novelty of each row of x (n x Dim): the elements with the
// largest positive shares, largest first, at most count of them. The shares are exact, not sampled.
// A map without vectors, as of a graph, is bad input; other errors are those of Place.
func (m *Map) Explain(ctx context.Context, x mat.Matrix, count int) ([][]Reason, error) {
	v := m.now.Load()
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	if v.snap.Graph != nil {
		return nil, public(models.BadInputf("reasons: the map of a graph has no vectors"), 0)
	}
	if count < 1 {
		return nil, public(models.BadInputf("reasons: the count is %d, and must be at least 1", count), 0)
	}
	explainer := reasons.New(v.snap, m.threads)
	out := make([][]Reason, from.rows)
	err = from.each(ctx, func(first int, rows vec.Matrix[float32]) error {
		at, err := v.placer.Place(ctx, rows)
		if err != nil {
			return err
		}
		if at.Near == nil {
			return models.BadInputf("reasons: maps of kind %s have none", v.snap.Kind)
		}
		all := make([]int, rows.Rows)
		for i := range all {
			all[i] = i
		}
		return explainer.Each(ctx, rows, at.Near, all, func(i int, s *reasons.Split) { out[first+i] = v.largest(s, count) })
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// largest returns the reasons with the largest shares.
func (v *view) largest(s *reasons.Split, count int) []Reason {
	elements := make([]reasons.Column, len(s.Amount))
	for e := range elements {
		elements[e] = reasons.Column{From: e, To: e + 1}
	}
	top := slices.Clip(s.Top(nil, elements, min(count, len(elements))))
	out := make([]Reason, len(top))
	for i, t := range top {
		r := &out[i]
		*r = Reason{Element: t.Column, Share: t.Amount / s.Global, Value: s.Own(t.Column)}
		for j := range s.Index {
			r.Expected += s.Seen(j, t.Column) / float64(len(s.Index))
		}
		r.Value += v.shift(t.Column)
		r.Expected += v.shift(t.Column)
	}
	return out
}
