package sparse

import (
	"errors"
	"math"
	"slices"
	"testing"

	bowman "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// triplets are random entries of a small matrix with integer values, so that
// sums are exact in any order.
type triplets struct {
	n, m int
	i, j []int32
	w    []float64
}

func drawTriplets(t *rapid.T, square bool) triplets {
	var a triplets
	a.n = rapid.IntRange(1, 8).Draw(t, "n")
	a.m = a.n
	if !square {
		a.m = rapid.IntRange(1, 8).Draw(t, "m")
	}
	for range rapid.IntRange(0, 30).Draw(t, "entries") {
		a.i = append(a.i, int32(rapid.IntRange(0, a.n-1).Draw(t, "i")))
		a.j = append(a.j, int32(rapid.IntRange(0, a.m-1).Draw(t, "j")))
		a.w = append(a.w, float64(rapid.IntRange(-5, 5).Draw(t, "w")))
	}
	return a
}

func (a triplets) dense() *mat.Dense {
	d := mat.NewDense(a.n, a.m, nil)
	for p := range a.i {
		i, j := int(a.i[p]), int(a.j[p])
		d.Set(i, j, d.At(i, j)+a.w[p])
	}
	return d
}

func equalDense(t interface{ Fatalf(string, ...any) }, c *CSR, d mat.Matrix) {
	n, m := d.Dims()
	if c.N != n || c.M != m {
		t.Fatalf("%d x %d, want %d x %d", c.N, c.M, n, m)
	}
	if err := c.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	for i := range n {
		for j := range m {
			if got, want := c.At(i, int32(j)), d.At(i, j); got != want {
				t.Fatalf("entry (%d,%d) is %v, want %v", i, j, got, want)
			}
		}
	}
}

func TestFromTriplets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, false)
		c := FromTriplets(a.n, a.m, a.i, a.j, a.w)
		equalDense(t, c, a.dense())
		equalDense(t, c.Transpose(), a.dense().T())
		equalDense(t, c.Clone(), a.dense())
	})
}

func TestMulOverwrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, false)
		c := FromTriplets(a.n, a.m, a.i, a.j, a.w)
		d := rapid.IntRange(1, 5).Draw(t, "d")
		x, dst := vec.New[float64](a.m, d), vec.New[float64](a.n, d)
		for p := range x.Data {
			x.Data[p] = float64(p%7 - 3)
		}
		for p := range dst.Data {
			dst.Data[p] = math.NaN()
		}
		c.MulMat(dst, x)
		var want mat.Dense
		want.Mul(a.dense(), mat.NewDense(a.m, d, x.Data))
		if !slices.Equal(dst.Data, want.RawMatrix().Data) {
			t.Fatalf("got %v, want %v", dst.Data, want.RawMatrix().Data)
		}
		ones, sums := make([]float64, a.m), make([]float64, a.n)
		for p := range ones {
			ones[p] = 1
		}
		c.MulVec(sums, ones)
		if !slices.Equal(sums, c.RowSums(nil)) {
			t.Fatalf("row sums %v, products with ones %v", c.RowSums(nil), sums)
		}
	})
}

func TestMulMatRowsLeavesOthers(t *testing.T) {
	c := FromTriplets(3, 3, []int32{0, 1, 2}, []int32{0, 1, 2}, []float64{2, 3, 4})
	x := vec.Of(3, 1, []float64{1, 1, 1})
	dst := vec.Of(3, 1, []float64{-1, -1, -1})
	c.MulMatRows(dst, x, 1, 2)
	if want := []float64{-1, 3, -1}; !slices.Equal(dst.Data, want) {
		t.Fatalf("got %v, want %v", dst.Data, want)
	}
}

// Refilling a pattern through its slots gives the same matrix as assembly from triplets of both
// directions, however often it is refilled.
func TestPattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, true)
		c, slot, slotT := Pattern(a.n, a.i, a.j)
		for p := range a.i {
			if a.i[p] == a.j[p] {
				if slot[p] != -1 || slotT[p] != -1 {
					t.Fatalf("a loop has slots %d, %d", slot[p], slotT[p])
				}
				continue
			}
			if slot[p] != c.Find(int(a.i[p]), a.j[p]) || slotT[p] != c.Find(int(a.j[p]), a.i[p]) {
				t.Fatalf("pair %d: slots %d, %d", p, slot[p], slotT[p])
			}
		}
		for round := range 2 {
			w := slices.Clone(a.w)
			want := mat.NewDense(a.n, a.n, nil)
			for p := range w {
				w[p] *= float64(round + 1)
				i, j := int(a.i[p]), int(a.j[p])
				if i != j {
					want.Set(i, j, want.At(i, j)+w[p])
					want.Set(j, i, want.At(j, i)+w[p])
				}
			}
			c.Scatter(slot, slotT, w)
			equalDense(t, c, want)
		}
	})
}

func TestLaplacian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, true)
		c := Laplacian(a.n, a.i, a.j, a.w)
		if len(c.Diagonal(nil)) != a.n || c.Find(0, 0) < 0 {
			t.Fatalf("no diagonal")
		}
		equalDense(t, c.Transpose(), mustDense(c))
		for i, s := range c.RowSums(nil) {
			if s != 0 {
				t.Fatalf("row %d sums to %v", i, s)
			}
		}
		// x^T L x = sum over pairs w (x_i - x_j)^2.
		x, lx := make([]float64, a.n), make([]float64, a.n)
		for p := range x {
			x[p] = float64(p * p % 5)
		}
		c.MulVec(lx, x)
		var want float64
		for p := range a.w {
			d := x[a.i[p]] - x[a.j[p]]
			want += a.w[p] * d * d
		}
		if got := vec.Dot(x, lx); got != want {
			t.Fatalf("x L x = %v, want %v", got, want)
		}
	})
}

