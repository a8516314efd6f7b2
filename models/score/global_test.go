package score

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

func line(v ...float32) vec.Matrix[float32] { return vec.Of(len(v), 1, v) }

// In the data 0, 1, 3 every point has a nearer and a farther other point. The map 0, 2, 1 reverses
// the order for the first two. The third has a tie on the map, which goes to the smaller number,
// unlike in the data.
func TestTripletsByHand(t *testing.T) {
	x, y := line(0, 1, 3), line(0, 2, 1)
	triples := [][3]int32{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}
	if in, on := nearer(distance.Euclidean, x, triples), nearer(distance.Euclidean, y, triples); !slices.Equal(in, []bool{true, false, true, true}) || !slices.Equal(on, []bool{false, true, false, false}) {
		t.Errorf("%v: %v in the data, %v on the map", triples, in, on)
	}
	if got := triplets(distance.Euclidean, x, y, 1000, 7, 2); got.Share != 0 || got.Error != 0 || got.Count != 1000 {
		t.Errorf("%+v, want none of 1000", got)
	}
	if got := triplets(distance.Euclidean, x, x, 1000, 7, 2); got.Share != 1 {
		t.Errorf("the data as its own map keep %g of the triplets", got.Share)
	}
	// On a map with all points in one position the smaller number is nearer, as in the data except
	// for the third point.
	kept := 0
	for _, d := range drawTriplets(3, 1000, 7) {
		if d[0] != 2 {
			kept++
		}
	}
	if got, want := triplets(distance.Euclidean, x, line(5, 5, 5), 1000, 7, 2).Share, float64(kept)/1000; got != want {
		t.Errorf("a map of one point keeps %g of the triplets, want %g", got, want)
	}
}

// Every ordered triple of different points is as likely as any other.
func TestTripletsAreUniform(t *testing.T) {
	const n, count = 5, 60_000
	seen := map[[3]int32]int{}
	for _, d := range drawTriplets(n, count, 3) {
		if d[0] == d[1] || d[0] == d[2] || d[1] == d[2] {
			t.Fatalf("%v has a point twice", d)
		}
		seen[d]++
	}
	const all = n * (n - 1) * (n - 2)
	if len(seen) != all {
		t.Fatalf("%d of %d triples were drawn", len(seen), all)
	}
	for d, times := range seen {
		// 1000 are expected; five deviations.
		if math.Abs(float64(times)-count/all) > 5*math.Sqrt(count/all) {
			t.Errorf("%v was drawn %d times of %d", d, times, count)
		}
	}
}

// The share in a sample is near the share of all triples, and does not depend on the number of
// threads.
func TestTripletsEstimateTheShareOfAll(t *testing.T) {
	x, y := cloud(1, 30, 4), cloud(2, 30, 2)
	for i := range 30 {
		y.Row(i)[0] += 2 * x.Row(i)[0]
	}
	var kept, all float64
	for i := range int32(30) {
		for j := range int32(30) {
			for k := range int32(30) {
				if i != j && i != k && j != k {
					all++
					if d := [][3]int32{{i, j, k}}; nearer(distance.Euclidean, x, d)[0] == nearer(distance.Euclidean, y, d)[0] {
						kept++
					}
				}
			}
		}
	}
	want := kept / all
	for _, threads := range []int{1, 2, 5} {
		got := triplets(distance.Euclidean, x, y, 40_000, 9, threads)
		if math.Abs(got.Share-want) > 0.01 || math.Abs(got.Share-want) > 4*got.Error {
			t.Errorf("%d threads: %+v of a sample, %.4f of all", threads, got, want)
		}
		if again := triplets(distance.Euclidean, x, y, 40_000, 9, 1); got != again {
			t.Errorf("%d threads: %+v, one: %+v", threads, got, again)
		}
	}
}

