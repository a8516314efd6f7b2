package score

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

func cloud(seed uint64, n, dim int) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 11))
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	return x
}

// rankings returns the rank of every point by distance from every other by definition, starting at
// 1; the rank of the point itself is 0.
func rankings(x vec.Matrix[float32]) [][]int { return rankingsBy(distance.Euclidean, x) }

// rankingsBy is rankings under a distance.
func rankingsBy(by distance.Distance, x vec.Matrix[float32]) [][]int {
	out := make([][]int, x.Rows)
	for i := range x.Rows {
		order := make([]int, x.Rows)
		for j := range order {
			order[j] = j
		}
		d := func(j int) float64 {
			if j == i {
				return -1
			}
			return distance.Between(by, x.Row(i), x.Row(j))
		}
		sort.SliceStable(order, func(a, b int) bool { return d(order[a]) < d(order[b]) })
		out[i] = make([]int, x.Rows)
		for r, j := range order {
			out[i][j] = r
		}
	}
	return out
}

// brute computes the figures of Structure by definition, over the given points.
func brute(x, y vec.Matrix[float32], k int, points []int) (trust, cont, recall float64) {
	rx, ry := rankings(x), rankings(y)
	n := x.Rows
	scale := 2 / float64(len(points)*k*(2*n-3*k-1))
	trust, cont = 1, 1
	for _, i := range points {
		for j := range n {
			if j == i {
				continue
			}
			in, on := rx[i][j] <= k, ry[i][j] <= k
			switch {
			case in && on:
				recall += 1 / float64(len(points)*k)
			case on:
				trust -= scale * float64(rx[i][j]-k)
			case in:
				cont -= scale * float64(ry[i][j]-k)
			}
		}
	}
	return trust, cont, recall
}

func TestMeasureIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(10, 90).Draw(t, "n")
		k := rapid.IntRange(1, (n-1)/2).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		x := cloud(seed, n, rapid.SampledFrom([]int{3, 20}).Draw(t, "dim"))
		y := cloud(seed+1, n, 2)
		// The map resembles the data more or less.
		for i := range n {
			y.Row(i)[0] = x.Row(i)[0] + 0.3*y.Row(i)[0]
			// Equal rows tie, in the data and on the map.
			if i%5 == 4 {
				copy(x.Row(i), x.Row(i/2))
				copy(y.Row(i), y.Row(i/2))
			}
		}
		s := Settings{K: k, Sample: rapid.IntRange(1, n).Draw(t, "sample"), Triplets: 1000, Seed: seed, Threads: 2}
		got, err := Measure(context.Background(), x, y, s)
		if err != nil {
			t.Fatal(err)
		}
		points := choose(n, s.Sample, seed)
		trust, cont, recall := brute(x, y, k, points)
		if math.Abs(got.Trustworthiness-trust) > 1e-12 || math.Abs(got.Continuity-cont) > 1e-12 || math.Abs(got.Recall-recall) > 1e-12 {
			t.Fatalf("got %+v, want %g, %g, %g", got, trust, cont, recall)
		}
		if got.Exact != (s.Sample == n) || got.Sample != s.Sample {
			t.Fatalf("sample of %d, exact %v; want %d of %d", got.Sample, got.Exact, s.Sample, n)
		}
	})
}

