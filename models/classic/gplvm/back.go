package gplvm

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/quantile"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// Back is a smooth map from vectors to places: the mean of Gaussian processes x_c(y) with an rbf
// and a white kernel. Near vectors get near places. It is a back constraint in the sense of N.
// Lawrence and J. Quiñonero-Candela (ICML 2006), but fitted to places that were learnt without it.
type Back struct {
	// Theta are gamma, the variance, which is 1, and the white noise. Weights are n x q.
	Theta   []float64
	Weights vec.Matrix[float64]
	// Residual is the leave-one-out error of learnt places: the root mean square distance per
	// coordinate.
	Residual float64

	points *kernel.Points
}

// backKernel has the parameters of Back.Theta.
var backKernel = kernel.New(kernel.RBF{}, kernel.White{})

// backWidths and backNoise are the candidates of NewBack: exp(-1/2 d^2/w) between vectors whose
// squared distance d^2 is w times the median.
var (
	backWidths = []float64{0.02, 0.05, 0.1, 0.2, 0.5, 1, 2}
	backNoise  = []float64{1e-3, 1e-2, 1e-1}
)

// NewBack returns the map from the rows of y to those of x, for n points. Of all widths and noises
// it chooses those with the least leave-one-out error, which has a closed form: x_i - x(y_i) =
// weights_i / (K^-1)_ii.
func NewBack(y, x vec.Matrix[float64], threads int) (*Back, error) {
	scale := medianDistance2(y)
	if !(scale > 0) {
		return nil, fmt.Errorf("gplvm: cannot make the smooth map: most vectors are equal")
	}
	points := kernel.NewPoints(y)
	var best *Back
	k := vec.New[float64](y.Rows, y.Rows)
	for _, width := range backWidths {
		for _, noise := range backNoise {
			b := &Back{Theta: []float64{1 / (width * scale), 1, noise}, Weights: vec.New[float64](x.Rows, x.Cols), points: points}
			if err := b.fit(k, x, threads); err != nil {
				return nil, err
			}
			if best == nil || b.Residual < best.Residual {
				best = b
			}
		}
	}
	return best, nil
}

// fit computes the weights and the residual. k is scratch memory.
func (b *Back) fit(k, x vec.Matrix[float64], threads int) error {
	backKernel.Matrix(k, b.Theta, b.points.Rows, threads)
	if _, err := spd.FactorJitter(k, threads); err != nil {
		return fmt.Errorf("gplvm: the smooth map: %w", err)
	}
	spd.Invert(k, threads)
	n, q := x.Rows, x.Cols
	g := gemm.Implementation{Threads: threads}
	g.Dgemm(gonum.NoTrans, gonum.NoTrans, n, q, n, 1, k.Data, n, x.Data, q, 0, b.Weights.Data, q)
	sum := 0.0
	for i := range n {
		sum += vec.SquaredNorm(b.Weights.Row(i)) / (k.Row(i)[i] * k.Row(i)[i])
	}
	b.Residual = math.Sqrt(sum / float64(n*q))
	return nil
}

// medianDistance2 returns the median squared distance of pairs of rows half of all
// rows apart.
func medianDistance2(y vec.Matrix[float64]) float64 {
	d := make([]float64, y.Rows)
	for i := range d {
		d[i] = vec.SquaredDistance(y.Row(i), y.Row((i+y.Rows/2)%y.Rows))
	}
	return quantile.Median(d)
}

// BackScratch is the scratch memory of Place for one goroutine.
type BackScratch struct {
	k    []float64
	room *kernel.Room
}

// NewScratch returns scratch memory for Place.
func (b *Back) NewScratch() *BackScratch {
	return &BackScratch{make([]float64, b.points.Len()), kernel.NewRoom(b.points)}
}

// Place sets x to the place of y, which is in the model's units.
func (b *Back) Place(x, y []float64, w *BackScratch) {
	backKernel.CrossRow(w.k, b.Theta, y, b.points, w.room)
	clear(x)
	for i, k := range w.k {
		for c, v := range b.Weights.Row(i) {
			x[c] += k * v
		}
	}
}
