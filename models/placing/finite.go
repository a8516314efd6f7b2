package placing

import (
	"errors"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/projection"
	"unfold/models/snapshot"
)

// CheckPlaced returns a *models.RowError for the first row whose place, scale or novelty is not
// finite. Such a number would spoil every downstream mean that includes it.
func CheckPlaced(at models.Placed) error {
	for i, sigma := range at.Sigma {
		wrong := func(result string, v float32) error {
			return &models.RowError{Row: i, Column: -1, Result: result, Value: float64(v)}
		}
		for _, v := range at.Mu.Row(i) {
			if v-v != 0 {
				return wrong("place", v)
			}
		}
		if sigma-sigma != 0 {
			return wrong("scale", sigma)
		}
		for _, v := range []float32{at.NoveltyLocal[i], at.NoveltyGlobal[i]} {
			if v-v != 0 {
				return wrong("novelty", v)
			}
		}
	}
	return nil
}

// Probes returns up to most vectors, m x Dim, between the reference points of s but different from
// them. Each has the first half of its elements from one point and the second half from another. A
// map of a graph has none.
func Probes(s *snapshot.Snapshot, most int) vec.Matrix[float32] {
	if s.Graph != nil {
		return vec.Matrix[float32]{Cols: s.Dim}
	}
	p, n, q := projection.Of(s), s.Reference.Rows, s.Reference.Cols
	z := vec.New[float32](min(most, n-1), q)
	for i := range z.Rows {
		a, b := i*(n-1)/z.Rows, n-1-i*(n-1)/z.Rows
		if a == b {
			b = a + 1
		}
		copy(z.Row(i), s.Reference.Row(a))
		copy(z.Row(i)[q/2:], s.Reference.Row(b)[q/2:])
	}
	if p.Identity() {
		return z
	}
	x := vec.New[float32](z.Rows, s.Dim)
	for i := range z.Rows {
		p.Undo(x.Row(i), z.Row(i))
	}
	return x
}

// probes is the number of vectors that Probe places.
const probes = 4

// Probe places some vectors. It returns an error that matches models.ErrBadInput if the model's
// numbers, each of which is finite, lead to places that are not. place places vectors and checks
// all results. Probe ignores other errors, which do not concern the model.
func Probe(s *snapshot.Snapshot, place func(x vec.Matrix[float32]) error) error {
	x := Probes(s, probes)
	if x.Rows == 0 {
		return nil
	}
	var re *models.RowError
	if err := place(x); errors.As(err, &re) && re.Result != "" {
		return models.BadInputf("the model computes a %s of %g for a vector among its own points: the file is damaged, copy it again or take an older one", re.Result, re.Value)
	}
	return nil
}
