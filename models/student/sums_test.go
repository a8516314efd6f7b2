package student

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// TestSums: sums of any length, and logarithms of products beyond the range of numbers.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(0, 23).Draw(t, "n")
		a, b := make([]float64, n), make([]float64, n)
		x := &tile{}
		x.V, x.W = make([]float64, n), make([]float64, n)
		var products, sum, logs float64
		for k := range a {
			a[k], b[k] = r.NormFloat64(), r.NormFloat64()
			products += a[k] * b[k]
			sum += a[k]
			x.V[k], x.W[k] = math.Exp(-200*r.Float64()*r.Float64()), float64(1+r.IntN(2))
			if r.IntN(5) == 0 {
				x.V[k] = 1
			}
			logs += x.W[k] * math.Log(x.V[k])
		}
		if math.Abs(dot(a, b)-products) > 1e-12 || math.Abs(total(a)-sum) > 1e-12 || math.Abs(x.logs()-logs) > 1e-9*max(1, math.Abs(logs)) {
			t.Fatalf("%d: %v, %v, %v, want %v, %v, %v", n, dot(a, b), total(a), x.logs(), products, sum, logs)
		}
	})
	b := &farfield.Batch{}
	if w := workspace(b, 5); len(w) != 5 || cap(b.Work) < 5 {
		t.Errorf("%d values", len(w))
	}
	w := workspace(b, 5)
	if w[0] = 7; workspace(b, 3)[0] != 7 || len(workspace(b, 3)) != 3 || len(workspace(b, 9)) != 9 {
		t.Error("the memory is not used again, or too short")
	}
}

// TestOrders: reordered values return to their places, and points without an order stay.
func TestOrders(t *testing.T) {
	o := order{2, 0, 3, 1}
	v := []string{"a", "b", "c", "d"}
	if got := take(v, o); !slices.Equal(got, []string{"c", "a", "d", "b"}) || !slices.Equal(take(got, o.back()), v) {
		t.Errorf("%v", got)
	}
	m := vec.Of(4, 1, []float64{1, 2, 3, 4})
	if got := takeRows(m, o); !slices.Equal(got.Data, []float64{3, 1, 4, 2}) || !slices.Equal(takeRows(got, o.back()).Data, m.Data) {
		t.Errorf("%v", got)
	}
	if order(nil).back() != nil || take([]string(nil), o) != nil || !slices.Equal(take(v, nil), v) || takeRows(m, nil).Rows != 4 || takeRows(vec.Matrix[float64]{}, o).Rows != 0 {
		t.Error("no order is one")
	}
	nb := knn.NewNeighbors(orderedPoints-1, 1)
	if newOrder(nb, 1) != nil {
		t.Error("few points have an order")
	}
	nb = knn.NewNeighbors(orderedPoints, 1)
	if len(newOrder(nb, 1)) != orderedPoints {
		t.Error("many points have none")
	}
}

// TestBytesOfLengths: the precision of lengths and their size in bytes.
func TestBytesOfLengths(t *testing.T) {
	if SingleLengths(singlePoints-1) || !SingleLengths(singlePoints) || LengthBytes(singlePoints-1) != 8 || LengthBytes(singlePoints) != 4 {
		t.Error("the precision changes at another number of points")
	}
	for d, want := range map[int]bool{1: false, 2: true, 3: true, 4: false} {
		if SingleSystem(singlePoints, d) != want || SingleSystem(10, d) {
			t.Errorf("d = %d: systems in single precision: %v", d, !want)
		}
	}
	for _, single := range []bool{false, true} {
		l := newPairLengths(single, 3)
		l.set(1, 0.1)
		if want := map[bool]float64{false: 0.1, true: float64(float32(0.1))}[single]; l.at(1) != want || l.entries() != 3 || l.bytes() != map[bool]int64{false: 24, true: 12}[single] {
			t.Errorf("%v of %d in %d bytes", l.at(1), l.entries(), l.bytes())
		}
	}
}

