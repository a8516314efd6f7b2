package gplvm

import (
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// With probit noise, the data's values are 0 and 1, the model's -1 and 1, and decoded values are
// probabilities of 1.

// leastProbability keeps probabilities away from 0 and 1. 1 - 2^-24 is the largest single-precision
// number below 1.
const leastProbability = 0x1p-24

// CheckBinary returns a *models.RowError for the first value of x that is neither 0, nor 1, nor
// missing (NaN), or nil. names are the columns' names, or nil.
func CheckBinary(x vec.Matrix[float32], names []string) error {
	for i := range x.Rows {
		if j := notBinary(x.Row(i), nil); j >= 0 {
			return binaryError(x, i, j, names)
		}
	}
	return nil
}

// notBinary returns the first of the given columns, or of all if columns is nil, whose value is
// neither 0, nor 1, nor missing. It returns -1 if there is none.
func notBinary(row []float32, columns []int) int {
	bad := func(j int) bool { v := row[j]; return v == v && v != 0 && v != 1 }
	if columns == nil {
		for j := range row {
			if bad(j) {
				return j
			}
		}
		return -1
	}
	for _, j := range columns {
		if bad(j) {
			return j
		}
	}
	return -1
}

func binaryError(x vec.Matrix[float32], i, j int, names []string) error {
	e := &models.RowError{Row: i, Column: j, Value: float64(x.Row(i)[j]), Want: "noise " + NoiseProbit + " takes 0 and 1 alone"}
	if j < len(names) {
		e.Name = names[j]
	}
	return e
}

// binaryUnits maps 0 and 1 to -1 and 1.
func binaryUnits(columns int) placing.Units {
	u := placing.Units{Shift: make([]float64, columns), Scale: 2}
	for j := range u.Shift {
		u.Shift[j] = 0.5
	}
	return u
}

// Sites are the means and precisions of the Gaussians that approximate the likelihood of an active
// set's values (eq 15, 16), active x q.
type Sites struct{ M, Beta vec.Matrix[float64] }

// values sets dst to row i: whole numbers for probit noise, NaN where missing.
func (m *Model) values(dst []float64, i int, noise Noise) {
	m.Observed(dst, i)
	if noise.Name() == NoiseProbit {
		for j, v := range dst { // exactly their values before centring
			dst[j] = math.Round(v)
		}
	}
}

// sparse returns the sparse model of the learnt rows.
func (m *Model) sparse(noise Noise) *Sparse {
	y := vec.New[float64](m.y.Rows, m.y.Cols)
	for i := range y.Rows {
		m.values(y.Row(i), i, noise)
	}
	return NewSparse(m.kernel, noise, y, m.threads)
}

// binary reports whether values are 0 and 1.
func (f *Fitted) binary() bool { return f.Sites != nil }

// checkEvents is CheckBinary for events, restricted to the columns that remain after projection
// (projection.Select).
func (p *Placer) checkEvents(x vec.Matrix[float32]) error {
	if !p.by.binary() || p.snap.CheckDim(x.Cols) != nil {
		return nil
	}
	for i := range x.Rows {
		if j := notBinary(x.Row(i), p.columns); j >= 0 {
			return binaryError(x, i, j, p.snap.Names)
		}
	}
	return nil
}

// seenColumns returns the columns that the components select, or nil without components.
func seenColumns(s *snapshot.Snapshot) (columns []int) {
	for r := range s.Components.Rows {
		for j, v := range s.Components.Row(r) {
			if v != 0 {
				columns = append(columns, j)
			}
		}
	}
	return columns
}
