package student

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// The row of the plane is the row of any dimension.
func TestRowsOfThePlane(t *testing.T) {
	const n, k = 300, 7
	nb, err := knn.Graph(t.Context(), knntest.Points[float64]("gauss", n, 5, 1), k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := NewProblem(nb, k, Native)
	r := rand.New(rand.NewPCG(1, 2))
	st := &State{Mu: vec.New[float64](n, 2), Sigma2: make([]float64, n)}
	for i := range n {
		st.Mu.Row(i)[0], st.Mu.Row(i)[1], st.Sigma2[i] = r.NormFloat64(), r.NormFloat64(), r.Float64()
	}
	s := &similar{p: p, d: 2, a: 1}
	w, w2 := make([]float64, p.Similar.NNZ()), make([]float64, p.Similar.NNZ())
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-15*(1+math.Abs(b)) }
	for i := range n {
		g, g2 := []float64{1, -2}, []float64{1, -2}
		sum, sum2 := s.row(st, i, w, g), s.row2(st, i, w2, g2)
		if !near(sum2, sum) || !near(g2[0], g[0]) || !near(g2[1], g[1]) {
			t.Fatalf("row %d: %v and %v, want %v and %v", i, sum2, g2, sum, g)
		}
	}
	for q, v := range w {
		if !near(w2[q], v) {
			t.Fatalf("entry %d: %v, want %v", q, w2[q], v)
		}
	}
}
