package gplvm

import (
	"context"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
)

// unitsOfObserved is newUnits for the observed values. The shift of a column without any is NaN.
func unitsOfObserved(x vec.Matrix[float32]) placing.Units {
	u := placing.Units{Shift: make([]float64, x.Cols), Scale: 1}
	count, sum, all := make([]float64, x.Cols), 0.0, 0.0
	each := func(f func(j int, v float64)) {
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				if v == v {
					f(j, float64(v))
				}
			}
		}
	}
	each(func(j int, v float64) { u.Shift[j] += v; count[j]++ })
	for j, n := range count {
		u.Shift[j] /= n
		all += n
	}
	each(func(j int, v float64) { sum += (v - u.Shift[j]) * (v - u.Shift[j]) })
	if sum > 0 {
		u.Scale = math.Sqrt(all / sum)
	}
	return u
}

// completed is a row with missing values that was not learnt, with its place.
type completed struct {
	row    int32
	mu     []float64
	sigma2 float64
}

// complete replaces the missing values of the rows of x by the predictions at their places.
func (f *Fitted) complete(ctx context.Context, x vec.Matrix[float32]) error {
	if !placing.AnyMissing(x.Data) {
		return nil
	}
	p, err := newPlacer(f)
	if err != nil {
		return err
	}
	w, learnt := p.invite(), p.learnt()
	for l, i := range f.Learnt {
		learnt.Fill(w, x.Row(int(i)), f.Point.X.Row(l))
	}
	seen := vec.Take(x, f.Learnt)
	for i := range x.Rows {
		if !placing.AnyMissing(x.Row(i)) {
			continue
		}
		mu, sigma2, err := learnt.Complete(ctx, w, x.Row(i), seen)
		if err != nil {
			return err
		}
		f.completed = append(f.completed, completed{int32(i), slices.Clone(mu), sigma2})
	}
	return ctx.Err()
}

// PlaceMissing implements models.Lenient; see placing.Placer.PlaceObserved.
func (p *Placer) PlaceMissing(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if err := p.checkEvents(x); err != nil {
		return models.Placed{}, err
	}
	return p.PlaceObserved(ctx, x)
}
