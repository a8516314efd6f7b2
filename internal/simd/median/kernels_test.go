package median

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// table returns a table whose memory ends at inaccessible memory.
func table(t testing.TB, n, columns int) Table {
	x := Table{Index: simdtest.AtEnd[int32](t, n), SpareIndex: simdtest.AtEnd[int32](t, n)}
	for range columns {
		x.Columns = append(x.Columns, simdtest.AtEnd[float64](t, n))
		x.Spare = append(x.Spare, simdtest.AtEnd[float64](t, n))
	}
	return x
}

// number draws from few distinct numbers, so that some are equal, and from extreme ones.
func number(r *rand.Rand) float64 {
	switch r.IntN(20) {
	case 0:
		return math.Inf(1 - 2*r.IntN(2))
	case 1:
		return simdtest.Odd[r.IntN(len(simdtest.Odd)-1)]
	}
	return float64(r.IntN(30))
}

// Every kernel gives the same bits as its plain version and changes nothing else, for any length,
// place and instruction set.
func TestKernelsAgreeWithTwins(t *testing.T) {
	const lengths, columns = 257, 3
	r := rand.New(rand.NewPCG(1, 2))
	whole := table(t, lengths+3, columns)
	for _, l := range simd.Levels() {
		for n := 1; n <= lengths; n++ {
			for i := range whole.Index {
				whole.Index[i] = int32(i)
				for c := range whole.Columns {
					whole.Columns[c][i] = number(r)
				}
			}
			from := len(whole.Index) - n // to the end
			if n%3 == 0 {
				from -= r.IntN(min(3, from) + 1)
			}
			to := from + n
			x, of := whole.Columns[1][from:to], whole.Index[from:to]

			low, high := extentAt(l, x)
			if a, b := nothing(); true {
				if a, b = extent(x, a, b); a != low || b != high {
					t.Fatalf("%v, n = %d: extent %v, %v, want %v, %v", l, n, low, high, a, b)
				}
			}
			p, q := number(r), number(r)
			if got, want := belowAt(l, x, p), below(x, p); got != want {
				t.Fatalf("%v, n = %d: %d numbers below %v, want %d", l, n, got, p, want)
			}
			number, index := simdtest.AtEnd[float64](t, n), simdtest.AtEnd[int32](t, n)
			wantNumber, wantIndex := make([]float64, n), make([]int32, n)
			got, want := betweenAt(l, number, index, x, of, p, q), between(wantNumber, wantIndex, x, of, 0, 0, p, q)
			if got != want || !slices.Equal(number[:got], wantNumber[:got]) || !slices.Equal(index[:got], wantIndex[:got]) {
				t.Fatalf("%v, n = %d: %d between %v and %v, want %d", l, n, got, p, q, want)
			}

			a, b := copied(&whole), copied(&whole)
			v, last := x[r.IntN(n)], of[r.IntN(n)]
			m, want := divideAt(l, &whole, 1, from, to, v, last), divide(&a, 1, from, to, from, from, v, last)
			if m != want {
				t.Fatalf("%v, n = %d: %d rows first, want %d", l, n, m-from, want-from)
			}
			same := func(what string, got, want Table, from, to int) {
				if !slices.Equal(got.Index[from:to], want.Index[from:to]) {
					t.Fatalf("%v, n = %d: %s differ", l, n, what)
				}
				for c := range columns {
					if !slices.Equal(got.Columns[c][from:to], want.Columns[c][from:to]) {
						t.Fatalf("%v, n = %d: %s differ in column %d", l, n, what, c)
					}
				}
			}
			same("first rows", whole, a, from, m)
			same("other rows", spare(&whole), spare(&a), from, to-(m-from))
			same("rows before", whole, b, 0, from)
			same("rows behind", whole, b, to, len(b.Index))
			same("spare rows before", spare(&whole), spare(&b), 0, from)
			same("spare rows behind", spare(&whole), spare(&b), to, len(b.Index))
		}
	}
}

func spare(t *Table) Table { return Table{Columns: t.Spare, Index: t.SpareIndex} }

func copied(t *Table) Table {
	out := Table{Index: slices.Clone(t.Index), SpareIndex: slices.Clone(t.SpareIndex)}
	for c := range t.Columns {
		out.Columns, out.Spare = append(out.Columns, slices.Clone(t.Columns[c])), append(out.Spare, slices.Clone(t.Spare[c]))
	}
	return out
}

// Divide puts the rows of the smallest numbers first and keeps the order on either side, with any
// ties and infinities.
func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 600).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		values := rapid.IntRange(1, 300).Draw(t, "values")
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		x := NewTable(n+8, 2)
		type row struct {
			key  float64
			i    int32
			rest float64
		}
		from := r.IntN(8)
		rows := make([]row, n)
		for i := range rows {
			key := float64(r.IntN(values))
			switch kind {
			case 1:
				key = r.NormFloat64()
			case 2:
				key = math.Exp(20 * r.NormFloat64())
			case 3:
				key = number(r)
			}
			rows[i] = row{key, int32(3 * i), r.Float64()}
			x.Columns[0][from+i], x.Columns[1][from+i], x.Index[from+i] = rows[i].rest, key, int32(3*i)
		}
		m := rapid.IntRange(1, n-1).Draw(t, "m")
		low, high := x.Extent(1, from, from+n)
		x.Divide(1, from, from+n, m, low, high)
		slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.i, b.i)) })
		byIndex := func(a, b row) int { return cmp.Compare(a.i, b.i) }
		slices.SortFunc(rows[:m], byIndex)
		slices.SortFunc(rows[m:], byIndex)
		for i, want := range rows {
			got := row{x.Columns[1][from+i], x.Index[from+i], x.Columns[0][from+i]}
			if got != want {
				t.Fatalf("row %d of %d, %d first: %v, want %v", i, n, m, got, want)
			}
		}
	})
}

// BenchmarkDivide measures halving rows of three columns.
func BenchmarkDivide(b *testing.B) {
	for _, n := range []int{34, 272, 4096, 65536} {
		b.Run("", func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			x := NewTable(n, 3)
			for c := range 3 {
				for i := range n {
					x.Columns[c][i], x.Index[i] = r.NormFloat64(), int32(i)
				}
			}
			for b.Loop() {
				low, high := x.Extent(0, 0, n)
				x.Divide(0, 0, n, n/2, low, high)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}