// TestUnits: the unit is the median length, the mean length if the median is 0, and 1 without
// lengths.
func TestUnitsOfLists(t *testing.T) {
	lists := func(dist2 ...float64) *knn.Neighbors {
		return &knn.Neighbors{N: len(dist2) / 2, K: 2, Index: make([]int32, len(dist2)), Dist2: dist2}
	}
	for _, c := range []struct {
		s    Scales
		nb   *knn.Neighbors
		k    int
		want float64
	}{
		{Native, lists(1, 9, 3, 9, 5, 9), 1, 3}, {Native, lists(1, 2, 3, 4), 2, 2.5}, {Native, lists(0, 0, 0, 8), 2, 2}, {Native, lists(0, 0, 0, 0), 2, 1}, {Native, lists(), 2, 1},
		{Unit, lists(1, 9, 3, 9), 1, 1}, {Unclipped, lists(4, 9, 4, 9), 1, 4}, {Native, lists(4, 9), 0, 1},
	} {
		if got := c.s.Unit(c.nb, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v of %v: %v, want %v", c.s, c.nb.Dist2, got, c.want)
		}
	}
	for _, c := range []struct {
		s           Scales
		dist2, want float64
	}{{Native, 0, 0.1}, {Native, 4, 2}, {Native, 99, 10}, {Unit, 7, 1}, {Unclipped, 0, 1e-6}, {Unclipped, 99, 49.5}} {
		if got := c.s.Delta2(c.dist2, 2); got != c.want {
			t.Errorf("%v: %v, want %v", c.s, got, c.want)
		}
	}
	for name, f := range map[string]func(){
		"scales": func() { Scales(9).Delta2(1, 1) }, "no neighbours": func() { NewProblem(lists(1, 2), 0, Native) }, "more than there are": func() { NewProblem(lists(1, 2), 3, Native) },
		"weights of more":    func() { newProblem(lists(1, 2), nil, edgeWeights{rank: make([]float64, 3)}, lengths{}, 1) },
		"weights of nothing": func() { newProblem(lists(1, 2), nil, edgeWeights{}, lengths{}, 1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "student: ") {
					t.Errorf("%s: %q", name, text)
				}
			}()
			f()
		}()
	}
	for _, s := range []Scales{Native, Unit} {
		if got := (Settings{Options: Options{Scales: s}}).clip(); got != map[Scales][2]float64{Native: {0.1, 10}, Unit: {1, 1}}[s] {
			t.Errorf("%v: %v", s, got)
		}
	}
}

// TestFreshFrom: the search for an unused point starts at an index, wraps round, and ends at the
// start.
func TestFreshFrom(t *testing.T) {
	list := []int32{4, 5, 6, 7}
	for _, c := range []struct {
		at          int
		i           int32
		near, taken []int32
		want        int32
	}{{1, 9, nil, nil, 5}, {1, 5, nil, nil, 6}, {1, 9, []int32{5, 6}, nil, 7}, {1, 9, []int32{5, 6}, []int32{7}, 4}, {3, 9, nil, []int32{7}, 4}, {2, 9, []int32{4, 5, 6, 7}, nil, 9}} {
		if got := freshFrom(list, c.at, c.i, c.near, c.taken); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	nb := &knn.Neighbors{N: 3, K: 2, Index: []int32{1, 2, 2, 0, 0, 1}, Dist2: make([]float64, 6)}
	for steps, want := range [][]int32{{1, 2}, {0, 1}, {2, 0}, {1, 2}} {
		if got := walk(nb, 0, steps); !slices.Equal(got, want) {
			t.Errorf("%d steps end at %v, want %v", steps, got, want)
		}
	}
}

// TestSolveDense: solutions of symmetric positive definite systems of every size.
func TestSolveDense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 13 {
		a, x, b := make([]float64, n*n), make([]float64, n), make([]float64, n)
		for i := range n {
			x[i] = r.NormFloat64()
		}
		for range n + 2 { // a sum of squares
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			for i := range n {
				for j := range n {
					a[i*n+j] += v[i] * v[j]
				}
			}
		}
		for i := range n {
			for j := range n {
				b[i] += a[i*n+j] * x[j]
			}
		}
		solveDense(a, b)
		for i := range n {
			if math.Abs(b[i]-x[i]) > 1e-6 {
				t.Errorf("%d unknowns: %v, want %v", n, b, x)
				break
			}
		}
	}
}

// TestMiddle: the weighted median of ascending values follows its definition. Zero weights have no
// effect.
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		at, s []float64
		want  float64
	}{
		{[]float64{3}, []float64{1}, 3}, {[]float64{3, 1}, []float64{1, 1}, 2}, {[]float64{3, 1, 2}, []float64{1, 1, 1}, 2}, {[]float64{3, 1}, []float64{2, 1}, 3},
		{[]float64{1, 2, 3}, []float64{1, 0, 1}, 2}, {[]float64{1, 5, 9}, []float64{0, 1, 0}, 5}, {[]float64{1, 2, 3, 4}, []float64{1, 1, 2, 0}, 2.5},
		{[]float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, slices.Repeat([]float64{1}, 12), 2},
		{[]float64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, slices.Repeat([]float64{1}, 12), 6.5},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9}, slices.Repeat([]float64{1}, 14), 5},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8}, slices.Repeat([]float64{1}, 12), 1},
		{[]float64{1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, slices.Repeat([]float64{1}, 12), 9},
	} {
		var sum float64
		for _, v := range c.s {
			sum += v
		}
		if got := middle(slices.Clone(c.at), slices.Clone(c.s), sum/2); got != c.want {
			t.Errorf("%v by %v: %v, want %v", c.at, c.s, got, c.want)
		}
	}
	if got := passing([]float64{1, 2, 3}, []float64{1, 1, 1}, 7); got != 3 {
		t.Errorf("half beyond all weights: %v", got)
	}
	at, s := []float64{5, 1, 3, 2}, []float64{50, 10, 30, 20}
	if n, weight := divide(at, s, 3); n != 2 || weight != 30 || !slices.Equal(at[:2], []float64{1, 2}) || !slices.Equal(s[:2], []float64{10, 20}) || at[2]+at[3] != 8 {
		t.Errorf("%d of %v, %v weigh %v", n, at, s, weight)
	}
}
