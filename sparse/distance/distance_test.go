package distance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

var all = distance.All()

// fixture has the output of testdata/foreign/distances.py.
type fixture struct {
	Rows, Bits [][]float32
	// Distances and Nearest have a matrix for each distance.
	Distances map[string][][]float64
	Nearest   map[string][][]int32
}

// Distances agree with scipy, and the nearest rows are as near as those of scikit-learn.
func TestDistancesAreSciPys(t *testing.T) {
	text, err := os.ReadFile("../../testdata/foreign/tables/distances.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	for _, d := range all[1:] {
		t.Run(d.String(), func(t *testing.T) {
			rows, want, nearest := f.Rows, f.Distances[d.String()], f.Nearest[d.String()]
			if d.Bits() {
				rows = f.Bits
			}
			x := vec.Of(len(rows), len(rows[0]), slices.Concat(rows...))
			distance.Restrict(d, x)
			for i := range x.Rows {
				for j := range x.Rows {
					if got := d.Length(distance.Between(d, x.Row(i), x.Row(j))); math.Abs(got-want[i][j]) > 1e-12 {
						t.Fatalf("rows %d and %d: %v, expected %v", i, j, got, want[i][j])
					}
				}
			}
			nb, err := knn.Graph(t.Context(), x, len(nearest[0]), knn.Settings{Distance: d})
			if err != nil {
				t.Fatal(err)
			}
			for i, rows := range nearest {
				_, dist2 := nb.Row(i)
				for p, j := range rows { // of rows that are as near it may list others
					if got := d.Length(dist2[p]); math.Abs(got-want[i][j]) > 1e-12 {
						t.Errorf("neighbour %d of row %d is at %v, expected row %d at %v", p, i, got, j, want[i][j])
					}
				}
			}
		})
	}
}

// pair draws two rows for which a distance is defined, and a box that contains the second.
func pair(t *rapid.T, d distance.Distance) (a, b []float32, low, high []float64) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.IntRange(1, 200).Draw(t, "columns")
	scale := math.Pow(10, rapid.Float64Range(-20, 20).Draw(t, "scale"))
	draw := func() float32 {
		if d.Bits() {
			return float32(r.IntN(2))
		}
		v := float32(scale * r.NormFloat64())
		if d.Domain() != nil && !d.Domain().Has(float64(v)) {
			v = -v
		}
		return v
	}
	for range n {
		a, b = append(a, draw()), append(b, draw())
	}
	if r.IntN(5) == 0 {
		copy(b, a[:r.IntN(n)+1])
	}
	for _, v := range b {
		low, high = append(low, min(float64(v), float64(draw()))), append(high, max(float64(v), float64(draw())))
	}
	return a, b, low, high
}

// Every distance has the properties that the package comment promises: it is symmetric, 0 only for
// equal rows, the sum of its shares, and at least the bound of Box; Within stops early only above
// the limit.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(all).Draw(t, "distance")
		a, b, low, high := pair(t, d)
		d2 := distance.Between(d, a, b)
		if back := distance.Between(d, b, a); back != d2 || d2 < 0 {
			t.Fatalf("%v there and %v back", d2, back)
		}
		if zero := distance.Between(d, a, a); zero != 0 || (d2 == 0) != slices.Equal(a, b) {
			t.Fatalf("%v to itself, %v to another", zero, d2)
		}
		if box := distance.Box(d, a, low, high); box > d2 {
			t.Fatalf("a box at %v holds a row at %v", box, d2)
		}
		most := d2 * rapid.Float64Range(0, 2).Draw(t, "limit")
		if got := distance.Within(d, a, b, most); got != d2 && got <= most || d2 <= most && got != d2 {
			t.Fatalf("%v within %v, the distance is %v", got, most, d2)
		}
		if got := distance.Within(d, a, b, d2); got != d2 {
			t.Fatalf("%v within %v itself", got, d2)
		}
		if kernel := d.Kernel(); kernel != nil {
			var about [1]float32
			if kernel.About(about[:], a, b, len(b), []int32{0}); float64(about[0]) > kernel.Beyond(d2, len(a)) {
				t.Fatalf("single precision has %v and excludes the distance %v", about[0], d2)
			}
			if length := d.Length(d2); float64(about[0]) < length*(1-1e-4) && length < math.MaxFloat32 {
				t.Fatalf("single precision has %v for %v", about[0], d2)
			}
		}
		share, sum := make([]float64, len(a)), 0.0
		distance.Shares(d, share, a, b)
		for k, v := range share {
			if sum += v; v < 0 || v > 0 && a[k] == b[k] {
				t.Fatalf("column %d, with %v and %v, carries %v", k, a[k], b[k], v)
			}
		}
		if math.Abs(sum-d2) > 1e-12*d2 {
			t.Fatalf("shares sum to %v of %v", sum, d2)
		}
	})
}

