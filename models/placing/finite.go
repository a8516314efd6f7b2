package placing

import (
	"errors"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/projection"
	"unfold/models/snapshot"
)

// CheckPlaced returns a *models.RowError of the first row whose place, scale or novelty is not
// finite. Downstream no such number is of use, and one spoils every mean it goes into.
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

// Probes returns up to so many vectors, m x Dim, that lie among the reference points of s and are
// none of them: each has the first half of its elements from one and the others from another. A map
// of a graph has none.
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

// probes is how many vectors Probe places.
const probes = 4

// Probe places some vectors and returns an error that matches models.ErrBadInput if the model's
// numbers, each of which is finite, give places that are not. Place is that of a placer, with what
// else is computed of places. Other errors are not about the model, and no errors here.
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
