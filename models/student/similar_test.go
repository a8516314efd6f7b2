package student

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// A row in the plane equals the row computed for any dimension.
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
	double, short := p.delta2.double, p.weights.short
	single, long := make([]float32, len(double)), make([]uint32, len(short))
	for q, v := range double {
		single[q], long[q] = float32(v), uint32(short[q])
		double[q] = float64(single[q])
	}
	for name, c := range map[string]struct {
		l     pairLengths
		short []uint8
		long  []uint32
	}{
		"double, short": {pairLengths{double: double}, short, nil}, "double, long": {pairLengths{double: double}, nil, long},
		"single, short": {pairLengths{single: single}, short, nil}, "single, long": {pairLengths{single: single}, nil, long},
	} {
		p.delta2, p.weights.short, p.weights.long = c.l, c.short, c.long
		t.Run(name, func(t *testing.T) { compareRows(t, s, st) })
	}
}

// compareRows compares rows with row.
func compareRows(t *testing.T, s *similar, st *State) {
	n, entries := st.Mu.Rows, s.p.Similar.NNZ()
	w, grad, a := make([]float64, entries), vec.New[float64](n, 2), s.p.laplacian(2)
	for i := range n {
		copy(grad.Row(i), []float64{0.5, -1})
	}
	s.rows(st, 2, a, grad, 0, n)
	precision := 1e-15
	if a.Single != nil {
		precision = 1e-6
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= precision*(1+math.Abs(b)) }
	for i := range n {
		g, g2 := []float64{1, -2}, grad.Row(i)
		if sum := s.row(st, i, w, g); !near(a.Diagonal[i], sum) || !near(g2[0], g[0]) || !near(g2[1], g[1]) {
			t.Fatalf("row %d: %v and %v, want %v and %v", i, a.Diagonal[i], g2, sum, g)
		}
	}
	for q, got := range a.Wide().W.Data {
		if !near(got, w[q]) {
			t.Fatalf("entry %d: %v, want %v", q, got, w[q])
		}
	}
}
