package sq8

import (
	"math"

	"unfold/internal/simd"
)

// Query is the code of a query.
type Query struct {
	// Base plus a score is the squared distance in steps or, after SetFar, a non-negative number.
	Base int32

	code []int8
	// shift is the number of doublings of the code's step, and norm is a buffer for norms of rows
	// in such steps.
	shift uint
	norm  []int32
	// runs are numbers of groups of columns. The products of a run with any row add up within 16
	// bits.
	runs []uint8
	own  []uint8 // memory for runs
}

// Set makes q the code of x. It reports false if x is too far outside the range of the rows.
func (q *Query) Set(s *Scale, x []float32) (ok bool) { return q.setAt(simd.Best(), s, x) }

func (q *Query) setAt(l simd.Level, s *Scale, x []float32) (ok bool) {
	q.grow(s)
	widest, sum := s.code(l, q.code, x)
	if !(math.Float32frombits(widest) <= mostQuery) {
		return false
	}
	q.Base, q.shift = sum, 0
	q.run(l, s)
	return true
}

// SetFar makes q a coarser code of x, which must be finite: the step is doubled as often as
// necessary. With D times the step a score is
//
//	|code(row)|^2 / D - 2 r.q,  rounded down,
//
// so that rows are ordered by their distances, up to a rounding of the direction of x.
func (q *Query) SetFar(s *Scale, x []float32) {
	q.grow(s)
	widest, step := 0., float64(s.step)
	for k, v := range x {
		widest = max(widest, math.Abs(float64(v)-float64(s.center[k])))
	}
	_, exponent := math.Frexp(widest / step / mostQuery) // which is below 2^exponent
	q.shift = uint(max(0, exponent))
	per := math.Ldexp(1/step, -int(q.shift))
	q.Base = 0
	for k, v := range x {
		c := math.RoundToEven((float64(v) - float64(s.center[k])) * per)
		q.code[k] = int8(c)
		q.Base += 4 * max(0, int32(c)) * int32(s.reach[k])
	}
	q.run(simd.Best(), s)
}

// grow makes room for a code, with zeros beyond the last column.
func (q *Query) grow(s *Scale) {
	if len(q.code) != s.Width() {
		q.code, q.own = make([]int8, s.Width()), make([]uint8, 0, s.Width()/group)
	}
	clear(q.code[len(s.center):])
}

// run fills in the runs of the code.
func (q *Query) run(l simd.Level, s *Scale) {
	q.runs = runs(l, q.own[:0], q.code, s.reach)
	q.own = q.runs
}

// norms returns norms of rows in the steps of the query.
func (q *Query) norms(norm []int32) []int32 {
	if q.shift == 0 {
		return norm
	}
	q.norm = q.norm[:0]
	for _, v := range norm {
		if v != nowhere {
			v >>= q.shift
		}
		q.norm = append(q.norm, v)
	}
	return q.norm
}

// RowQuery returns the query of a row's code (Row), sharing its memory; it must not be Set. It has
// no Base, so it only serves to find the nearest row.
func (s *Scale) RowQuery(code []int8) Query { return Query{code: code, runs: s.runs} }

// rowRuns returns runs that are valid for the codes of all rows with the given reach.
func rowRuns(reach []uint8) []uint8 {
	code := make([]int8, len(reach))
	for k, r := range reach {
		code[k] = int8(r)
	}
	return runsTwin(nil, code, reach)
}
