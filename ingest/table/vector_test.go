package table_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// numbers lists the types of vector elements, and whether they are integers.
var numbers = map[arrow.DataType]bool{
	arrow.PrimitiveTypes.Int8: true, arrow.PrimitiveTypes.Int16: true, arrow.PrimitiveTypes.Int32: true, arrow.PrimitiveTypes.Int64: true,
	arrow.PrimitiveTypes.Uint8: true, arrow.PrimitiveTypes.Uint16: true, arrow.PrimitiveTypes.Uint32: true, arrow.PrimitiveTypes.Uint64: true,
	arrow.FixedWidthTypes.Float16: false, arrow.PrimitiveTypes.Float32: false, arrow.PrimitiveTypes.Float64: false,
}

// lists returns the list types for a type of elements, each of three elements.
func lists(element arrow.DataType) []arrow.DataType {
	return []arrow.DataType{arrow.ListOf(element), arrow.LargeListOf(element), arrow.FixedSizeListOf(3, element), arrow.ListViewOf(element), arrow.LargeListViewOf(element)}
}

// Vectors of every type, in whole columns and in parts of them, are copied value by value.
func TestVectors(t *testing.T) {
	const json = `[[9, 9, 9], [1, 2, 3], [4, 5, 6], [7, 0, 8]]`
	want := [][]float64{{9, 9, 9}, {1, 2, 3}, {4, 5, 6}, {7, 0, 8}}
	for element, whole := range numbers {
		for _, dt := range lists(element) {
			for _, a := range []arrow.Array{fromJSON(t, dt, json), foreign(fromJSON(t, dt, json))} {
				for from := range len(want) {
					c := table.NewColumn("c", a).Slice(from, len(want))
					n := c.Len()
					if c.Kind() != table.Vector || table.WholeNumbers(c) != whole {
						t.Fatalf("%s: kind %v, whole numbers %v", dt, c.Kind(), !whole)
					}
					if d, ok := table.VectorDim(c); !ok || d != 3 {
						t.Errorf("%s: length %d, %v", dt, d, ok)
					}
					got := slices.Repeat([]float32{-1}, 3*n+1)
					if err := table.CopyVectors(got, 3, c, here, false); err != nil {
						t.Fatalf("%s: %v", dt, err)
					}
					double := make([]float64, 3*n)
					if err := table.CopyVectors(double, 3, c, here, false); err != nil || !slices.Equal(double, slices.Concat(want[from:]...)) {
						t.Errorf("%s from %d: %v in double precision, %v", dt, from, double, err)
					}
					each := table.VectorRows(c)
					for i := range n {
						for k, v := range want[from+i] {
							if got[3*i+k] != float32(v) {
								t.Errorf("%s from %d: row %d: %v, want %v", dt, from, i, got[3*i:3*i+3], want[from+i])
								break
							}
						}
						if row := each(i); !slices.Equal(row, want[from+i]) {
							t.Errorf("%s from %d: row %d alone: %v, want %v", dt, from, i, row, want[from+i])
						}
					}
					if got[3*n] != -1 {
						t.Errorf("%s: more than the rows was written", dt)
					}
				}
			}
		}
	}
	if table.WholeNumbers(table.StringColumn("c", []string{"a"})) || table.WholeNumbers(column(t, arrow.ListOf(text), `[["a"]]`)) {
		t.Error("text is a list of whole numbers")
	}
}

// The length of vectors is that of the first present vector, or of the type.
func TestVectorDim(t *testing.T) {
	list, fixed := arrow.ListOf(f32), arrow.FixedSizeListOf(3, f32)
	for _, c := range []struct {
		c     table.Column
		dim   int
		known bool
	}{
		{column(t, list, `[null, [1, 2], [1]]`), 2, true},
		{column(t, list, `[[], [1, 2]]`), 0, true},
		{column(t, list, `[null, null]`), 0, false},
		{column(t, list, `[]`), 0, false},
		{column(t, fixed, `[]`), 3, true},
		{column(t, fixed, `[null]`), 3, true},
	} {
		if dim, known := table.VectorDim(c.c); dim != c.dim || known != c.known {
			t.Errorf("%s %s: %d, %v; want %d, %v", c.c.DataType(), rows(c.c), dim, known, c.dim, c.known)
		}
	}
}

