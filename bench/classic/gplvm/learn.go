package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// mistakes counts rows whose nearest other row on the map has another label.
func mistakes(x vec.Matrix[float64], label []int) (wrong int) {
	for i := range x.Rows {
		best, at := math.Inf(1), i
		for j := range x.Rows {
			if d := vec.SquaredDistance(x.Row(i), x.Row(j)); j != i && d < best {
				best, at = d, j
			}
		}
		if label[i] != label[at] {
			wrong++
		}
	}
	return wrong
}

// way is a method of learning.
type way func(*gplvm.Model, context.Context, *gplvm.Point, optimize.Settings) (optimize.Result, error)

// within returns settings of Algorithm 1 with the given numbers of iterations per round, for the
// kernel and for each point. The paper does not state these numbers.
func within(active, rounds, steps int) gplvm.SparseSettings {
	return gplvm.SparseSettings{Active: active, Rounds: rounds, KernelSteps: steps, PointSteps: steps}
}

// sparse learns all rows of y with Algorithm 1 and returns the places and the process of the active
// set.
func (b *bench) sparse(ctx context.Context, name string, noise gplvm.Noise, y vec.Matrix[float64], set gplvm.SparseSettings) (vec.Matrix[float64], *gplvm.Active, error) {
	none := vec.Matrix[float64]{}
	k, err := kernel.Parse(name)
	if err != nil {
		return none, nil, err
	}
	m, err := gplvm.New(k, y, b.threads)
	if err != nil {
		return none, nil, err
	}
	p, err := m.Begin(ctx, gplvm.StartPCA, 2, 1)
	if err != nil {
		return none, nil, err
	}
	s := gplvm.NewSparse(k, noise, y, b.threads)
	set.Observe = func(round int, value float64) bool {
		fmt.Fprintf(b.log, "  round %d of %s: %.1f\n", round, name, value)
		return true
	}
	chosen, err := s.Learn(ctx, p, set)
	if err != nil {
		return none, nil, err
	}
	a, err := chosen.Active(p.Theta, p.X)
	return p.X, a, err
}

// located are the places of vectors, NaN where values are missing.
type located struct {
	x       vec.Matrix[float64]
	mean    vec.Matrix[float64] // the predictions at the places
	seconds float64             // per vector, on one thread
}

// locate places the rows of y. For each it starts from the places x of the starts rows of seen that
// are nearest in its observed values, and keeps the most likely result.
func (b *bench) locate(ctx context.Context, a *gplvm.Active, y, seen, x vec.Matrix[float64], starts int) (*located, error) {
	return b.locateFrom(ctx, a, y, x, func(_ int, row []float64) []int { return nearest(row, seen, starts) })
}

// locateFrom is locate with the start rows given by starts for each row of y.
func (b *bench) locateFrom(ctx context.Context, a *gplvm.Active, y, x vec.Matrix[float64], starts func(i int, row []float64) []int) (*located, error) {
	l := &located{x: vec.New[float64](y.Rows, x.Cols), mean: vec.New[float64](y.Rows, y.Cols)}
	const size = 8
	spent, failed := make([]time.Duration, par.Pieces(y.Rows, size)), make([]error, par.Pieces(y.Rows, size))
	par.Ranges(b.threads, y.Rows, size, func(piece, from, to int) {
		w, variance := a.NewScratch(), make([]float64, y.Cols)
		begin := time.Now()
		for i := from; i < to; i++ {
			best := math.Inf(-1)
			for _, j := range starts(i, y.Row(i)) {
				at := slices.Clone(x.Row(j))
				value, err := a.Locate(ctx, y.Row(i), at, w, optimize.Settings{Steps: 20, StepTolerance: 1e-3, ValueTolerance: math.MaxFloat64})
				if err != nil {
					failed[piece] = err
					return
				}
				if value > best {
					best = value
					copy(l.x.Row(i), at)
				}
			}
			a.Predict(l.mean.Row(i), variance, l.x.Row(i), w)
			vec.Axpy(1, a.Bias(), l.mean.Row(i))
		}
		spent[piece] = time.Since(begin)
	})
	for piece, d := range spent {
		if failed[piece] != nil {
			return nil, failed[piece]
		}
		l.seconds += d.Seconds() / float64(y.Rows)
	}
	return l, nil
}

