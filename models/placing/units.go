package placing

import (
	"math"

	"unfold/internal/vec"
)

// Units are the units of a model that centres and scales its data: y = (x - Shift) Scale.
type Units struct {
	Shift []float64
	Scale float64
}

// Centred returns the units in which the rows of x have the mean 0, and a Scale of 1.
func Centred(x vec.Matrix[float32]) Units {
	u := Units{Shift: make([]float64, x.Cols), Scale: 1}
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			u.Shift[c] += float64(v) / float64(x.Rows)
		}
	}
	return u
}

// Observed returns the units in which the observed values of every column of x have mean 0, and all
// of them a mean square of 1. The shift of a column without any is NaN.
func Observed(x vec.Matrix[float32]) Units {
	u := Units{Shift: make([]float64, x.Cols), Scale: 1}
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

// Apply sets y to x in the model's units.
func (u Units) Apply(y []float64, x []float32) {
	for c, v := range x {
		y[c] = (float64(v) - u.Shift[c]) * u.Scale
	}
}

// All returns the rows of x in the model's units.
func (u Units) All(x vec.Matrix[float32]) vec.Matrix[float64] {
	y := vec.New[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		u.Apply(y.Row(i), x.Row(i))
	}
	return y
}

// Undo sets x to y in the data's units.
func (u Units) Undo(x []float32, y []float64) {
	for c, v := range y {
		x[c] = float32(v/u.Scale + u.Shift[c])
	}
}
