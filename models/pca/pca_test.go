package pca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
)

// cloud makes n vectors around a mean far from 0. Their standard deviations along dim random
// directions decrease from 1 by the given factor.
func cloud(seed uint64, n, dim int, fall float64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 7))
	turn := mat.NewDense(dim, dim, nil)
	for i := range turn.RawMatrix().Data {
		turn.RawMatrix().Data[i] = r.NormFloat64()
	}
	orthonormal(turn)
	x := vec.New[float32](n, dim)
	a := mat.NewVecDense(dim, nil)
	var b mat.VecDense
	for i := range n {
		for k := range dim {
			a.SetVec(k, r.NormFloat64()*math.Pow(fall, float64(k)))
		}
		b.MulVec(turn, a)
		for j := range dim {
			x.Row(i)[j] = float32(b.AtVec(j) + 10*float64(j%7))
		}
	}
	return x
}

// oracle computes PCA by gonum's singular value decomposition of the centred data.
func oracle(x vec.Matrix[float32], q int) (variance []float64, components *mat.Dense) {
	d := mat.NewDense(x.Rows, x.Cols, vec.Convert[float64](x).Data)
	var pc stat.PC
	if !pc.PrincipalComponents(d, nil) {
		panic("oracle failed")
	}
	var v mat.Dense
	pc.VectorsTo(&v)
	variance = pc.VarsTo(nil)
	scale := float64(x.Rows-1) / float64(x.Rows)
	for i := range variance {
		variance[i] *= scale
	}
	return variance[:q], mat.DenseCopyOf(v.Slice(0, x.Cols, 0, q))
}

// agree compares p with the oracle: variances, and components up to sign.
func agree(t *testing.T, p *PCA, x vec.Matrix[float32], q int, tol float64) {
	t.Helper()
	variance, v := oracle(x, q)
	for k := range q {
		if d := math.Abs(p.Variance[k] - variance[k]); d > tol*variance[0] {
			t.Errorf("variance %d is %g, want %g", k, p.Variance[k], variance[k])
		}
		var dot float64
		for j, c := range p.Components.Row(k) {
			dot += float64(c) * v.At(j, k)
		}
		if d := 1 - math.Abs(dot); d > tol*100 {
			t.Errorf("component %d: |cosine| to the oracle's is 1 - %g", k, d)
		}
		if row := p.Components.Row(k); slices.Max(row) < -slices.Min(row) {
			t.Errorf("component %d: the entry of largest magnitude is negative", k)
		}
	}
}

// orthonormalRows checks that the components are orthonormal.
func orthonormalRows(t *testing.T, v vec.Matrix[float32]) {
	t.Helper()
	for i := range v.Rows {
		for j := range i + 1 {
			want := 0.
			if i == j {
				want = 1
			}
			if d := math.Abs(vec.Dot(v.Row(i), v.Row(j)) - want); d > 1e-6 {
				t.Errorf("components %d and %d: product is off by %g", i, j, d)
			}
		}
	}
}

