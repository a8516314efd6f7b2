package sq8

import "math"

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
func (q *Query) Set(s *Scale, x []float32) (ok bool) {
	q.grow(s)
	if !(s.code(q.code, x) <= mostQuery) {
		return false
	}
	q.Base, q.shift = 0, 0
	for k, c := range q.code[:len(s.reach)] {
		q.Base += int32(c) * (int32(c) + 2*int32(s.reach[k]))
	}
	q.run(s)
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
	q.run(s)
}

// grow makes room for a code, with zeros beyond the last column.
func (q *Query) grow(s *Scale) {
	if len(q.code) != s.Width() {
		q.code, q.own = make([]int8, s.Width()), make([]uint8, 0, s.Width()/group)
	}
	clear(q.code[len(s.center):])
}

// run fills in the runs of the code.
func (q *Query) run(s *Scale) {
	q.runs = runs(q.own[:0], q.code, s.reach)
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

// runs appends runs of groups, each as long as possible. The first two and the last two columns of
// a group are summed separately. A row has at most twice the reach in a column, and at least 0.
func runs(to []uint8, code []int8, reach []uint8) []uint8 {
	const top = 1<<15 - 1
	var sums [group]int32 // those of positive and of negative products, of either two columns
	length := uint8(0)
	for k := 0; k < len(code); k += group {
		c, r := (*[group]int8)(code[k:]), (*[group]uint8)(reach[k:])
		var more [group]int32
		for i, v := range c {
			product := 2 * int32(v) * int32(r[i])
			negative := product >> 31 // all bits or none: a branch would often be wrong
			more[i/2] += product &^ negative
			more[2+i/2] -= product & negative
		}
		room := length < 255
		for i, v := range more {
			sums[i] += v
			room = room && sums[i] <= top
		}
		if !room {
			to = append(to, length)
			sums, length = more, 0
		}
		length++
	}
	return append(to, length)
}

// rowRuns returns runs that are valid for the codes of all rows with the given reach.
func rowRuns(reach []uint8) []uint8 {
	code := make([]int8, len(reach))
	for k, r := range reach {
		code[k] = int8(r)
	}
	return runs(nil, code, reach)
}
