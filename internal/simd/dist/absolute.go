package dist

import (
	"math"

	"unfold/internal/simd"
)

// Manhattan writes to out[i] the sum of absolute differences between q and row rows[i] of data, in
// the layout of Rows.
func Manhattan(out, q, data []float32, stride int, rows []int32) {
	rowsAt(simd.Best(), manhattan, out, q, data, stride, rows)
}

// Chebyshev writes to out[i] the largest absolute difference between q and row rows[i] of data, in
// the layout of Rows.
func Chebyshev(out, q, data []float32, stride int, rows []int32) {
	rowsAt(simd.Best(), chebyshev, out, q, data, stride, rows)
}

// Canberra writes to out[i] the sum of |q_k - y_k| / (|q_k| + |y_k|) over the elements of q and row
// rows[i] of data, y, in the layout of Rows. 0/0 counts as 0, and so does a sum beyond float32.
func Canberra(out, q, data []float32, stride int, rows []int32) {
	rowsAt(simd.Best(), canberra, out, q, data, stride, rows)
}

// CanberraBeyond returns a threshold: if a float32 sum of n shares exceeds it, the true distance
// exceeds most. A share has three rounding errors, and one more if it is too small for float32.
func CanberraBeyond(most float64, n int) float64 { return beyond(most, Bound(n)+0x1p-22) }

// ManhattanBeyond returns a threshold: if a float32 sum of n differences exceeds it, the true
// distance exceeds most.
func ManhattanBeyond(most float64, n int) float64 { return beyond(most, Bound(n)) }

// ChebyshevBeyond returns a threshold: if a float32 difference exceeds it, the true difference
// exceeds most. Only the subtraction is rounded.
func ChebyshevBeyond(most float64) float64 { return beyond(most, 1.0/(1<<23)) }

// beyond returns most plus the largest relative error, or +Inf beyond the range of float32.
func beyond(most, share float64) float64 {
	if limit := most * (1 + share); limit < math.MaxFloat32 {
		return limit
	}
	return math.Inf(1)
}

// AddAbsolute adds the absolute differences of a and b in double precision to lanes: that of
// element k to lane k mod 4, in order. It returns the number of elements processed. That is the
// largest possible multiple of 16 if this processor has a kernel, and otherwise 0. It panics if b
// is shorter than a.
func AddAbsolute(lanes *[4]float64, a, b []float32) int {
	return absolute64(simd.Best(), manhattan, lanes, a, b)
}

// MaxAbsolute is AddAbsolute for the largest difference of each lane, which must not be negative.
func MaxAbsolute(lanes *[4]float64, a, b []float32) int {
	return absolute64(simd.Best(), chebyshev, lanes, a, b)
}

func absolute64(l simd.Level, m measure, lanes *[4]float64, a, b []float32) int {
	b = b[:len(a)]
	groups := len(a) / Lanes
	if groups == 0 || !doubles(l, m, lanes, a, b, groups) {
		return 0
	}
	return groups * Lanes
}

// absoluteTwin is the plain Go twin of the kernels for two vectors.
func absoluteTwin(m measure, a, b []float32) float32 {
	var lane [Lanes]float32
	for len(a) >= Lanes {
		x, y := (*[Lanes]float32)(a), (*[Lanes]float32)(b)
		switch m {
		case manhattan:
			for l := range lane {
				lane[l] += abs(x[l] - y[l])
			}
		case canberra:
			for l := range lane {
				lane[l] += ratio(x[l], y[l])
			}
		case chebyshev:
			for l := range lane {
				lane[l] = larger(lane[l], abs(x[l]-y[l]))
			}
		}
		a, b = a[Lanes:], b[Lanes:]
	}
	for l, v := range a {
		lane[l] = m.join(lane[l], m.term(v, b[l]))
	}
	for h := Lanes / 2; h > 0; h /= 2 {
		for l := range h {
			lane[l] = m.join(lane[l], lane[l+h])
		}
	}
	return lane[0]
}

// term is the contribution of an element.
func (m measure) term(a, b float32) float32 {
	if m == canberra {
		return ratio(a, b)
	}
	return abs(a - b)
}

func (m measure) join(a, b float32) float32 {
	if m == chebyshev {
		return larger(a, b)
	}
	return a + b
}

// ratio is the share of Canberra's distance, 0 for 0/0 and for infinities.
func ratio(a, b float32) float32 {
	differ := abs(a - b)
	return larger(differ/larger(abs(a+b), differ), 0)
}

// larger is the maximum as VMAXPS computes it for numbers that are not NaN.
func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }
