package sq8

// Query is the code of a query.
type Query struct {
	// Base and a score make a squared distance in steps.
	Base int32

	code []int8
	// runs are numbers of groups of columns, one run behind the other, whose products with any row
	// add up within 16 bits.
	runs []uint8
	own  []uint8 // memory for runs
}

// Set makes q the code of x, and reports whether it has one: it does not if x is far outside of the
// range of the rows.
func (q *Query) Set(s *Scale, x []float32) (ok bool) {
	if len(q.code) != s.Width() {
		q.code, q.own = make([]int8, s.Width()), make([]uint8, 0, s.Width()/group)
	}
	clear(q.code[len(x):])
	if !(s.code(q.code, x) <= mostQuery) {
		return false
	}
	q.Base = 0
	for k, c := range q.code[:len(s.reach)] {
		q.Base += int32(c) * (int32(c) + 2*int32(s.reach[k]))
	}
	q.runs = runs(q.own[:0], q.code, s.reach)
	q.own = q.runs
	return true
}

// RowQuery is the query of a row's code (Row), in the memory of the code: it must not be Set. It has no Base,
// for who asks which row is the nearest.
func (s *Scale) RowQuery(code []int8) Query { return Query{code: code, runs: s.runs} }

// runs appends runs of groups: as many groups to each as may be, of whose columns the first two and the
// last two are summed apart. A row has at most twice the reach in a column, and at least 0.
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

// rowRuns are runs for the codes of all rows of such a reach.
func rowRuns(reach []uint8) []uint8 {
	code := make([]int8, len(reach))
	for k, r := range reach {
		code[k] = int8(r)
	}
	return runs(nil, code, reach)
}
