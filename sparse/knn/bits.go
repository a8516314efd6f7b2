package knn

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/simd/hamming"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// LeastBits is the minimum number of columns of binary rows that are searched as bits. Fewer
// columns fill less than half a word, and tiles are as fast.
const LeastBits = 32

// Binary reports whether searches treat the rows of x as bits: all values are 0 or 1, and there are
// at least LeastBits columns. The squared distance of two rows is then the number of columns in
// which they differ (Hamming 1950).
func Binary[T vec.Float](x vec.Matrix[T], threads int) bool {
	return x.Cols >= LeastBits && x.Rows > 0 && zerosAndOnes(x, threads)
}

// zerosAndOnes reports whether all values are 0 or 1.
func zerosAndOnes[T vec.Float](x vec.Matrix[T], threads int) bool {
	const size = 1024
	other := func(v T) bool { return v != 0 && v != 1 }
	if slices.ContainsFunc(x.Row(0), other) {
		return false // most non-binary rows are recognised here
	}
	found := make([]bool, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		found[piece] = slices.ContainsFunc(x.Data[from*x.Cols:to*x.Cols], other)
	})
	return !slices.Contains(found, true)
}

// bitRows are binary rows stored as bits. Positions are ordered by the number of ones and then by
// row: two rows that differ in d columns have numbers of ones within d of each other. Columns are
// ordered by decreasing variance, so that counts of the first words often decide.
type bitRows struct {
	counts      *distance.Counts // nil for Hamming's distance, which is the squared Euclidean
	words, head int
	bit         []int32  // of every column
	order       []int32  // the row at every position
	ones        []int32  // and its number of ones
	rows        []uint64 // position by position
	panels      *hamming.Panels
	level       simd.Level
	works       par.Lender[bitWork]
}

// bitHead returns the number of words after which a comparison may stop: two fifths of a row, from
// trials with digits.
func bitHead(words int) int { return max(1, (2*words+2)/5) }

// newBitRows packs binary rows for comparison by a distance of bits or the Euclidean one.
func newBitRows[T vec.Float](d distance.Distance, x vec.Matrix[T], threads int) *bitRows {
	b := &bitRows{counts: d.Counts(), words: hamming.Words(x.Cols), level: simd.Best()}
	b.head, b.bit = bitHead(b.words), bitsByVariance(x)
	packed, ones := packBits(b, x, threads)
	b.order = byOnes(ones)
	b.ones, b.rows = make([]int32, x.Rows), make([]uint64, len(packed))
	b.panels = hamming.NewPanels(x.Rows, b.words)
	for i, r := range b.order {
		b.ones[i] = ones[r]
		row := b.row(i)
		copy(row, packed[int(r)*b.words:])
		b.panels.Set(i, row)
	}
	return b
}

// bitsByVariance returns the bit of every column. Columns with about as many ones as zeros come
// first.
func bitsByVariance[T vec.Float](x vec.Matrix[T]) []int32 {
	sum := make([]float64, x.Cols)
	for i := range x.Rows {
		for k, v := range x.Row(i) {
			sum[k] += float64(v)
		}
	}
	columns := make([]int, x.Cols)
	for k := range columns {
		columns[k] = k
		sum[k] = math.Abs(sum[k] - float64(x.Rows)/2)
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(sum[a], sum[b]) })
	bit := make([]int32, x.Cols)
	for at, k := range columns {
		bit[k] = int32(at)
	}
	return bit
}

// packBits returns rows of 0 and 1 as bits, and their numbers of ones.
func packBits[T vec.Float](b *bitRows, x vec.Matrix[T], threads int) (words []uint64, ones []int32) {
	words, ones = make([]uint64, x.Rows*b.words), make([]int32, x.Rows)
	par.Ranges(threads, x.Rows, 1024, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := words[i*b.words:][:b.words]
			for k, v := range x.Row(i) {
				if v != 0 {
					row[b.bit[k]>>6] |= 1 << (b.bit[k] & 63)
					ones[i]++
				}
			}
		}
	})
	return words, ones
}

// byOnes returns the rows ordered by their numbers of ones; ties keep their order.
func byOnes(ones []int32) []int32 {
	order := make([]int32, len(ones))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(ones[a], ones[b]) })
	return order
}

// row returns the bits of the row at a position.
func (b *bitRows) row(i int) []uint64 { return b.rows[i*b.words:][:b.words] }

// bytes is the memory of the rows.
func (b *bitRows) bytes() int64 {
	return b.panels.Bytes() + 8*int64(len(b.rows)) + 4*int64(len(b.bit)+len(b.order)+len(b.ones))
}
