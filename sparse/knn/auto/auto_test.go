package auto

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/gallery"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
	"unfold/sparse/knn/nndescent"
)

// The rule gives the documented method at the sizes in the package comment.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		set          Settings
		n, dim, k    int
		graph, index Method
	}{
		{Settings{}, 1000, 50, 10, Exact, Exact},
		{Settings{}, 4096, 5000, 10, Exact, Exact},
		{Settings{}, 10_000, 50, 10, Exact, Exact},
		{Settings{}, 20_000, 50, 10, Exact, HNSW},
		{Settings{}, 60_000, 50, 10, Exact, HNSW},
		{Settings{}, 70_000, 50, 10, Exact, HNSW},
		{Settings{}, 200_000, 50, 10, Descent, HNSW},
		{Settings{}, 70_000, 50, 40, Exact, HNSW},
		{Settings{}, 20_000, 784, 10, Exact, HNSW},
		{Settings{}, 25_000, 784, 15, Exact, HNSW},
		{Settings{}, 25_001, 784, 15, Descent, HNSW},
		{Settings{}, 30_000, 784, 40, Exact, HNSW},
		{Settings{}, 12_000, 784, 10, Exact, HNSW},
		{Settings{}, 25_000, 3072, 10, Exact, HNSW},
		{Settings{}, 25_001, 3072, 10, Descent, HNSW},
		{Settings{}, 150_000, 95, 10, Descent, HNSW},
		{Settings{}, 1_000_000, 50, 100, Descent, HNSW},
		{Settings{Recall: 1}, 1_000_000, 50, 10, Exact, Exact},
		{Settings{Recall: 0.999}, 70_000, 50, 10, Exact, HNSW},
		{Settings{Method: Exact}, 1_000_000, 50, 10, Exact, Exact},
		{Settings{Method: HNSW}, 1000, 50, 10, Exact, HNSW},
		{Settings{Method: HNSW}, 200_000, 50, 10, Descent, HNSW},
		{Settings{Method: Descent}, 1000, 50, 10, Descent, Exact},
		{Settings{Method: Descent}, 70_000, 50, 10, Descent, HNSW},
	} {
		if g, i := c.set.Graph(c.n, c.dim, c.k), c.set.Index(c.n, c.dim, c.k); g != c.graph || i != c.index {
			t.Errorf("%+v, %d x %d, k = %d: %v and %v, want %v and %v", c.set, c.n, c.dim, c.k, g, i, c.graph, c.index)
		}
	}
}

// Wide rows without cells are searched exactly up to 25,000, unless links are requested.
func TestScans(t *testing.T) {
	for _, c := range []struct {
		set    Settings
		n, dim int
		want   bool
	}{
		{Settings{}, 20_000, 768, true},
		{Settings{Recall: 0.9}, 25_000, 96, true},
		{Settings{}, 25_001, 768, false},
		{Settings{}, 20_000, 50, false},
		{Settings{Method: HNSW}, 20_000, 768, false},
	} {
		if got := c.set.Scans(c.n, c.dim); got != c.want {
			t.Errorf("%+v, %d x %d: %v, want %v", c.set, c.n, c.dim, got, c.want)
		}
	}
}

// Other distances than the Euclidean are searched by descent beyond 15,000 rows, those of bits never.
func TestUnder(t *testing.T) {
	for _, c := range []struct {
		set  Settings
		by   distance.Distance
		n    int
		want Method
	}{
		{Settings{}, distance.Manhattan, 15_000, Exact},
		{Settings{}, distance.Manhattan, 15_001, Descent},
		{Settings{Recall: 0.9}, distance.Canberra, 15_001, Descent},
		{Settings{Recall: 1}, distance.Canberra, 1_000_000, Exact},
		{Settings{Method: Exact}, distance.Chebyshev, 1_000_000, Exact},
		{Settings{Method: Descent}, distance.Chebyshev, 100, Descent},
		{Settings{}, distance.Jaccard, 1_000_000, Exact},
		{Settings{Method: Descent}, distance.Jaccard, 1_000_000, Exact},
		{Settings{}, distance.Euclidean, 1_000_000, Auto},
		{Settings{Method: HNSW}, distance.Euclidean, 1_000_000, HNSW},
	} {
		if got := c.set.Under(c.by, c.n).Method; got != c.want {
			t.Errorf("%+v, %v, %d rows: %v, want %v", c.set, c.by, c.n, got, c.want)
		}
	}
	x := knntest.Points[float32]("gauss", 1500, 6, 1)
	nb, r, err := Graph(t.Context(), x, 5, Settings{Method: Descent}, knn.Settings{Distance: distance.Manhattan})
	if err != nil || r.Method != Descent || r.Recall < 0.97 {
		t.Fatalf("%+v, error %v", r, err)
	}
	if index, dist2 := nb.Row(7); dist2[0] != distance.Between(distance.Manhattan, x.Row(7), x.Row(int(index[0]))) {
		t.Errorf("the nearest row is at %v", dist2[0])
	}
}

