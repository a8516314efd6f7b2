package budget

import (
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/sparse"
)

// thinRows returns n sparse rows of dim columns with ten entries each.
func thinRows(n, dim int) *sparse.Rows {
	x := trial(n, 10)
	var rows, columns []int32
	for i := range n {
		for j := range 10 {
			rows, columns = append(rows, int32(i)), append(columns, int32((j*dim/10+i*(j+1))%dim))
		}
	}
	return sparse.RowsFromTriplets(n, dim, rows, columns, vec.Convert[float64](x).Data)
}

// The time of sparse rows consists of the search among their entries, of their projection, and of
// learning in the components. A search among full rows and their covariance do not count.
func TestSecondsOfSparseRows(t *testing.T) {
	a := thinRows(600, 1000)
	p, err := New(Job{Rows: 600, Dim: 1000, Entries: a.NNZ(), Spec: fit.Spec{Common: models.Common{Threads: 1}, PCA: 20}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Timed() || !p.SparseTimed() {
		t.Errorf("timed without the rows %v, with them %v", p.Timed(), p.SparseTimed())
	}
	v, err := MeasureSparse(t.Context(), p, a)
	if err != nil {
		t.Fatal(err)
	}
	whole := p.Seconds(v)
	if v.Sparse <= 0 || whole <= v.Sparse {
		t.Errorf("%g seconds, of which %g before learning", whole, v.Sparse)
	}
	v.Pair, v.Trial.KNN, v.Rates.Product, v.Rates.Projected = 1, 1, 1, 1
	if again := p.Seconds(v); again != whole {
		t.Errorf("%g seconds, with a slow search among full rows %g", whole, again)
	}
}
