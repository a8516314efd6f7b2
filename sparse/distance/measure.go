package distance

import (
	"math"

	"unfold/internal/simd/dist"
	"unfold/internal/vec"
)

// Between returns d2 of two rows.
func Between[T vec.Float](d Distance, a, b []T) float64 {
	if d == Euclidean {
		return vec.SquaredDistance(a, b)
	}
	return Within(d, a, b, math.Inf(1))
}

// About writes to out[i] d2 of q and row rows[i] of data in single precision, or a number in the same
// order, as the distance itself. It is made for many rows. A pair of rows has the same result in either
// order.
func About(d Distance, out, q, data []float32, stride int, rows []int32) {
	switch k := d.Kernel(); {
	case d == Euclidean:
		dist.Rows(out, q, data, stride, rows)
	case k != nil:
		k.About(out, q, data, stride, rows)
	default:
		for i, r := range rows {
			at := int(r) * stride
			out[i] = float32(Between(d, q, data[at:at+len(q)]))
		}
	}
}

// Exact writes to out[i] d2 of q and row rows[i] of data, which begins at data[rows[i]*stride].
func Exact[T vec.Float](d Distance, out []float64, q, data []T, stride int, rows []int32) {
	if data, single := any(data).([]float32); single && d == Euclidean {
		dist.Exact(out, any(q).([]float32), data, stride, rows)
		return
	}
	for i, r := range rows {
		at := int(r) * stride
		out[i] = Between(d, q, data[at:at+len(q)])
	}
}

// Within returns d2 of two rows if it is at most most. Otherwise it returns a number above most,
// since it stops as soon as the sum exceeds the limit.
func Within[T vec.Float](d Distance, a, b []T, most float64) float64 {
	e := d.entry()
	switch {
	case e.power:
		return powersWithin(d.power(), a, b, most)
	case e.counts != nil:
		return byCounts(e.counts, a, b)
	case e.single == nil:
		return ofTerms(e.term, a, b, most)
	}
	if x, single := any(a).([]float32); single {
		return e.single(x, any(b).([]float32), most)
	}
	return e.double(any(a).([]float64), any(b).([]float64), most)
}

// ofTerms adds the terms of columns until the sum exceeds most.
func ofTerms[T vec.Float](term func(a, b float64) float64, a, b []T, most float64) (sum float64) {
	for k, v := range a {
		if sum += term(float64(v), float64(b[k])); sum > most {
			break
		}
	}
	return sum
}

func difference(a, b float64) float64 { return math.Abs(a - b) }

func euclidean[T vec.Float](a, b []T, _ float64) float64 { return vec.SquaredDistance(a, b) }

// together is the number of columns after which a sum is compared with its limit.
const together = 16