func TestAPerfectMapScoresOne(t *testing.T) {
	x := cloud(1, 200, 2)
	got, err := Measure(context.Background(), x, x, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Trustworthiness != 1 || got.Continuity != 1 || got.Recall != 1 || math.Abs(got.Shepard.Spearman-1) > 1e-12 {
		t.Errorf("the data as its own map scores %+v", got)
	}
	if !got.Exact || got.K != 12 {
		t.Errorf("200 points: exact %v, k %d", got.Exact, got.K)
	}
	noise, err := Measure(context.Background(), x, cloud(2, 200, 2), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if noise.Trustworthiness > 0.6 || noise.Recall > 0.15 || math.Abs(noise.Shepard.Spearman) > 0.1 {
		t.Errorf("noise as a map scores %+v", noise)
	}
}

func TestMeasureDoesNotDependOnThreads(t *testing.T) {
	x, y := cloud(3, 500, 6), cloud(4, 500, 2)
	var want *Structure
	for _, threads := range []int{1, 2, 5} {
		got, err := Measure(context.Background(), x, y, Settings{Sample: 300, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: %+v, want %+v", threads, got, want)
		}
	}
}

// bruteAccuracy is leave-one-out by the definition.
func bruteAccuracy(y vec.Matrix[float32], class []int32, k int, points []int) float64 {
	right, judged := 0, 0
	for _, i := range points {
		if class[i] == Missing {
			continue
		}
		var near []int32
		for j := range y.Rows {
			if j != i && class[j] != Missing {
				near = append(near, int32(j))
			}
		}
		d := func(j int32) float64 { return vec.SquaredDistance(y.Row(i), y.Row(int(j))) }
		sort.SliceStable(near, func(a, b int) bool { return d(near[a]) < d(near[b]) })
		votes := map[int32]int{}
		best := int32(-1)
		for _, j := range near[:k] {
			votes[class[j]]++
		}
		for c := range int32(4) { // the smallest among the most frequent
			if votes[c] > votes[best] {
				best = c
			}
		}
		judged++
		if best == class[i] {
			right++
		}
	}
	return float64(right) / float64(judged)
}

func TestLeaveOneOutIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(12, 80).Draw(t, "n")
		y := cloud(rapid.Uint64().Draw(t, "seed"), n, 2)
		class := make([]int32, n)
		for i := range class {
			class[i] = int32(rapid.IntRange(-1, 3).Draw(t, "class"))
			if i < 11 {
				class[i] = int32(i % 3)
			}
			y.Row(i)[0] += float32(class[i])
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		ks := []int{1, 4, 9}
		got, err := LeaveOneOut(context.Background(), y, class, ks, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for m, k := range ks {
			if want := bruteAccuracy(y, class, k, all); math.Abs(got.Share[m]-want) > 1e-12 {
				t.Fatalf("k = %d: accuracy %g, want %g", k, got.Share[m], want)
			}
		}
		if !got.Exact || got.Points != n-count(class, Missing) {
			t.Fatalf("%d points judged, exact %v", got.Points, got.Exact)
		}
		// A sample tests the chosen labelled points against all labelled points.
		points, labels := labelled(y, class)
		sampled, err := LeaveOneOut(context.Background(), y, class, ks, Settings{Sample: 8, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		for m, k := range ks {
			if want := bruteAccuracy(points, labels, k, choose(points.Rows, 8, 3)); math.Abs(sampled.Share[m]-want) > 1e-12 {
				t.Fatalf("k = %d: accuracy of the sample %g, want %g", k, sampled.Share[m], want)
			}
		}
		if sampled.Exact || sampled.Points != 8 || sampled.Seed != 3 {
			t.Fatalf("the sample is named as %+v", sampled)
		}
	})
}

func count(class []int32, c int32) (n int) {
	for _, v := range class {
		if v == c {
			n++
		}
	}
	return n
}

func TestHeldOutError(t *testing.T) {
	train := vec.Of(5, 1, []float32{0, 1, 2, 10, 11})
	class := []int32{0, 0, Missing, 1, 1}
	test := vec.Of(4, 1, []float32{0.4, 9, 2.5, 30})
	got, err := HeldOutError(context.Background(), train, class, test, []int32{0, 0, 0, Missing}, []int{1, 4}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	// With k=4 the classes tie everywhere, and the smaller class is predicted.
	if want := []float64{1. / 3, 0}; math.Abs(got[0]-want[0]) > 1e-15 || math.Abs(got[1]-want[1]) > 1e-15 {
		t.Errorf("errors %v, want %v", got, want)
	}
}

func TestClasses(t *testing.T) {
	class, names := Classes([]string{"b", "", "a", "b"})
	if !slices.Equal(class, []int32{1, Missing, 0, 1}) || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("classes %v of %v", class, names)
	}
}

func TestBadRequests(t *testing.T) {
	ctx := context.Background()
	x := cloud(6, 10, 2)
	nan := x.Clone()
	nan.Data[3] = float32(math.NaN())
	class := make([]int32, 10)
	none := slices.Repeat([]int32{Missing}, 10)
	_, auc := AUC(nil, []float64{1})
	_, aucNaN := AUC([]float64{math.NaN()}, []float64{1})
	_, rows := Measure(ctx, x, x.Slice(0, 9), Settings{K: 2})
	_, tooMany := Measure(ctx, x, x, Settings{K: 5})
	_, notFinite := Measure(ctx, nan, x, Settings{K: 2})
	_, noLabel := LeaveOneOut(ctx, x, none, []int{1}, Settings{})
	_, labels := LeaveOneOut(ctx, x, class[1:], []int{1}, Settings{})
	_, ks := LeaveOneOut(ctx, x, class, []int{10}, Settings{})
	_, noKs := LeaveOneOut(ctx, x, class, nil, Settings{})
	for name, err := range map[string]error{
		"AUC of one class": auc, "AUC of NaN": aucNaN, "rows": rows, "too many neighbours": tooMany, "NaN": notFinite,
		"no label": noLabel, "label count": labels, "k": ks, "no k": noKs,
	} {
		if !models.IsBadInput(err) {
			t.Errorf("%s: got %v, want bad input", name, err)
		}
	}
}

func TestAUCIsTheProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 8), func(i int) float64 { return float64(i) }), 1, 30)
		p, n := few.Draw(t, "positive"), few.Draw(t, "negative")
		var want float64
		for _, a := range p {
			for _, b := range n {
				switch {
				case a > b:
					want++
				case a == b:
					want += 0.5
				}
			}
		}
		want /= float64(len(p) * len(n))
		if got, err := AUC(p, n); err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("AUC %g (%v), want %g", got, err, want)
		}
	})
}

func ExampleMeasure() {
	// The map places the corners of a square on a line.
	x := vec.Of(6, 2, []float32{0, 0, 0, 1, 1, 1, 1, 0, 5, 5, 5, 6})
	y := vec.Of(6, 1, []float32{0, 1, 2, 3, 9, 10})
	s, err := Measure(context.Background(), x, y, Settings{K: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("trustworthiness %.2f, continuity %.2f, recall %.2f, exact: %v\n", s.Trustworthiness, s.Continuity, s.Recall, s.Exact)
	// Output:
	// trustworthiness 0.80, continuity 0.87, recall 0.67, exact: true
}
