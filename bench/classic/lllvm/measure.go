package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"unfold/internal/vec"
)

// nearPoints is the number of nearest points on a map from which a point's place on the sheet or
// the land is estimated.
const nearPoints = 5

// kept measures how much of the true places in the plane a map preserves.
type kept struct {
	Affine  [2]float64 // R^2 of each true coordinate, see explained
	Nearest [2]float64 // the same, see nearest
	Alike   float64    // see alike; NaN for a map not in the plane
}

// keeps compares a map (n x d) with the true places (n x 2).
func keeps(x, truth vec.Matrix[float32]) (k kept, err error) {
	for c := range 2 {
		if k.Affine[c], err = explained(x, truth, c); err != nil {
			return k, err
		}
		k.Nearest[c] = nearest(x, truth, c)
	}
	if x.Cols != truth.Cols {
		k.Alike = math.NaN()
		return k, nil
	}
	k.Alike, err = alike(x, truth)
	return k, err
}

// cells returns the columns of a table.
func (k kept) cells() []float64 {
	return []float64{k.Affine[0], k.Affine[1], k.Nearest[0], k.Nearest[1], k.Alike}
}

// row returns a line of such a table, with the best values in bold.
func (k kept) row(first string, best []float64) string {
	text := "| " + first + " |"
	for c, v := range k.cells() {
		shown := fmt.Sprintf(" %.2f", v)
		if best != nil && shown == fmt.Sprintf(" %.2f", best[c]) {
			shown = " **" + shown[1:] + "**"
		}
		if math.IsNaN(v) {
			shown = ""
		}
		text += shown + " |"
	}
	return text + "\n"
}

// highest has the highest value of each column.
func highest(maps []kept) []float64 {
	best := maps[0].cells()
	for _, k := range maps[1:] {
		for c, v := range k.cells() {
			best[c] = max(best[c], v)
		}
	}
	return best
}

// explained returns R^2 of column c of the truth for an affine function of the map's columns. It is
// invariant under rotations, stretching and shearing of the map.
func explained(x, truth vec.Matrix[float32], c int) (float64, error) {
	design := mat.NewDense(x.Rows, x.Cols+1, nil)
	for col := range x.Cols {
		// Scaling makes a map that has shrunk almost to a point equal to a large one.
		v := column(x, col)
		mean, deviation := stat.MeanStdDev(v, nil)
		for i := range v {
			design.Set(i, col, (v[i]-mean)/deviation)
		}
	}
	for i := range x.Rows {
		design.Set(i, x.Cols, 1)
	}
	z := column(truth, c)
	var b, estimates mat.VecDense
	if err := b.SolveVec(design, mat.NewVecDense(len(z), z)); err != nil {
		return 0, err
	}
	estimates.MulVec(design, &b)
	return stat.RSquaredFrom(estimates.RawVector().Data, z, nil), nil
}

// nearest returns R^2 of column c of the truth for its mean over the nearest points on the map.
func nearest(x, truth vec.Matrix[float32], c int) float64 {
	z := column(truth, c)
	estimates := make([]float64, len(z))
	order, dist2 := make([]int, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			order[j], dist2[j] = j, vec.SquaredDistance(x.Row(i), x.Row(j))
		}
		dist2[i] = math.Inf(1)
		slices.SortStableFunc(order, func(j, k int) int { return cmp.Compare(dist2[j], dist2[k]) })
		for _, j := range order[:nearPoints] {
			estimates[i] += z[j] / nearPoints
		}
	}
	return stat.RSquaredFrom(estimates, z, nil)
}

// alike returns the share of the true places' variance that the map explains after rotation,
// reflection, translation and scaling (Procrustes):
//
//	(sum of singular values of X'Z)^2 / (|X|^2 |Z|^2), X and Z centred.
func alike(x, truth vec.Matrix[float32]) (float64, error) {
	centred := func(m vec.Matrix[float32]) *mat.Dense {
		out := mat.NewDense(m.Rows, m.Cols, nil)
		for c := range m.Cols {
			v := column(m, c)
			mean := stat.Mean(v, nil)
			for i := range v {
				out.Set(i, c, v[i]-mean)
			}
		}
		return out
	}
	a, z := centred(x), centred(truth)
	var cross mat.Dense
	cross.Mul(a.T(), z)
	var svd mat.SVD
	if !svd.Factorize(&cross, mat.SVDNone) {
		return 0, fmt.Errorf("a map of %d points has no singular values with its truth", x.Rows)
	}
	sum := 0.0
	for _, s := range svd.Values(nil) {
		sum += s
	}
	return math.Pow(sum/(mat.Norm(a, 2)*mat.Norm(z, 2)), 2), nil
}

// column is column c of a matrix.
func column(x vec.Matrix[float32], c int) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		out[i] = float64(x.Row(i)[c])
	}
	return out
}
