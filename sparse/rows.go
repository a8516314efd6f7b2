package sparse

import (
	"cmp"
	"math"
	"slices"
)

// Tidy sorts rows for a CSR, in place: columns ascend, repeated entries are added in order, and
// zeros are removed. It is for rows from other sources; Start must ascend and columns be in range.
func (c *CSR) Tidy() {
	var row []entry
	to := 0
	for i := range c.N {
		from, end := c.Start[i], c.Start[i+1]
		c.Start[i] = to
		if row = row[:0]; !ascends(c.Index[from:end]) {
			for p := from; p < end; p++ {
				row = append(row, entry{c.Index[p], c.Data[p]})
			}
			slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.column, b.column) })
			end = from
			for k, e := range row {
				if k > 0 && e.column == c.Index[end-1] {
					c.Data[end-1] += e.value
					continue
				}
				c.Index[end], c.Data[end] = e.column, e.value
				end++
			}
		}
		for p := from; p < end; p++ {
			if c.Data[p] != 0 {
				c.Index[to], c.Data[to] = c.Index[p], c.Data[p]
				to++
			}
		}
	}
	c.Start[c.N] = to
	c.Index, c.Data = c.Index[:to], c.Data[:to]
}

// entry is a value with its column.
type entry struct {
	column int32
	value  float64
}

// ascends reports columns that ascend strictly.
func ascends(index []int32) bool {
	for p := 1; p < len(index); p++ {
		if index[p] <= index[p-1] {
			return false
		}
	}
	return true
}

// Slice returns rows from..to (to excluded), which share the memory of their entries.
func (c *CSR) Slice(from, to int) *CSR {
	a, b := c.Start[from], c.Start[to]
	out := &CSR{N: to - from, M: c.M, Start: slices.Clone(c.Start[from : to+1]), Index: c.Index[a:b:b], Data: c.Data[a:b:b]}
	for i := range out.Start {
		out.Start[i] -= a
	}
	return out
}

// Take returns the named rows in that order, with memory of their own.
func (c *CSR) Take(rows []int32) *CSR {
	t := &CSR{N: len(rows), M: c.M, Start: make([]int, len(rows)+1)}
	for r, i := range rows {
		t.Start[r+1] = t.Start[r] + c.Start[i+1] - c.Start[i]
	}
	t.Index, t.Data = make([]int32, 0, t.Start[t.N]), make([]float64, 0, t.Start[t.N])
	for _, i := range rows {
		index, data := c.Row(int(i))
		t.Index, t.Data = append(t.Index, index...), append(t.Data, data...)
	}
	return t
}

// Stack concatenates the rows of several matrices with equal numbers of columns. It returns a
// single matrix unchanged, and nil for none.
func Stack(parts ...*CSR) *CSR {
	if len(parts) < 2 {
		return append(parts, nil)[0]
	}
	out := &CSR{M: parts[0].M, Start: []int{0}}
	for _, c := range parts {
		if c.M != out.M {
			shapePanic("Stack", "%d and %d columns", out.M, c.M)
		}
		for _, end := range c.Start[1:] {
			out.Start = append(out.Start, len(out.Index)+end)
		}
		out.N += c.N
		out.Index, out.Data = append(out.Index, c.Index...), append(out.Data, c.Data...)
	}
	return out
}

// SquaredDistance returns the squared Euclidean distance between row i and row j of o, which has as
// many columns. It sums, in the order of the columns, squared differences that are each rounded to
// float64. If the sum exceeds most it stops and returns +Inf.
func (c *CSR) SquaredDistance(i int, o *CSR, j int, most float64) float64 {
	a, x := c.Row(i)
	b, y := o.Row(j)
	sum, p, q := 0.0, 0, 0
	for p < len(a) && q < len(b) {
		var d float64
		switch {
		case a[p] < b[q]:
			d = x[p]
			p++
		case a[p] > b[q]:
			d = y[q]
			q++
		default:
			d = x[p] - y[q]
			p++
			q++
		}
		if sum += float64(d * d); sum > most { // not fused on any processor
			return math.Inf(1)
		}
	}
	for _, v := range x[p:] {
		sum += float64(v * v)
	}
	for _, v := range y[q:] {
		sum += float64(v * v)
	}
	if sum > most {
		return math.Inf(1)
	}
	return sum
}
