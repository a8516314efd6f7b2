package fit_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	. "unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// topics makes n sparse rows of dim columns. Rows of a topic share a few columns, and all rows
// share some. Every ninth row equals the one before. It also returns the rows as dense vectors.
func topics(n, dim int) (*sparse.Rows, vec.Matrix[float32]) {
	rng := rand.New(rand.NewPCG(11, 7))
	full := vec.New[float32](n, dim)
	var rows, columns []int32
	var values []float64
	for i := range n {
		if i%9 == 8 {
			copy(full.Row(i), full.Row(i-1))
		} else {
			for e := range 12 {
				j := i%6*30 + rng.IntN(40)
				if e < 3 {
					j = 240 + rng.IntN(dim-240)
				}
				full.Row(i)[j] = float32(0.5 + rng.Float64())
			}
		}
		for j, v := range full.Row(i) {
			if v != 0 {
				rows, columns, values = append(rows, int32(i)), append(columns, int32(j)), append(values, float64(v))
			}
		}
	}
	return sparse.RowsFromTriplets(n, dim, rows, columns, values), full
}

// A map of sparse rows equals, to the byte, that of their projection with neighbours found among
// the full rows, for any number of threads. Full rows are placed at their own points.
func TestSparseIsItsProjection(t *testing.T) {
	a, full := topics(270, 400)
	spec := Spec{PCA: 20, Common: models.Common{Steps: 20, Threads: 1}}
	s, r, err := Sparse(t.Context(), a, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Dim != 400 || s.Components.Rows != 20 || r.Report.N != 270 || r.Report.Unique != 240 {
		t.Fatalf("%d values, %d components, %d rows, %d of them distinct", s.Dim, s.Components.Rows, r.Report.N, r.Report.Unique)
	}
	if r.Report.Search != (auto.Report{Method: auto.Exact, Recall: 1}) || r.Truncated.Recall == nil || *r.Truncated.Recall < 0.3 ||
		r.Truncated.Share < 0.3 || r.Truncated.Share > 1 || r.Truncated.Entries != a.NNZ() {
		t.Errorf("search %+v, components %+v", r.Report.Search, r.Truncated)
	}
	unique := make([]int32, s.Reference.Rows)
	for i := len(r.Row) - 1; i >= 0; i-- {
		unique[r.Row[i]] = int32(i)
	}
	resolved, err := spec.ForSparse(a.N(), a.M())
	if err != nil {
		t.Fatal(err)
	}
	near, err := knn.Graph(t.Context(), vec.Convert[float64](vec.Take(full, unique)), resolved.SearchLists(len(unique)), knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	same := Spec{PCA: PCANone, Common: spec.Common}
	same.Given = &knn.Given{N: len(unique), K: near.K, Index: near.Index}
	z := projection.Of(s).Apply(full, 2)
	want, _, err := Fit(t.Context(), vec.Take(z, unique), same, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want.Mu.Data {
		if s.Mu.Data[i] != v {
			t.Fatalf("point %d is at %v, by its projection at %v", i/2, s.Mu.Row(i/2), want.Mu.Row(i/2))
		}
	}
	spec.Threads = 3
	again, _, err := Sparse(t.Context(), a, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, s), written(t, again)) {
		t.Error("three threads make another model")
	}
	p, err := Kinds{}.Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.Place(t.Context(), full)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range at.Mu.Data {
		if math.Abs(float64(v-r.Placed.Mu.Data[i])) > 1e-6 {
			t.Fatalf("row %d is placed at %v, and learnt at %v", i/2, at.Mu.Row(i/2), r.Placed.Mu.Row(i/2))
		}
	}
}

// written returns the bytes of the model's file.
func written(t *testing.T, s *snapshot.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := snapshot.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Kinds with a search of their own learn from the projection.
func TestSparseOfOtherKinds(t *testing.T) {
	a, _ := topics(120, 300)
	s, r, err := Sparse(t.Context(), a, Spec{Kind: "pca", PCA: 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind != "pca" || s.Reference.Cols != 10 || r.Truncated.Recall != nil {
		t.Errorf("kind %s in %d components, %+v", s.Kind, s.Reference.Cols, r.Truncated)
	}
}

func TestSparseRefuses(t *testing.T) {
	a, _ := topics(60, 300)
	if _, _, err := Sparse(t.Context(), a, Spec{PCA: PCANone}, nil); !models.IsBadInput(err) {
		t.Errorf("no components: %v", err)
	}
	if _, _, err := Sparse(t.Context(), a, Spec{PCA: 301}, nil); !models.IsBadInput(err) {
		t.Errorf("more components than columns: %v", err)
	}
	if _, _, err := Sparse(t.Context(), a.Take([]int32{0, 1}), Spec{}, nil); !models.IsBadInput(err) {
		t.Errorf("two rows: %v", err)
	}
	a.Values()[40] = math.Inf(1)
	if _, _, err := Sparse(t.Context(), a, Spec{}, nil); !models.IsBadInput(err) {
		t.Errorf("an infinite value: %v", err)
	}
}