func TestRegressByHand(t *testing.T) {
	// The nearest others of 0, 1, 3, 7 are 1, 0, 1, 3. The mean of the values is 3.75, and the sum
	// of squares around it 28.75. The errors with one neighbour are -1, 1, 2, 4. Three neighbours
	// are all others: v - (15-v)/3 is 4/3 of v's distance from the mean.
	r, err := Regress(context.Background(), line(0, 1, 3, 7), [][]float64{{1, 2, 4, 8}, {8, 4, 2, 1}}, []int{1, 3}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Points != 4 || len(r.Error) != 2 || math.Abs(r.Error[0][0]-math.Sqrt(22/28.75)) > 1e-15 || math.Abs(r.Error[0][1]-4./3) > 1e-15 {
		t.Errorf("%+v", r)
	}
	// The errors of 8, 4, 2, 1 are 4, -4, -2, -1.
	if want := math.Sqrt(37 / 28.75); math.Abs(r.Error[1][0]-want) > 1e-15 {
		t.Errorf("second column %g, want %g", r.Error[1][0], want)
	}
}

// Shifting or scaling a column does not change its error.
func TestRegressIsRelative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := cloud(rapid.Uint64().Draw(t, "seed"), 40, 2)
		scale, shift := rapid.Float64Range(0.5, 50).Draw(t, "scale"), rapid.Float64Range(-9, 9).Draw(t, "shift")
		a, b := make([]float64, 40), make([]float64, 40)
		for i := range a {
			a[i] = float64(y.Row(i)[0]) + 0.1*float64(i%3)
			b[i] = shift - scale*a[i]
		}
		r, err := Regress(context.Background(), y, [][]float64{a, b}, []int{1, 5}, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for m := range r.K {
			if p, q := r.Error[0][m], r.Error[1][m]; math.Abs(p-q) > 1e-9*p || p <= 0 {
				t.Fatalf("%g, scaled %g", p, q)
			}
		}
	})
}

func TestDistancesByHand(t *testing.T) {
	// The distances 1, 3, 2 in the data and 3, 1, 2 on the map (of 01, 02, 12) have opposite ranks.
	three := line(0, 1, 3)
	for _, c := range []struct {
		y    vec.Matrix[float32]
		want float64
	}{{line(0, 3, 1), -1}, {line(9, 7, 3), 1}, {line(0, 1, 2), math.Sqrt(3) / 2}} {
		got, err := Distances(context.Background(), three, c.y, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Spearman-c.want) > 1e-15 || !got.Exact || got.Pairs != 3 || got.SpearmanError != 0 || got.PearsonError != 0 {
			t.Errorf("%v: %+v, want %g", c.y.Data, got, c.want)
		}
	}
	x, y := cloud(1, 400, 3), cloud(2, 400, 2)
	got, err := Distances(context.Background(), x, y, Settings{Pairs: 50, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	pairs := drawPairs(400, 50, 4)
	want := spearman(pairDistances(distance.Euclidean, x, pairs, 1), pairDistances(distance.Euclidean, y, pairs, 1)).rho
	if got.Spearman != want || got.Exact || got.Pairs != 50 || got.Seed != 4 {
		t.Errorf("%+v, want %g of 50", got, want)
	}
}

func TestCentroidsByHand(t *testing.T) {
	// The centroids are 0, 1, 3 in the data and 0, 3, 1 on the map. A point without a class and a
	// class without points are ignored.
	class := []int32{0, 1, 0, 4, Missing, 1}
	x := line(-1, 0, 1, 3, 90, 2)
	y := line(2, 3, -2, 1, -70, 3)
	for _, c := range []struct {
		y    vec.Matrix[float32]
		want float64
	}{{y, -1}, {x, 1}} {
		got, err := Centroids(context.Background(), x, c.y, class, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Spearman-c.want) > 1e-15 || !got.Exact || got.Pairs != 3 {
			t.Errorf("%+v, want %g of 3 pairs", got, c.want)
		}
	}
}

func TestBadRequestsOfGlobalMeasures(t *testing.T) {
	ctx := context.Background()
	x := cloud(6, 10, 2)
	ten := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	holes := append([]float64{math.NaN()}, ten[1:]...)
	_, length := Regress(ctx, x, [][]float64{ten[1:]}, []int{1}, Settings{})
	_, hole := Regress(ctx, x, [][]float64{holes}, []int{1}, Settings{})
	_, constant := Regress(ctx, x, [][]float64{make([]float64, 10)}, []int{1}, Settings{})
	_, ks := Regress(ctx, x, [][]float64{ten}, []int{10}, Settings{})
	_, rows := Distances(ctx, x, x.Slice(0, 9), Settings{})
	_, few := Distances(ctx, x.Slice(0, 2), x.Slice(0, 2), Settings{})
	_, classes := Centroids(ctx, x, x, []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, Settings{})
	_, labels := Centroids(ctx, x, x, []int32{0}, Settings{})
	_, shape := Centroids(ctx, x, x.Slice(0, 9), make([]int32, 10), Settings{})
	_, count := Measure(ctx, x, x, Settings{K: 2, Triplets: -1})
	_, pairs := Distances(ctx, x, x, Settings{Pairs: 1})
	_, recall := Neighborhoods(ctx, x, x, Settings{K: 2, Recall: []int{3, 10}})
	for name, err := range map[string]error{
		"values": length, "NaN": hole, "constant": constant, "k": ks, "rows": rows, "two points": few,
		"two classes": classes, "labels": labels, "centroids' rows": shape, "triplets": count, "pairs": pairs, "recall": recall,
	} {
		if !models.IsBadInput(err) {
			t.Errorf("%s: got %v, want bad input", name, err)
		}
	}
}