// manhattan computes four independent sums, each over every fourth column, so that additions do not
// wait for each other. With a vector kernel it always sums all columns.
func manhattan[T vec.Float](a, b []T, most float64) float64 {
	b = b[:len(a)]
	var s [4]float64
	if x, single := any(a).([]float32); single {
		done := dist.AddAbsolute(&s, x, any(b).([]float32))
		a, b = a[done:], b[done:]
	}
	for len(a) >= together {
		x, y := (*[together]T)(a), (*[together]T)(b) // of known length, without checks of bounds
		for k := 0; k < together; k += 4 {
			s[0] += math.Abs(float64(x[k]) - float64(y[k]))
			s[1] += math.Abs(float64(x[k+1]) - float64(y[k+1]))
			s[2] += math.Abs(float64(x[k+2]) - float64(y[k+2]))
			s[3] += math.Abs(float64(x[k+3]) - float64(y[k+3]))
		}
		if sum := (s[0] + s[1]) + (s[2] + s[3]); sum > most {
			return sum
		}
		a, b = a[together:], b[together:]
	}
	for k, v := range a {
		s[0] += math.Abs(float64(v) - float64(b[k]))
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// chebyshev keeps four maxima likewise.
func chebyshev[T vec.Float](a, b []T, most float64) float64 {
	b = b[:len(a)]
	var m [4]float64
	if x, single := any(a).([]float32); single {
		done := dist.MaxAbsolute(&m, x, any(b).([]float32))
		a, b = a[done:], b[done:]
	}
	largest := larger(larger(m[0], m[1]), larger(m[2], m[3]))
	for len(a) > 0 && largest*largest <= most {
		piece := min(len(a), together)
		for k, v := range a[:piece] {
			largest = larger(largest, math.Abs(float64(v)-float64(b[k])))
		}
		a, b = a[piece:], b[piece:]
	}
	return largest * largest
}

// larger is max without the special treatment of NaN.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// relative is the term of Canberra.
func relative(a, b float64) float64 {
	if a == b { // also 0 and 0
		return 0
	}
	return math.Abs(a-b) / (math.Abs(a) + math.Abs(b))
}

// canberra computes four sums likewise, whose divisions do not wait for each other.
func canberra[T vec.Float](a, b []T, most float64) float64 {
	b = b[:len(a)]
	var s [4]float64
	for len(a) >= together {
		x, y := (*[together]T)(a), (*[together]T)(b)
		for k := 0; k < together; k += 4 {
			s[0] += relative(float64(x[k]), float64(y[k]))
			s[1] += relative(float64(x[k+1]), float64(y[k+1]))
			s[2] += relative(float64(x[k+2]), float64(y[k+2]))
			s[3] += relative(float64(x[k+3]), float64(y[k+3]))
		}
		if sum := (s[0] + s[1]) + (s[2] + s[3]); sum > most {
			return sum
		}
		a, b = a[together:], b[together:]
	}
	for k, v := range a {
		s[0] += relative(float64(v), float64(b[k]))
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// brayCurtis computes four sums of values likewise. Differences are those of manhattan.
func brayCurtis[T vec.Float](a, b []T, _ float64) float64 {
	differ := manhattan(a, b, math.Inf(1))
	if differ == 0 {
		return 0
	}
	b = b[:len(a)]
	var s [4]float64
	whole := len(a) &^ 3
	for k := 0; k < whole; k += 4 {
		x, y := (*[4]T)(a[k:]), (*[4]T)(b[k:])
		s[0] += math.Abs(float64(x[0])) + math.Abs(float64(y[0]))
		s[1] += math.Abs(float64(x[1])) + math.Abs(float64(y[1]))
		s[2] += math.Abs(float64(x[2])) + math.Abs(float64(y[2]))
		s[3] += math.Abs(float64(x[3])) + math.Abs(float64(y[3]))
	}
	for k := whole; k < len(a); k++ {
		s[0] += math.Abs(float64(a[k])) + math.Abs(float64(b[k]))
	}
	return min(differ/((s[0]+s[1])+(s[2]+s[3])), 1) // rounding must not exceed 1
}

// zeros is a row of zeros, which nothing changes.
var zeros [1024]float32

// aboutBrayCurtis is Kernel.About of BrayCurtis. The sum of a row is its Manhattan distance from 0, also
// that of q, so that a pair of rows has the same result in either order.
func aboutBrayCurtis(out, q, data []float32, stride int, rows []int32) {
	dist.Manhattan(out, q, data, stride, rows)
	zero := zeros[:]
	if len(q) > len(zero) {
		zero = make([]float32, len(q))
	}
	var own [1]float32
	dist.Manhattan(own[:], zero[:len(q)], q, len(q), []int32{0})
	var sums [64]float32
	for at := 0; at < len(rows); at += len(sums) {
		piece := rows[at:min(at+len(sums), len(rows))]
		dist.Manhattan(sums[:len(piece)], zero[:len(q)], data, stride, piece)
		for i, sum := range sums[:len(piece)] {
			o := &out[at+i]
			switch {
			case *o == 0:
			case *o > math.MaxFloat32: // the sum of differences is beyond float32, the distance is not
				*o = 0
			default:
				*o = float32(float64(*o) / (float64(own[0]) + float64(sum)))
			}
		}
	}
}

// brayCurtisBeyond allows for the rounding of both sums and of the quotient.
func brayCurtisBeyond(most float64, n int) float64 {
	return most * (1 + 4*dist.Bound(n) + 0x1p-20)
}

// Box returns a lower bound of d2 between row and any row whose columns are within low..high. It is 0
// for a distance that is not Bounded.
func Box[T vec.Float](d Distance, row []T, low, high []float64) float64 {
	e := d.entry()
	switch {
	case e.power:
		return powerBox(d.power(), row, low, high)
	case e.bound == nil:
		return 0
	}
	sum, largest := 0.0, 0.0
	for k, v := range row {
		out := outside(float64(v), low[k], high[k])
		largest = max(largest, out)
		if e.squares {
			out *= out
		}
		sum += out
	}
	return e.bound(sum, largest)
}

// bySum is the bound of a distance that is a sum over columns. It is lower than the exact sum by a
// share of 2^-30, because the order of summation differs.
func bySum(sum, _ float64) float64 { return sum * (1 - 0x1p-30) }

// Shares sets to to the contribution of each column to d2 of two rows; the sum is d2 up to
// rounding. For Euclidean, Manhattan and Canberra it is the column's term. For Chebyshev the columns
// with the largest difference share the whole equally. For rows of 0 and 1 the differing columns
// do. For Bray-Curtis and Minkowski shares are in proportion to differences and to their powers.
func Shares[T vec.Float](d Distance, to []float64, a, b []T) {
	e := d.entry()
	for k, v := range a {
		to[k] = e.term(float64(v), float64(b[k]))
	}
	switch {
	case e.power:
		powerShares(d.power(), to, Between(d, a, b))
	case e.split != nil:
		e.split(to, Between(d, a, b))
	}
}

// largestShares divides the square of the largest difference among the columns that have it.
func largestShares(to []float64, _ float64) {
	largest, at := 0.0, 0.0
	for _, v := range to {
		switch {
		case v > largest:
			largest, at = v, 1
		case v == largest:
			at++
		}
	}
	for k, v := range to {
		if to[k] = 0; v == largest {
			to[k] = largest * largest / at
		}
	}
}

// equalShares divides d2 among the columns that differ.
func equalShares(to []float64, d2 float64) {
	differ := 0.0
	for _, v := range to {
		if v != 0 {
			differ++
		}
	}
	for k, v := range to {
		if v != 0 {
			to[k] = d2 / differ
		}
	}
}

// inProportion divides d2 in proportion to the terms.
func inProportion(to []float64, d2 float64) {
	sum := 0.0
	for _, v := range to {
		sum += v
	}
	if sum == 0 {
		return
	}
	for k, v := range to {
		to[k] = d2 * (v / sum)
	}
}
