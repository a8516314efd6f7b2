package unfold

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// only hides all methods of a matrix except those of mat.Matrix.
type only struct{ mat.Matrix }

// Every form of a matrix is read as the rows that gonum's At returns.
func TestFormsAreReadTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "columns")
		pad := rapid.IntRange(0, 3).Draw(t, "pad")
		value := rapid.SampledFrom([]float32{0, 0, 0, 1, -2.5, 1e-20, 3e38})
		rows, flat := make(Rows, n), Flat{Rows: n, Cols: dim, Stride: dim + pad}
		dense, coo := mat.NewDense(n, dim, nil), sparse.NewCOO(n, dim, nil, nil, nil)
		for i := range rows {
			rows[i] = make([]float32, dim)
			for j := range rows[i] {
				v := value.Draw(t, "value")
				rows[i][j] = v
				dense.Set(i, j, float64(v))
				if v != 0 {
					coo.Set(i, j, float64(v))
				}
			}
			flat.Data = append(flat.Data, rows[i]...)
			if i+1 < n {
				flat.Data = append(flat.Data, make([]float32, pad)...)
			}
		}
		wide := mat.NewDense(n, dim+2, nil)
		wide.Slice(0, n, 1, dim+1).(*mat.Dense).Copy(dense)
		forms := map[string]mat.Matrix{
			"rows": rows, "flat": flat, "blas32": Flat(blas32.General(flat)), "dense": dense, "view": wide.Slice(0, n, 1, dim+1),
			"csr": coo.ToCSR(), "csc": coo.ToCSC(), "transposed": mat.DenseCopyOf(dense.T()).T(), "other": only{dense},
			"rows twice transposed": only{rows.T()}.T(), "flat twice transposed": flat.T().T(),
		}
		for name, x := range forms {
			if !mat.Equal(x, dense) {
				t.Fatalf("%s is another matrix", name)
			}
			from, err := sourceOf(x)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := from.dense(0, n)
			if err != nil || got.Rows != n || got.Cols != dim || !slices.Equal(got.Data, slices.Concat(rows...)) {
				t.Fatalf("%s is read as %v (%v), want %v", name, got, err, rows)
			}
		}
	})
}

// A sparse matrix may be stored in any way: with entries out of order and in parts that add up.
func TestSparseRowsAddUp(t *testing.T) {
	x := sparse.NewCSR(2, 3, []int{0, 3, 3}, []int{2, 0, 2}, []float64{1, 5, 2})
	from, err := sourceOf(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := from.dense(0, 2)
	if err != nil || !slices.Equal(got.Data, []float32{5, 0, 3, 0, 0, 0}) {
		t.Errorf("%v, error %v", got, err)
	}
}

func TestRowsThatCannotBeRead(t *testing.T) {
	type place struct{ row, column int }
	for name, c := range map[string]struct {
		x    mat.Matrix
		at   *place
		want string
	}{
		"nothing":            {nil, nil, "there is no matrix"},
		"ragged":             {Rows{{1, 2}, {3}}, &place{1, -1}, "row 1 has 1 elements, the first has 2"},
		"longer row":         {Rows{{1, 2}, {3, 4}, {5, 6, 7}}, &place{2, -1}, "row 2 has 3 elements"},
		"too large":          {mat.NewDense(2, 2, []float64{1, 2, 3, 1e39}), &place{1, 1}, "too large for single precision"},
		"too large by At":    {only{mat.NewDense(2, 2, []float64{1, -1e300, 3, 4})}, &place{0, 1}, "too large for single precision"},
		"too large, sparse":  {sparse.NewCSR(1, 3, []int{0, 1}, []int{2}, []float64{1e39}), &place{0, 2}, "too large for single precision"},
		"short flat":         {Flat{Rows: 3, Cols: 2, Stride: 2, Data: make([]float32, 5)}, nil, "do not hold 3 rows of 2"},
		"stride below width": {Flat{Rows: 2, Cols: 3, Stride: 2, Data: make([]float32, 9)}, nil, "do not hold 2 rows of 3"},
		"column out of CSR":  {sparse.NewCSR(1, 3, []int{0, 1}, []int{3}, []float64{1}), nil, "row 0 has column 3 of 3"},
	} {
		from, err := sourceOf(c.x)
		if err == nil {
			_, err = from.dense(0, from.rows)
		}
		if !errors.Is(err, ErrBadInput) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
			continue
		}
		var row *RowError
		if errors.As(err, &row) != (c.at != nil) || row != nil && (*c.at != place{row.Row, row.Column}) {
			t.Errorf("%s: %+v, want it at %+v", name, row, c.at)
		}
	}
	if _, err := sourceOf(mat.NewDense(1, 1, []float64{math.NaN()})); err != nil {
		t.Errorf("a missing value: %v; kinds that can do without judge it", err)
	}
}
