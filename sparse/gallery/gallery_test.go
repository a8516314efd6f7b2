package gallery

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/sparse"
)

// eigenvalues returns those of a small symmetric matrix, ascending.
func eigenvalues(t *testing.T, c *sparse.CSR) []float64 {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	d := mat.NewSymDense(c.N, nil)
	for i := range c.N {
		index, data := c.Row(i)
		for p, j := range index {
			if c.At(int(j), int32(i)) != data[p] {
				t.Fatalf("entries (%d,%d) and (%d,%d) differ", i, j, j, i)
			}
			d.SetSym(i, int(j), data[p])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(d, false) {
		t.Fatal("no eigenvalues")
	}
	return e.Values(nil)
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for p := range got {
		if math.Abs(got[p]-want[p]) > 1e-12 {
			t.Fatalf("%s: value %d is %v, want %v", what, p, got[p], want[p])
		}
	}
}

// Matrices have the eigenvalues stated in their comments.
func TestEigenvalues(t *testing.T) {
	dirichlet := func(n int) []float64 {
		v := make([]float64, n)
		for j := range v {
			v[j] = 2 - 2*math.Cos(math.Pi*float64(j+1)/float64(n+1))
		}
		return v
	}
	near(t, "Poisson1D", eigenvalues(t, Poisson1D(9)), dirichlet(9))
	var sums []float64
	for _, a := range dirichlet(4) {
		for _, b := range dirichlet(6) {
			sums = append(sums, a+b)
		}
	}
	slices.Sort(sums)
	near(t, "Poisson2D", eigenvalues(t, Poisson2D(4, 6)), sums)
	near(t, "GridLaplacian", eigenvalues(t, GridLaplacian(4, 6)), GridEigenvalues(4, 6))
	near(t, "PathLaplacian", eigenvalues(t, PathLaplacian(7)), GridEigenvalues(7, 1))
}

func TestRandomGeometric(t *testing.T) {
	x, i, j, w := RandomGeometric(80, 0.3, 5)
	if len(i) == 0 || len(i) != len(j) || len(i) != len(w) {
		t.Fatalf("%d, %d points, %d weights", len(i), len(j), len(w))
	}
	p := 0
	for a := range 80 {
		for b := a + 1; b < 80; b++ {
			d := math.Sqrt(vec.SquaredDistance(x.Row(a), x.Row(b)))
			if p < len(i) && int(i[p]) == a && int(j[p]) == b {
				if d >= 0.3 || math.Abs(w[p]-(1-d*d/0.09)) > 1e-12 {
					t.Fatalf("pair (%d,%d) at distance %v has weight %v", a, b, d, w[p])
				}
				p++
			} else if d < 0.3 {
				t.Fatalf("pair (%d,%d) at distance %v is missing", a, b, d)
			}
		}
	}
}

func TestSwissRoll(t *testing.T) {
	x, sheet := SwissRollSheet(500, 3)
	if got := SwissRoll(500, 3); !slices.Equal(got.Data, x.Data) {
		t.Fatal("SwissRoll and SwissRollSheet differ")
	}
	for i := range x.Rows {
		row := x.Row(i)
		a := math.Hypot(row[0], row[2])
		if a < 1.5*math.Pi-1e-9 || a > 4.5*math.Pi+1e-9 || row[1] < 0 || row[1] > 21 || row[1] != sheet.Row(i)[1] {
			t.Fatalf("point %d is %v", i, row)
		}
	}
	// Close points on one winding are as far apart on the sheet as in space.
	checked := 0
	for i := range x.Rows {
		for j := range i {
			d := math.Sqrt(vec.SquaredDistance(x.Row(i), x.Row(j)))
			s := math.Sqrt(vec.SquaredDistance(sheet.Row(i), sheet.Row(j)))
			if d < 1 {
				checked++
				if math.Abs(d-s) > 0.02*s {
					t.Fatalf("points %d and %d: %v apart, %v in the sheet", i, j, d, s)
				}
			}
		}
	}
	if checked < 100 {
		t.Fatalf("only %d close pairs", checked)
	}
}

func TestPointSets(t *testing.T) {
	x, label := Blobs(103, 4, 5, 0.1, 7)
	size := make([]int, 5)
	for _, l := range label {
		size[l]++
	}
	if slices.Min(size) != 20 || slices.Max(size) != 21 {
		t.Fatalf("classes of %v points", size)
	}
	for i := range x.Rows {
		for j := range i {
			if same := vec.SquaredDistance(x.Row(i), x.Row(j)) < 4; same != (label[i] == label[j]) {
				t.Fatalf("points %d and %d of classes %d and %d: near %v", i, j, label[i], label[j], same)
			}
		}
	}
	c := Circle(50, 3, 0, 1)
	for i := range c.Rows {
		if r := c.Row(i); math.Abs(math.Hypot(r[0], r[1])-1) > 1e-15 || r[2] != 0 {
			t.Fatalf("point %d of the circle is %v", i, r)
		}
	}
	u := Uniform(200, 2, 1)
	if slices.Min(u.Data) < 0 || slices.Max(u.Data) >= 1 || math.Abs(mean(u.Data)-0.5) > 0.1 {
		t.Fatalf("uniform points span %v..%v, mean %v", slices.Min(u.Data), slices.Max(u.Data), mean(u.Data))
	}
	if slices.Equal(u.Data, Uniform(200, 2, 2).Data) || !slices.Equal(u.Data, Uniform(200, 2, 1).Data) {
		t.Fatal("the seed does not decide")
	}
}

func mean(v []float64) float64 {
	var s float64
	for _, a := range v {
		s += a
	}
	return s / float64(len(v))
}