// Missing vectors and elements are refused with row and element, or are NaN where values may be
// missing.
func TestVectorsThatAreNotWhole(t *testing.T) {
	nan := math.NaN()
	doubles := func(n int, values ...float64) table.Column {
		return table.NewColumn("c", table.FixedList(n, len(values)/n, table.Float64Column("", values).Array()))
	}
	for _, c := range []struct {
		c       table.Column
		problem string    // "" for none
		missing string    // the problem where values may be missing
		want    []float64 // with missing values
	}{
		{column(t, arrow.ListOf(f32), `[[1, 2], null]`), `row 12, column "c": the vector is null; drop such rows`, `the vector is null`, nil},
		{column(t, arrow.ListOf(f32), `[[1, 2], [3, 4, 5]]`), `row 12, column "c": the vector has 3 elements, 2 are expected; every vector of a map has one length`, "has 3 elements", nil},
		{column(t, arrow.ListOf(f32), `[[1, 2], [3]]`), `the vector has 1 elements, 2 are expected`, "has 1 elements", nil},
		{column(t, arrow.ListOf(f32), `[[1, 2], [3, null]]`), `row 12, column "c": element 1 of the vector is null; drop such rows (missing drop), or fill them (missing mean)`, "", []float64{1, 2, 3, nan}},
		{column(t, arrow.ListOf(i64), `[[null, 2], [3, 4]]`), `row 11, column "c": element 0 of the vector is null`, "", []float64{nan, 2, 3, 4}},
		{doubles(2, 1, 2, nan, 4), `row 12, column "c": element 0 of the vector is NaN; values must be finite numbers in the range of float32`, "", []float64{1, 2, nan, 4}},
		{doubles(2, 1, 2, 3, math.Inf(1)), `element 1 of the vector is +Inf`, `element 1 of the vector is +Inf`, nil},
		{doubles(2, 1, 2, -1e300, 4), `row 12, column "c": element 0 of the vector is -1e+300`, "-1e+300", nil},
		{doubles(2, 1, 2, math.MaxFloat32, -math.MaxFloat32), "", "", []float64{1, 2, math.MaxFloat32, -math.MaxFloat32}},
	} {
		dst := make([]float32, 4)
		if err := table.CopyVectors(dst, 2, c.c, here, false); c.problem != "" {
			wantError(t, err, c.problem)
		} else if err != nil {
			t.Error(err)
		}
		err := table.CopyVectors(dst, 2, c.c, here, true)
		if c.missing != "" {
			wantError(t, err, c.missing)
			continue
		}
		if err != nil {
			t.Error(err)
		}
		for k, want := range c.want {
			if got := float64(dst[k]); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s: %v, want %v", rows(c.c), dst, c.want)
			}
		}
	}
	for v, want := range map[float64]bool{0: true, math.MaxFloat32: true, -math.MaxFloat32: true, 3.5e38: false, -3.5e38: false, math.Inf(1): false, math.Inf(-1): false, nan: false} {
		if table.Finite32(v) != want {
			t.Errorf("%v is finite: %v", v, !want)
		}
	}
}

// Rows of any length, with missing values, are read one after the other.
func TestVectorRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	b := array.NewListBuilder(table.Heap, f64)
	var want [][]float64
	for range 50 {
		if rng.IntN(5) == 0 {
			b.AppendNull()
			want = append(want, nil)
			continue
		}
		b.Append(true)
		row := []float64{}
		for range rng.IntN(5) {
			if rng.IntN(4) == 0 {
				b.ValueBuilder().AppendNull()
				row = append(row, math.NaN())
			} else {
				row = append(row, rng.NormFloat64())
				b.ValueBuilder().(*array.Float64Builder).Append(row[len(row)-1])
			}
		}
		want = append(want, row)
	}
	each := table.VectorRows(table.NewColumn("c", b.NewArray()))
	for i, w := range want {
		got := each(i)
		if (got == nil) != (w == nil) || !slices.EqualFunc(got, w, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("row %d: %v, want %v", i, got, w)
		}
	}
}