func mustDense(c *CSR) *mat.Dense {
	index := make([]int, len(c.Index))
	for p, j := range c.Index {
		index[p] = int(j)
	}
	return NewRows(c.N, c.M, c.Start, index, c.Data).ToDense()
}

// sameSlice reports that two slices are the same memory.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Rows are the other library's matrix: nothing is copied in or out. Only rows that are not sorted, or
// have an entry twice, are copied, and left as they were.
func TestBowman(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTriplets(t, false)
		r := RowsFromTriplets(a.n, a.m, a.i, a.j, a.w)
		back, err := FromBowman(r.CSR)
		if err != nil {
			t.Fatalf("%v", err)
		}
		in, out := r.RawMatrix(), back.RawMatrix()
		if !sameSlice(in.Indptr, out.Indptr) || !sameSlice(in.Ind, out.Ind) || !sameSlice(in.Data, out.Data) {
			t.Fatal("the arrays were copied")
		}
		equalDense(t, r.Own(), a.dense())
		rows, cols := make([]int, len(a.i)), make([]int, len(a.j))
		for p := range rows {
			rows[p], cols[p] = int(a.i[p]), int(a.j[p])
		}
		start := make([]int, a.n+1)
		for _, r := range rows {
			start[r+1]++
		}
		for r := range a.n {
			start[r+1] += start[r]
		}
		var index []int
		var data []float64
		for r := range a.n {
			for p := range rows {
				if rows[p] == r {
					index, data = append(index, cols[p]), append(data, a.w[p])
				}
			}
		}
		before := slices.Clone(index)
		messy, err := FromBowman(bowman.NewCSR(a.n, a.m, start, index, data))
		if err != nil {
			t.Fatalf("%v", err)
		}
		equalDense(t, messy.Own(), a.dense())
		equalDense(t, messy.Transpose().Own(), a.dense().T())
		equalDense(t, messy.Columns(0, a.n), a.dense().T())
		if !slices.Equal(index, before) {
			t.Fatal("the caller's matrix was changed")
		}
	})
}

func TestFromBowmanRefuses(t *testing.T) {
	for name, b := range map[string]*bowman.CSR{
		"column out of range": bowman.NewCSR(2, 2, []int{0, 1, 2}, []int{0, 2}, []float64{1, 1}),
		"negative column":     bowman.NewCSR(2, 2, []int{0, 1, 2}, []int{0, -1}, []float64{1, 1}),
		"descending starts":   bowman.NewCSR(2, 2, []int{0, 3, 2}, []int{0, 1}, []float64{1, 1}),
		"missing starts":      bowman.NewCSR(2, 2, []int{0, 2}, []int{0, 1}, []float64{1, 1}),
		"starts beyond":       bowman.NewCSR(1, 2, []int{0, 9}, []int{0, 1}, []float64{1, 1}),
		"too few values":      bowman.NewCSR(1, 2, []int{0, 2}, []int{0, 1}, []float64{1}),
	} {
		if _, err := FromBowman(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestValidate(t *testing.T) {
	good := func() *CSR { return FromTriplets(2, 3, []int32{0, 0, 1}, []int32{0, 2, 1}, []float64{1, 2, 3}) }
	for name, spoil := range map[string]func(*CSR){
		"starts":     func(c *CSR) { c.Start = c.Start[:2] },
		"first":      func(c *CSR) { c.Start[0] = 1 },
		"values":     func(c *CSR) { c.Data = c.Data[:2] },
		"descending": func(c *CSR) { c.Start[1] = 4 },
		"range":      func(c *CSR) { c.Index[1] = 3 },
		"order":      func(c *CSR) { c.Index[1] = 0 },
	} {
		c := good()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(c)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestShapePanics(t *testing.T) {
	c := FromTriplets(2, 3, []int32{0}, []int32{0}, []float64{1})
	for name, f := range map[string]func(){
		"triplets": func() { FromTriplets(2, 2, []int32{0}, nil, nil) },
		"index":    func() { FromTriplets(2, 2, []int32{2}, []int32{0}, []float64{1}) },
		"pattern":  func() { Pattern(2, []int32{0}, nil) },
		"pair":     func() { Pattern(2, []int32{0}, []int32{-1}) },
		"scatter":  func() { c.Scatter([]int{0}, nil, []float64{1}) },
		"lap":      func() { Laplacian(2, []int32{0}, nil, nil) },
		"vec":      func() { c.MulVec(make([]float64, 2), make([]float64, 2)) },
		"mat":      func() { c.MulMat(vec.New[float64](2, 1), vec.New[float64](3, 2)) },
		"sums":     func() { c.RowSums(make([]float64, 1)) },
		"diagonal": func() { c.Diagonal(nil) },
	} {
		func() {
			defer func() {
				var shape ShapeError
				if err, ok := recover().(error); !ok || !errors.As(err, &shape) {
					t.Errorf("%s: did not panic with a ShapeError", name)
				}
			}()
			f()
		}()
	}
}