// The number of candidates grows with k and recall, and is at least k.
func TestCandidates(t *testing.T) {
	for _, f := range []func(int, float64) int{candidates, Ef} {
		last := 0
		for _, recall := range []float64{0.5, 0.9, 0.99, 0.995, 0.999, 0.9999999} {
			for _, k := range []int{1, 10, 41, 300} {
				if got := f(k, recall); got < k || got < f(k, 0.5) || got > 20*(k+22) {
					t.Errorf("k = %d, recall %v: %d", k, recall, got)
				}
			}
			if ef := Ef(41, recall); recall < 0.9999 && recall > 0.98 && math.Abs(Recall(41, ef)-recall) > 0.0003 {
				t.Errorf("%d candidates, made for %v, find %v", ef, recall, Recall(41, ef))
			}
			if got := f(10, recall); got < last {
				t.Errorf("recall %v: %d, less than %d for a lower one", recall, got, last)
			} else {
				last = got
			}
		}
	}
}

func TestSettings(t *testing.T) {
	for _, s := range []Settings{{}, {Method: HNSW, Recall: 0.9, Seed: 3}, {Method: Descent}, {Method: Exact, Recall: 1}} {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again Settings
		if err := json.Unmarshal(b, &again); err != nil || again != s {
			t.Errorf("%s is read as %+v, error %v", b, again, err)
		}
	}
	for _, s := range []Settings{{Method: 4}, {Method: -1}, {Recall: -0.1}, {Recall: 1.1}, {Recall: math.NaN()}, {Method: HNSW, Recall: 1}} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
		if _, _, err := Graph(t.Context(), vec.New[float32](20, 2), 3, s, knn.Settings{}); err == nil {
			t.Errorf("%+v: a graph", s)
		}
	}
	var m Method
	if err := m.UnmarshalText([]byte("annoy")); err == nil {
		t.Error("annoy is a method")
	}
	if _, err := Method(9).MarshalText(); err == nil || Method(9).String() == "" {
		t.Error("9 is a method")
	}
}

// Every method reaches its recall in single precision, and is exact in double precision.
func TestGraph(t *testing.T) {
	double, _ := gallery.Blobs(6000, 12, 9, 2, 1)
	x := vec.Convert[float32](double)
	const k = 8
	want, err := knn.Graph(t.Context(), x, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Auto, Exact, HNSW, Descent} {
		for _, recall := range []float64{0, 0.9, 0.995} {
			nb, r, err := Graph(t.Context(), x, k, Settings{Method: m, Recall: recall}, knn.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			got, least := knntest.Share(nb, want), Settings{Recall: recall}.recall(DefaultRecall)
			if got < least-0.003 || m == Exact && got < 1 {
				t.Errorf("%v, recall %v: found %.4f", m, recall, got)
			}
			if (m == Descent) != (r.Method == Descent) || m != Descent && r.Method != Exact || r.Recall > 0 && math.Abs(r.Recall-got) > 0.01 {
				t.Errorf("%v, recall %v: report %+v, found %.4f", m, recall, r, got)
			}
			for i := range nb.N {
				index, dist2 := nb.Row(i)
				for p, j := range index {
					if int(j) == i || dist2[p] != vec.SquaredDistance(x.Row(i), x.Row(int(j))) {
						t.Fatalf("%v: row %d has neighbour %d at %v", m, i, j, dist2[p])
					}
				}
			}
		}
	}
	nb, r, err := Graph(t.Context(), vec.Convert[float64](x), k, Settings{Method: Descent}, knn.Settings{})
	if err != nil || r != (Report{Method: Exact, Recall: 1}) || knntest.Share(nb, want) < 1 {
		t.Errorf("double precision: %+v, error %v", r, err)
	}
}

// On data where descent cannot find enough neighbours, the graph falls back to exact search.
func TestGraphFallsBack(t *testing.T) {
	x := knntest.Points[float32]("gauss", 3000, 60, 1)
	want, err := knn.Graph(t.Context(), x, 5, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	nb, r, err := Graph(t.Context(), x, 5, Settings{Method: Descent, Recall: 0.9999}, knn.Settings{})
	if err != nil || knntest.Share(nb, want) < 0.999 {
		t.Errorf("%.4f found, report %+v, error %v", knntest.Share(nb, want), r, err)
	}
}

// An index that is built passes the conformance suite of all indexes.
func TestIndex(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Recall: 0.98}, func(x vec.Matrix[float32]) knn.Index {
		ix, err := Build(context.Background(), x, 12, Settings{}, knn.Settings{})
		if err != nil {
			return failing{err: err}
		}
		return ix
	})
}