func TestDenseAgreesWithSVD(t *testing.T) {
	for _, c := range []struct{ n, dim, q int }{{300, 5, 5}, {1000, 70, 8}, {700, 250, 12}, {40, 90, 10}} {
		x := cloud(1, c.n, c.dim, 0.8)
		p, err := Fit(context.Background(), x, c.q, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		agree(t, p, x, c.q, 1e-6)
		orthonormalRows(t, p.Components)
		if p.Iterations != 0 {
			t.Errorf("%d columns were solved by iteration", c.dim)
		}
	}
}

// Both iterative methods, with and without C as a matrix, agree with the dense solver.
func TestIterativeAgreesWithSVD(t *testing.T) {
	const q = 6
	x := cloud(2, 400, 120, 0.85)
	for _, formed := range []bool{true, false} {
		c := &covariance{x: x, mean: mean(x, 0)}
		if formed {
			if err := c.form(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		p, err := krylov(context.Background(), c, q, c.threads, Settings{Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		for k := range q {
			orient(p.Components.Row(k))
		}
		agree(t, p, x, q, 1e-6)
		if p.Residual > 1e-6 || p.Iterations >= maxRounds {
			t.Errorf("formed %v: residual %g after %d rounds", formed, p.Residual, p.Iterations)
		}
	}
}

// The iteration is used, and accurate, up to the largest share of components that it supports.
// Beyond it Fit uses the dense solver.
func TestIterationOrDirect(t *testing.T) {
	const q = 4
	dim := (depth + 1) * carried(q)
	x := cloud(5, 200, dim, 0.8)
	p, err := krylov(context.Background(), &covariance{x: x, mean: mean(x, 0)}, q, 0, Settings{Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	for k := range q {
		orient(p.Components.Row(k))
	}
	agree(t, p, x, q, 1e-6)
	for _, c := range []struct {
		dim, q int
		want   bool
	}{{256, 1, true}, {257, 1, false}, {784, 50, false}, {784, 120, true}, {1100, 50, false}, {1100, 300, true}, {1100, 1100, true}, {5000, 1200, false}, {5000, 1500, true}} {
		if got := direct(c.dim, c.q); got != c.want {
			t.Errorf("%d of %d components: direct is %v", c.q, c.dim, got)
		}
	}
	for _, c := range []struct {
		dim, q int
		want   bool
	}{{512, 100, true}, {784, 64, false}, {784, 120, false}, {784, 256, false}, {784, 384, true}, {1100, 300, false}} {
		if got := whole(c.dim, c.q); got != c.want {
			t.Errorf("%d of %d components of rows in full: all eigenvectors are computed: %v", c.q, c.dim, got)
		}
	}
}

// Many components of many columns explain the same variance as the exact eigenvectors, within the
// promised tolerance.
func TestManyComponents(t *testing.T) {
	x := cloud(8, 700, maxWhole+1, 0.99)
	const q = narrow + 1
	p, err := Fit(context.Background(), x, q, Settings{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if p.Iterations == 0 || p.Residual > 1e-3 {
		t.Errorf("%d rounds, residual %g", p.Iterations, p.Residual)
	}
	orthonormalRows(t, p.Components)
	c := &covariance{x: x, mean: mean(x, 0)}
	if err := c.formDouble(context.Background()); err != nil {
		t.Fatal(err)
	}
	best, err := dense(c, q)
	if err != nil {
		t.Fatal(err)
	}
	var got, want float64
	for k := range q {
		got, want = got+p.Variance[k], want+best.Variance[k]
	}
	if got > want*(1+1e-6) || got < want*(1-1e-4) {
		t.Errorf("the components explain %g, the best %g", got, want)
	}
}

func TestWideDataIsSolvedByIteration(t *testing.T) {
	// 30 rows with 2100 columns have rank 29, and C is never formed.
	r := rand.New(rand.NewPCG(3, 3))
	x := vec.New[float32](30, 2100)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64() * float64(1+i/2100%5))
	}
	c := &covariance{x: x, mean: mean(x, 0)}
	p, err := krylov(context.Background(), c, 4, c.threads, Settings{Tolerance: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	p.Mean = vec.Convert[float32](vec.Of(1, x.Cols, c.mean)).Data
	if p.Iterations == 0 || p.Residual > 1e-5 {
		t.Errorf("%d rounds, residual %g", p.Iterations, p.Residual)
	}
	orthonormalRows(t, p.Components)
	// The variance of the projections equals Variance.
	z := p.Projector().Apply(x, 0)
	for k := range 4 {
		var s, s2 float64
		for i := range z.Rows {
			s += float64(z.Row(i)[k])
			s2 += float64(z.Row(i)[k]) * float64(z.Row(i)[k])
		}
		n := float64(z.Rows)
		if v := s2/n - s/n*s/n; math.Abs(v-p.Variance[k]) > 1e-4*p.Variance[0] {
			t.Errorf("projections on component %d have variance %g, want %g", k, v, p.Variance[k])
		}
	}
}

func TestConstantColumnsAndRankDeficiency(t *testing.T) {
	x := vec.New[float32](50, 6)
	for i := range 50 {
		x.Row(i)[1], x.Row(i)[3] = float32(i), 5
	}
	p, err := Fit(context.Background(), x, 6, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	orthonormalRows(t, p.Components)
	if p.Components.Row(0)[1] < 0.999999 || p.Variance[1] > 1e-9*p.Variance[0] {
		t.Errorf("components %v, variances %v: want the second column alone", p.Components.Row(0), p.Variance)
	}
	if d := math.Abs(p.Total - p.Variance[0]); d > 1e-9*p.Total {
		t.Errorf("total variance %g, want %g", p.Total, p.Variance[0])
	}
}

// The covariance of few columns is the same by rows and by tiles, and by rows to the bit for any
// number of threads.
func TestRowsAgreeWithTiles(t *testing.T) {
	x := vec.New[float32](fewProducts/(40*40)+1, 40)
	r := rand.New(rand.NewPCG(3, 7))
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64() + float64(i%40))
	}
	tiles := &covariance{x: x, mean: mean(x, 2), threads: 2}
	if err := tiles.formByTiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, threads := range []int{1, 3} {
		rows := &covariance{x: x, mean: tiles.mean, threads: threads}
		if err := rows.form(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := rows.gram.RawSymmetric().Data
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d threads give other bits than one", threads)
		}
		for i := range x.Cols {
			for j := i; j < x.Cols; j++ {
				if d := math.Abs(rows.gram.At(i, j) - tiles.gram.At(i, j)); d > 1e-12 {
					t.Fatalf("element %d, %d differs by %g", i, j, d)
				}
			}
		}
	}
}

func TestFitDoesNotDependOnThreads(t *testing.T) {
	x := cloud(4, 900, 130, 0.9)
	var want *PCA
	for _, procs := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(procs)
		p, err := Fit(context.Background(), x, 7, Settings{Threads: procs})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = p
		}
		if !slices.Equal(p.Components.Data, want.Components.Data) || !slices.Equal(p.Mean, want.Mean) || !slices.Equal(p.Variance, want.Variance) {
			t.Errorf("%d threads give other bits than one", procs)
		}
	}
}

// Transform gives a row the same bits alone, in any batch and in any order.
func TestTransformIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 40).Draw(t, "dim")
		q := rapid.IntRange(1, dim).Draw(t, "q")
		n := rapid.IntRange(1, 200).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		values := func(n int) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
			return v
		}
		mean, components := values(dim), vec.Of(q, dim, values(q*dim))
		p := NewProjector(mean, components)
		x := vec.Of(n, dim, values(n*dim))
		all := p.Apply(x, rapid.IntRange(1, 4).Draw(t, "threads"))
		order := r.Perm(n)
		mixed := p.Apply(vec.Take(x, order), 2)
		for k, i := range order {
			if !slices.Equal(mixed.Row(k), all.Row(i)) || !slices.Equal(p.Apply(x.Slice(i, i+1), 1).Row(0), all.Row(i)) {
				t.Fatalf("row %d has other bits in another batch", i)
			}
			// And it is the formula.
			for j := range q {
				var s float64
				for e, v := range x.Row(i) {
					s += float64((float64(v) - float64(mean[e])) * float64(components.Row(j)[e]))
				}
				if float32(s) != all.Row(i)[j] {
					t.Fatalf("z_%d,%d is %g, want %g", i, j, all.Row(i)[j], s)
				}
			}
		}
	})
}

func TestFitErrors(t *testing.T) {
	x := cloud(5, 20, 4, 0.5)
	bad := x.Clone()
	bad.Row(3)[2] = float32(math.Inf(1))
	var row *models.RowError
	if _, err := Fit(context.Background(), bad, 2, Settings{}); !errors.As(err, &row) || row.Row != 3 || row.Column != 2 {
		t.Errorf("got %v, want a RowError for row 3, column 2", err)
	}
	for name, err := range map[string]error{
		"no components":       second(Fit(context.Background(), x, 0, Settings{})),
		"too many components": second(Fit(context.Background(), x, 5, Settings{})),
		"no rows":             second(Fit(context.Background(), x.Slice(0, 0), 2, Settings{})),
	} {
		if !models.IsBadInput(err) {
			t.Errorf("%s: got %v, want bad input", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, x, 2, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func ExampleFit() {
	// Points near the line y = 2x.
	x := vec.Of(4, 2, []float32{0, 0, 1, 2, 2, 4, 3, 6})
	p, err := Fit(context.Background(), x, 1, Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.1f\n", p.Mean)
	fmt.Printf("direction %.3f\n", p.Components.Row(0))
	fmt.Printf("explained %.0f%%\n", 100*p.Variance[0]/p.Total)
	fmt.Printf("z %.3f\n", p.Projector().Apply(x, 0).Data)
	// Output:
	// mean [1.5 3.0]
	// direction [0.447 0.894]
	// explained 100%
	// z [-3.354 -1.118 1.118 3.354]
}

func BenchmarkFit(b *testing.B) {
	x := cloud(6, 7000, 784, 0.98)
	for b.Loop() {
		if _, err := Fit(context.Background(), x, 50, Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	x := cloud(6, 1000, 784, 0.98)
	p, err := Fit(context.Background(), x, 50, Settings{})
	if err != nil {
		b.Fatal(err)
	}
	proj := p.Projector()
	for b.Loop() {
		proj.Apply(x, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
}