// The root of d2 satisfies the triangle inequality.
func TestRootsAreMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(all).Draw(t, "distance")
		a, b, _, _ := pair(t, d)
		c := slices.Clone(a)
		copy(c, b[:rapid.IntRange(0, len(b)).Draw(t, "of b")])
		root := func(x, y []float32) float64 { return math.Sqrt(distance.Between(d, x, y)) }
		if ab, ac, cb := root(a, b), root(a, c), root(c, b); ab > (ac+cb)*(1+1e-12) {
			t.Fatalf("%v is more than %v and %v", ab, ac, cb)
		}
	})
}

// Distances from bit counts equal the distances of the rows, and pairs within a limit differ in at
// most Counts.Most columns.
func TestCountsOfBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(slices.DeleteFunc(distance.All(), func(d distance.Distance) bool { return !d.Bits() })).Draw(t, "distance")
		a, b, _, _ := pair(t, d)
		differ, onesA, onesB := 0, 0, 0
		for k := range a {
			if a[k] != b[k] {
				differ++
			}
			onesA, onesB = onesA+int(a[k]), onesB+int(b[k])
		}
		d2 := distance.Between(d, a, b)
		if got := d.Counts().Dist2(differ, onesA, onesB, len(a)); got != d2 {
			t.Fatalf("%v by counts, %v by values", got, d2)
		}
		if most := d.Counts().Most(d2, onesA, onesB, len(a)); differ > most || most > differ+2 {
			t.Fatalf("%d columns differ at %v, at most %d by the limit", differ, d2, most)
		}
	})
}

// BenchmarkBetween measures one pair, for rows of two and of fifty columns, next to the plain
// squared distance.
func BenchmarkBetween(b *testing.B) {
	for _, n := range []int{2, 50} {
		x, y := make([]float32, n), make([]float32, n)
		for k := range x {
			x[k], y[k] = float32(k%2), float32(k%3%2)
		}
		var sum float64
		b.Run(fmt.Sprintf("squared %d", n), func(b *testing.B) {
			for b.Loop() {
				sum += vec.SquaredDistance(x, y)
			}
		})
		for _, d := range all {
			b.Run(fmt.Sprintf("%v %d", d, n), func(b *testing.B) {
				for b.Loop() {
					sum += distance.Between(d, x, y)
				}
			})
		}
	}
}

func TestNames(t *testing.T) {
	for _, d := range all {
		if got, err := distance.Parse(d.String()); got != d || err != nil {
			t.Errorf("%v is read as %v (%v)", d, got, err)
		}
	}
	for name, want := range map[string]distance.Distance{
		"minkowski:1": distance.Manhattan, "minkowski:2": distance.Euclidean, "minkowski:2.0": distance.Euclidean, "minkowski:inf": distance.Chebyshev,
	} {
		if got, err := distance.Parse(name); got != want || err != nil {
			t.Errorf("%s is read as %v (%v)", name, got, err)
		}
	}
	for _, name := range []string{"taxicab", "minkowski", "minkowski:", "minkowski:0.5", "minkowski:x", "minkowski:1e9", "minkowski:1.0001", "minkowski:NaN", "manhattan:1"} {
		if d, err := distance.Parse(name); err == nil {
			t.Errorf("%q is read as %v", name, d)
		}
	}
	if !slices.Contains(distance.Choices(), "minkowski:P") {
		t.Errorf("choices are %q", distance.Choices())
	}
	x := vec.Of(2, 2, []float32{0, 1, 1, 0.5})
	var bit *distance.DomainError
	if err := distance.Check(distance.Jaccard, x); !errors.As(err, &bit) || bit.Row != 1 || bit.Col != 1 {
		t.Errorf("error %v", err)
	}
	x.Data[2] = -1
	if err := distance.Check(distance.BrayCurtis, x); !errors.As(err, &bit) || bit.Row != 1 || bit.Col != 0 || !strings.Contains(err.Error(), "takes values of 0 and more") {
		t.Errorf("error %v", err)
	}
	if err := distance.Check(distance.Manhattan, x); err != nil {
		t.Error(err)
	}
}

// About orders rows as the distance does, up to single precision, and is the same in either order of a
// pair: lists of neighbours tell rows apart by it.
func TestAbout(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	const n, dim, stride = 20, 37, 40
	data := make([]float32, n*stride)
	for i := range data {
		data[i] = float32(math.Abs(rng.NormFloat64()))
	}
	row := func(i int) []float32 { return data[i*stride : i*stride+dim] }
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	for _, d := range distance.All() {
		if d.Bits() {
			continue
		}
		var from [n][n]float32
		for i := range n {
			distance.About(d, from[i][:], row(i), data, stride, all)
		}
		for i := range n {
			for j := range n {
				want := distance.Between(d, row(i), row(j))
				if d.Kernel() != nil {
					want = d.Length(want)
				}
				if got := float64(from[i][j]); from[i][j] != from[j][i] || math.Abs(got-want) > 1e-5*want {
					t.Errorf("%v: rows %d and %d are about %v apart, in the other order %v, really %v", d, i, j, got, from[j][i], want)
				}
			}
		}
	}
}
