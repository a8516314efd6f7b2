package dist

import (
	"fmt"
	"math"

	"unfold/internal/simd"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/dist -out ../simd/dist/kernels_amd64.s -stubs ../simd/dist/stubs_amd64.go -pkg dist
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/dist -out ../simd/dist/kernels_arm64.s -stubs ../simd/dist/stubs_arm64.go -pkg dist

// Lanes is the number of partial sums of a distance.
const Lanes = 16

// Bound returns the largest relative error of a distance of n elements; see the package comment.
func Bound(n int) float64 { return float64((n+Lanes-1)/Lanes+8) / (1 << 24) }

// AtLeast returns a lower bound of the true squared distance of vectors of n elements, given its
// float32 value d.
func AtLeast(d float32, n int) float64 {
	// Each square may have lost half the smallest float32, or may have overflowed.
	lost := float64(n) * math.SmallestNonzeroFloat32
	return (min(float64(d), math.MaxFloat32) - lost) * (1 - Bound(n))
}

// Squared returns the squared distance of a and b. It panics if b is shorter than a; it ignores
// further elements of b.
func Squared(a, b []float32) float32 { return squaredAt(simd.Best(), a, b) }

func squaredAt(l simd.Level, a, b []float32) float32 {
	if len(b) < len(a) {
		panic(fmt.Sprintf("dist: vectors of %d and %d elements", len(a), len(b)))
	}
	if len(a) == 0 {
		return 0
	}
	return pair(l, a, b)
}

// Rows writes to out[i] the squared distance of q and row rows[i] of data, which begins at
// data[rows[i]*stride] and has the length of q. It panics if out is shorter than rows, if a row is
// not within data, or if stride is not positive.
func Rows(out, q, data []float32, stride int, rows []int32) {
	rowsAt(simd.Best(), squared, out, q, data, stride, rows)
}

// measure is the function of the differences of two vectors that is computed.
type measure int

const (
	squared measure = iota
	manhattan
	chebyshev
	canberra
)

func rowsAt(l simd.Level, m measure, out, q, data []float32, stride int, rows []int32) {
	checkRoom(len(out), len(rows))
	if len(rows) == 0 {
		return
	}
	limit := limit(len(q), len(data), stride)
	if left := several(l, m, out, q, data, stride, limit, rows); left > 0 {
		checkLast(left, rows, limit)
	}
}

// Exact writes to out[i] the same bits as vec.SquaredDistance for q and row rows[i] of data, in the
// layout of Rows.
func Exact(out []float64, q, data []float32, stride int, rows []int32) {
	exactAt(simd.Best(), out, q, data, stride, rows)
}

func exactAt(l simd.Level, out []float64, q, data []float32, stride int, rows []int32) {
	checkRoom(len(out), len(rows))
	if len(rows) == 0 {
		return
	}
	limit := limit(len(q), len(data), stride)
	if left := exactly(l, out, q, data, stride, limit, rows); left > 0 {
		checkLast(left, rows, limit)
	}
}

// Prefetch prefetches the first two cache lines of s, if it has any elements. It does not change
// results.
func Prefetch(s []int32) {
	if len(s) > 0 {
		touch(s)
	}
}

// limit returns the number of rows of the given length in data.
func limit(length, data, stride int) int {
	if stride < 1 {
		panic(fmt.Sprintf("dist: rows that lie %d elements apart", stride))
	}
	if data < length {
		return 0
	}
	return (data-length)/stride + 1
}

func checkRoom(room, rows int) {
	if room < rows {
		panic(fmt.Sprintf("dist: room for %d of %d distances", room, rows))
	}
}

// checkLast panics for the first of the last rows that is not below limit.
func checkLast(left int, rows []int32, limit int) {
	for _, r := range rows[len(rows)-left:] {
		if r < 0 || int(r) >= limit {
			panic(fmt.Sprintf("dist: row %d of %d", r, limit))
		}
	}
}