// failing is an index that could not be built.
type failing struct {
	knn.Index
	err error
}

func (f failing) Search(context.Context, vec.Matrix[float32], int, knn.Settings) (*knn.Neighbors, error) {
	return nil, f.err
}

// An index reaches the recall that it was built for, and a higher one if requested.
func TestTuned(t *testing.T) {
	all, _ := gallery.Blobs(20_200, 20, 30, 3, 2)
	x := vec.Convert[float32](all.Slice(0, 20_000))
	q := vec.Convert[float32](all.Slice(20_000, 20_200))
	const k = 10
	want, err := knn.NewExact(x).Search(t.Context(), q, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Build(t.Context(), x, k, Settings{Recall: 0.9}, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if Tuned(ix, k, Settings{}) != knn.Index(ix) {
		t.Error("an index that nothing was asked of is another one")
	}
	for _, recall := range []float64{0.9, 0.99, 0.999} {
		nb, err := Tuned(ix, k, Settings{Recall: recall}).Search(t.Context(), q, k, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if got := knntest.Share(nb, want); got < recall-0.01 {
			t.Errorf("recall %v: found %.4f", recall, got)
		}
	}
}

func TestInterrupted(t *testing.T) {
	x, _ := gallery.Blobs(5000, 6, 3, 1, 1)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, m := range []Method{Exact, HNSW, Descent} {
		if _, _, err := Graph(ctx, vec.Convert[float32](x), 5, Settings{Method: m}, knn.Settings{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// Binary rows are searched exactly where other rows would not be, unless another method is
// requested or there are very many.
func TestRowsOfBits(t *testing.T) {
	const n, dim, k = 26_000, 512, 3
	for _, c := range []struct {
		name         string
		set          Settings
		n, dim       int
		graph, index Method
	}{
		{"bits", Settings{}, n, dim, Exact, Exact},
		{"descent is asked for", Settings{Method: Descent}, n, dim, Descent, HNSW},
		{"hnsw is asked for", Settings{Method: HNSW}, n, dim, Descent, HNSW},
		{"very many", Settings{}, 20 * n, dim, Descent, HNSW},
		{"few columns", Settings{}, 20 * n, knn.LeastBits - 1, Descent, HNSW},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := c.set.Bits(c.n, c.dim)
			if g, i := set.Graph(c.n, c.dim, k), set.Index(c.n, c.dim, k); g != c.graph || i != c.index {
				t.Errorf("%v and %v, expected %v and %v", g, i, c.graph, c.index)
			}
		})
	}
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(i * 0x9e3779b1 >> 20 & 1)
	}
	nb, r, err := Graph(t.Context(), x, k, Settings{}, knn.Settings{})
	if err != nil || r.Method != Exact || r.Recall != 1 {
		t.Fatalf("%+v, error %v", r, err)
	}
	some := []int32{0, n / 2, n - 1}
	want := knntest.Brute(x, vec.Take(x, some), k, func(q, j int) bool { return int(some[q]) == j })
	for q, i := range some {
		gi, gd := nb.Row(int(i))
		if wi, wd := want.Row(q); !slices.Equal(gi, wi) || !slices.Equal(gd, wd) {
			t.Errorf("row %d: %v %v, expected %v %v", i, gi, gd, wi, wd)
		}
	}
}

// Predicted memory agrees with the sizes that the methods report.
func TestBytes(t *testing.T) {
	const n, k = 9000, 10
	for _, dim := range []int{7, 50} {
		all, _ := gallery.Blobs(n, dim, 9, 2, 3)
		x := vec.Convert[float32](all)
		ix, err := Build(t.Context(), x, k, Settings{}, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		_, r, err := nndescent.Graph(t.Context(), x, k, nndescent.Settings{}, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct{ got, want int64 }{
			"index":   {Settings{Method: HNSW}.IndexBytes(n, dim, k), ix.Bytes()},
			"descent": {Settings{Method: Descent}.GraphBytes(n, dim, k), r.Bytes},
		} {
			if e := math.Abs(float64(c.got)/float64(c.want) - 1); e > 0.06 {
				t.Errorf("dim %d, %s: %d bytes predicted, it holds %d", dim, name, c.got, c.want)
			}
		}
		if b := (Settings{}).GraphBytes(n, dim, k); b < 4*n*int64(dim) {
			t.Errorf("dim %d: %d bytes for an exact graph", dim, b)
		}
	}
	if b := (Settings{}).IndexBytes(1000, 50, k); b != 0 {
		t.Errorf("%d bytes for no index", b)
	}
}