// nearest returns the rows of seen that are nearest to y in its observed values (not NaN).
func nearest(y []float64, seen vec.Matrix[float64], count int) []int {
	d, rows := make([]float64, seen.Rows), make([]int, seen.Rows)
	for j := range rows {
		rows[j] = j
		for c, v := range y {
			if e := v - seen.Row(j)[c]; !math.IsNaN(e) {
				d[j] += e * e
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
	return rows[:min(count, len(rows))]
}

// moved returns places with random normal changes of standard deviation spread.
func moved(x vec.Matrix[float64], spread float64, seed uint64) vec.Matrix[float64] {
	rnd := rand.New(rand.NewPCG(seed, 9))
	out := x.Clone()
	for i := range out.Data {
		out.Data[i] += spread * rnd.NormFloat64()
	}
	return out
}

// ranks returns the ranks of values, averaged for equal ones.
func ranks(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, a := range v {
		for _, b := range v {
			if b < a {
				out[i]++
			} else if b == a {
				out[i] += 0.5
			}
		}
	}
	return out
}

// rankCorrelation is Spearman's.
func rankCorrelation(a, b []float64) float64 { return stat.Correlation(ranks(a), ranks(b), nil) }

// explained returns the share of the variance of v that is linear in the coordinates of x.
func explained(x vec.Matrix[float64], v []float64) float64 {
	one := mat.NewDense(x.Rows, x.Cols+1, nil)
	for i := range x.Rows {
		one.SetRow(i, append(slices.Clone(x.Row(i)), 1))
	}
	var solved mat.VecDense
	if err := solved.SolveVec(one, mat.NewVecDense(len(v), v)); err != nil {
		return math.NaN()
	}
	var fitted mat.VecDense
	fitted.MulVec(one, &solved)
	return stat.RSquaredFrom(fitted.RawVector().Data, v, nil)
}

// standardized returns y with mean 0 and a mean square of 1 over all elements.
func standardized(y vec.Matrix[float64]) vec.Matrix[float64] {
	out := centred(y)
	vec.Scale(1/deviation(y), out.Data)
	return out
}

// deviation returns the root mean square of the elements of y minus their columns' means.
func deviation(y vec.Matrix[float64]) float64 {
	return math.Sqrt(vec.SquaredNorm(centred(y).Data) / float64(len(y.Data)))
}

func centred(y vec.Matrix[float64]) vec.Matrix[float64] {
	out, mean := y.Clone(), make([]float64, y.Cols)
	for i := range y.Rows {
		vec.Axpy(1/float64(y.Rows), y.Row(i), mean)
	}
	for i := range y.Rows {
		vec.Axpy(-1, mean, out.Row(i))
	}
	return out
}

// sparseErrors adds the errors of Algorithm 1 with either kernel to a table, next to the paper's,
// and draws both maps on their precision as NAME-KERNEL.png.
func (b *bench) sparseErrors(ctx context.Context, t *table, name string, y vec.Matrix[float64], label []int, set gplvm.SparseSettings, paperRBF, paperMLP string) error {
	for _, c := range []struct{ name, kernel, paper string }{{"rbf", rbf, paperRBF}, {"mlp", mlp, paperMLP}} {
		begin := time.Now()
		x, a, err := b.sparse(ctx, c.kernel, gplvm.Gaussian{Variance: gplvm.DefaultVariance}, y, set)
		if err != nil {
			return err
		}
		t.row(fmt.Sprintf("%d active, %s, %d rounds of %d iterations", set.Active, c.name, set.Rounds, set.KernelSteps), fmt.Sprint(mistakes(x, label)), c.paper, seconds(begin))
		if err := shade(filepath.Join(b.figures, name+"-"+c.name+".png"), a, y.Cols, x, label); err != nil {
			return err
		}
	}
	return nil
}
