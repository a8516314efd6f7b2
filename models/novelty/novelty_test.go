package novelty

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// lists is the neighbour search by brute force: the k nearest rows of x for every row of q, without
// the row itself if q is x.
func lists(q, x vec.Matrix[float64], k int, self bool) *knn.Neighbors {
	nb := knn.NewNeighbors(q.Rows, k)
	for i := range q.Rows {
		order := make([]int, 0, x.Rows)
		for j := range x.Rows {
			if !self || i != j {
				order = append(order, j)
			}
		}
		d := func(j int) float64 { return vec.SquaredDistance(q.Row(i), x.Row(j)) }
		sort.SliceStable(order, func(a, b int) bool { return d(order[a]) < d(order[b]) })
		index, dist2 := nb.Row(i)
		for m := range k {
			index[m], dist2[m] = int32(order[m]), d(order[m])
		}
	}
	return nb
}

func cloud(seed uint64, n, dim int) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 5))
	x := vec.New[float64](n, dim)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// lof computes the local outlier factor from the points by its definition.
func lof(p []float64, x vec.Matrix[float64], k, self int) float64 {
	near := func(p []float64, self int) []int {
		var order []int
		for j := range x.Rows {
			if j != self {
				order = append(order, j)
			}
		}
		sort.SliceStable(order, func(a, b int) bool {
			return vec.SquaredDistance(p, x.Row(order[a])) < vec.SquaredDistance(p, x.Row(order[b]))
		})
		return order[:k]
	}
	dist := func(a, b []float64) float64 { return math.Sqrt(vec.SquaredDistance(a, b)) }
	kdist := func(o int) float64 { n := near(x.Row(o), o); return dist(x.Row(o), x.Row(n[k-1])) }
	lrd := func(p []float64, self int) float64 {
		var sum float64
		for _, o := range near(p, self) {
			sum += max(kdist(o), dist(p, x.Row(o)))
		}
		return float64(k) / sum
	}
	var sum float64
	for _, o := range near(p, self) {
		sum += lrd(x.Row(o), o)
	}
	return sum / float64(k) / lrd(p, self)
}

func TestScoresAreTheDefinition(t *testing.T) {
	const n, k = 60, 5
	x, events := cloud(1, n, 3), cloud(2, 20, 3)
	tables, own, err := New(lists(x, x, k+2, true), k, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want := lof(x.Row(i), x, k, i)
		p := newFinder(tables.Local).percentile(tables.Local, want*(1+1e-12))
		q := newFinder(tables.Local).percentile(tables.Local, want*(1-1e-12))
		if own.Local[i] < q || own.Local[i] > p {
			t.Errorf("point %d: leave-one-out percentile %g, want %g to %g", i, own.Local[i], q, p)
		}
	}
	nb := lists(events, x, k, false)
	for i := range events.Rows {
		index, dist2 := nb.Row(i)
		local, global := tables.Score(index, dist2)
		if want := lof(events.Row(i), x, k, -1); math.Abs(local-want) > 1e-12*want {
			t.Errorf("event %d: local score %.15g, want %.15g", i, local, want)
		}
		var want float64
		for _, d := range dist2 {
			want += math.Sqrt(d) / k
		}
		if math.Abs(global-want) > 1e-12*want {
			t.Errorf("event %d: global score %.15g, want %.15g", i, global, want)
		}
	}
}

func TestPercentile(t *testing.T) {
	list := []float64{1, 2, 2, 2, 5}
	for _, c := range []struct{ v, want float64 }{{0, 0}, {1, 0.1}, {1.5, 0.2}, {2, 0.5}, {3, 0.8}, {5, 0.9}, {6, 1}, {math.Inf(1), 1}} {
		if got := newFinder(list).percentile(list, c.v); got != c.want {
			t.Errorf("percentile of %g in %v is %g, want %g", c.v, list, got, c.want)
		}
	}
}

func TestPercentileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 30).Draw(t, "list")
		slices.Sort(list)
		a, b := rapid.Float64Range(-4, 4).Draw(t, "a"), rapid.Float64Range(-4, 4).Draw(t, "b")
		pa, pb := newFinder(list).percentile(list, a), newFinder(list).percentile(list, b)
		if pa < 0 || pa > 1 || a < b && pa > pb {
			t.Fatalf("percentiles %g of %g and %g of %g", pa, a, pb, b)
		}
		// The mean percentile of the list's own values is a half.
		var sum float64
		for _, v := range list {
			sum += newFinder(list).percentile(list, v)
		}
		if d := math.Abs(sum/float64(len(list)) - 0.5); d > 1e-12 {
			t.Fatalf("the mean of the list's own percentiles is off a half by %g", d)
		}
	})
}

// Events like the reference points have uniform percentiles; far events have 1.
func TestPercentilesAreCalibrated(t *testing.T) {
	const n, k = 400, DefaultK
	x := cloud(3, n, 2)
	tables, _, err := New(lists(x, x, k, true), k, 0)
	if err != nil {
		t.Fatal(err)
	}
	events := cloud(4, 400, 2)
	nb := lists(events, x, k, false)
	beyond := [2]int{}
	for i := range events.Rows {
		l, g := tables.Percentiles(tables.Score(nb.Row(i)))
		if l > 0.9 {
			beyond[0]++
		}
		if g > 0.9 {
			beyond[1]++
		}
	}
	for m, b := range beyond {
		if b < 20 || b > 65 {
			t.Errorf("score %d: %d of 400 known events lie beyond the 90%% percentile, want about 40", m, b)
		}
	}
	far := vec.Of(1, 2, []float64{50, 50})
	if l, g := tables.Percentiles(tables.Score(lists(far, x, k, false).Row(0))); l != 1 || g != 1 {
		t.Errorf("a far event has percentiles %g and %g, want 1 and 1", l, g)
	}
}

func TestTablesDoNotDependOnThreads(t *testing.T) {
	x := cloud(5, 3000, 2)
	nb := knn.NewNeighbors(x.Rows, 4)
	// The test needs only valid lists: here, each row's successors ordered by distance.
	for i := range x.Rows {
		index, dist2 := nb.Row(i)
		for m := range 4 {
			index[m] = int32((i + m + 1) % x.Rows)
			dist2[m] = float64(m) + vec.SquaredDistance(x.Row(i), x.Row(int(index[m])))
		}
		slices.Sort(dist2)
	}
	a, ownA, err := New(nb, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, ownB, err := New(nb, 4, 7)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Density, b.Density) || !slices.Equal(a.Local, b.Local) || !slices.Equal(ownA.Local, ownB.Local) || !slices.Equal(ownA.Global, ownB.Global) {
		t.Error("tables differ between 1 and 7 threads")
	}
}

func TestNewRefusesWhatItCannotScore(t *testing.T) {
	x := cloud(6, 8, 2)
	nb := lists(x, x, 3, true)
	if _, _, err := New(nb, 5, 0); !models.IsBadInput(err) {
		t.Errorf("lists that are too short: got %v", err)
	}
	if tables, _, err := New(lists(x, x, 7, true), 50, 0); err != nil || tables.K != 7 {
		t.Errorf("8 points and k = 50: got %v, want all 7 others as neighbours", err)
	}
	if _, _, err := New(knn.NewNeighbors(1, 0), 3, 0); !models.IsBadInput(err) {
		t.Errorf("a single point: got %v", err)
	}
	nb.Dist2[0] = 0
	if _, _, err := New(nb, 3, 0); !models.IsBadInput(err) {
		t.Errorf("equal points: got %v", err)
	}
}

func ExampleTables_Score() {
	// Five points in a row, and an event one step and one ten steps away.
	x := vec.Of(5, 1, []float64{0, 1, 2, 3, 4})
	tables, _, err := New(lists(x, x, 2, true), 2, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range []float64{5, 14} {
		nb := lists(vec.Of(1, 1, []float64{v}), x, 2, false)
		local, global := tables.Score(nb.Row(0))
		fmt.Printf("at %g: local %.2f, global %.2f\n", v, local, global)
	}
	// Output:
	// at 5: local 1.33, global 1.50
	// at 14: local 7.00, global 10.50
}
