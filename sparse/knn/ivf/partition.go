package ivf

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/sq8"
	"unfold/internal/vec"
)

const (
	// A cell has about sqrt(n)/density rows.
	density = 4
	// Centres are trained on this many rows each, in this many steps.
	training = 24
	steps    = 5
)

// cut is a division of rows into cells.
type cut struct {
	centers vec.Matrix[float32]
	rows    [][]int32
	// branches are the centres of the first level, if there are two levels.
	branches vec.Matrix[float32]
}

// coded are rows with their codes.
type coded struct {
	x     vec.Matrix[float32]
	scale *sq8.Scale
	code  []int8 // of row r from r times the scale's width on
}

// encode computes the codes of the rows of x.
func encode(x vec.Matrix[float32], s *sq8.Scale, threads int) *coded {
	c := &coded{x: x, scale: s, code: make([]int8, x.Rows*s.Width())}
	par.Ranges(threads, x.Rows, 1024, func(_, from, to int) {
		for i := from; i < to; i++ {
			s.Row(c.row(int32(i)), x.Row(i))
		}
	})
	return c
}

func (c *coded) row(r int32) []int8 {
	w := c.scale.Width()
	return c.code[int(r)*w:][:w]
}

// partition divides the rows into cells by two levels of k-means, with about as many branches as a
// branch has cells.
func partition(c *coded, threads int) *cut {
	size := max(8, math.Sqrt(float64(c.x.Rows))/density)
	cells := float64(c.x.Rows) / size
	all := make([]int32, c.x.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	branches := means(c, all, int(math.Ceil(math.Sqrt(cells))), threads)
	parts := make([]*cut, len(branches.rows))
	par.Do(threads, len(parts), func(b int) {
		rows := branches.rows[b]
		parts[b] = means(c, rows, int(math.Ceil(float64(len(rows))/size)), 1)
	})
	out := &cut{centers: vec.Matrix[float32]{Cols: c.x.Cols}, branches: branches.centers}
	for _, p := range parts {
		out.centers.Data = append(out.centers.Data, p.centers.Data...)
		out.rows = append(out.rows, p.rows...)
	}
	out.centers.Rows = len(out.rows)
	return out
}

// means divides the given rows into at most k cells by k-means, trained on a sample. Empty cells
// are dropped.
func means(c *coded, rows []int32, k, threads int) *cut {
	m := newLloyd(c, rows, k)
	sample := strided(rows, k*training)
	of := make([]int32, len(rows))
	for range steps {
		m.assign(sample, of, threads)
		m.update(sample, of)
	}
	m.assign(rows, of, threads)
	m.update(rows, of)
	lists := make([][]int32, k)
	for i, r := range rows {
		lists[of[i]] = append(lists[of[i]], r)
	}
	out := &cut{centers: vec.Matrix[float32]{Cols: c.x.Cols}}
	for i, list := range lists {
		if len(list) > 0 {
			out.rows = append(out.rows, list)
			out.centers.Data = append(out.centers.Data, m.centers.Row(i)...)
		}
	}
	out.centers.Rows = len(out.rows)
	return out
}

// strided returns at most n of rows, evenly spaced.
func strided(rows []int32, n int) []int32 {
	if n >= len(rows) {
		return rows
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = rows[i*len(rows)/n]
	}
	return out
}

// lloyd is the state of k-means (Lloyd 1982, Least squares quantization in PCM). Rows are assigned
// to the nearest centre by codes.
type lloyd struct {
	*coded
	centers vec.Matrix[float32]
	panels  *sq8.Panels
	sum     []float64
	count   []int
}

func newLloyd(c *coded, rows []int32, k int) *lloyd {
	m := &lloyd{coded: c, centers: vec.New[float32](k, c.x.Cols), panels: c.scale.NewPanels(par.Pieces(k, sq8.Side)),
		sum: make([]float64, k*c.x.Cols), count: make([]int, k)}
	for i, r := range strided(rows, k) {
		copy(m.centers.Row(i), c.x.Row(int(r)))
	}
	return m
}

// assign sets of[i] to the nearest centre of row rows[i], the first of equally near ones.
func (m *lloyd) assign(rows, of []int32, threads int) {
	code := make([]int8, m.scale.Width())
	for c := range m.centers.Rows {
		m.scale.Row(code, m.centers.Row(c))
		m.panels.Set(c, code)
	}
	const size = 1024
	par.Ranges(threads, len(rows), size, func(_, from, to int) {
		s := make([]int32, m.panels.Len()*sq8.Side)
		for i := from; i < to; i++ {
			q := m.scale.RowQuery(m.row(rows[i]))
			m.panels.Scores(s, &q, 0, m.panels.Len())
			of[i] = first(s)
		}
	})
}

// first returns the position of the least score, the first of equal ones.
func first(s []int32) int32 {
	best, least := 0, s[0]
	for i, v := range s {
		if v < least {
			best, least = i, v
		}
	}
	return int32(best)
}

// update moves the centres to the means of their rows; those without rows stay.
func (m *lloyd) update(rows, of []int32) {
	clear(m.sum)
	clear(m.count)
	for i, r := range rows {
		c := int(of[i])
		m.count[c]++
		sum := m.sum[c*m.x.Cols:][:m.x.Cols]
		for k, v := range m.x.Row(int(r)) {
			sum[k] += float64(v)
		}
	}
	for c, n := range m.count {
		if n == 0 {
			continue
		}
		for k, v := range m.sum[c*m.x.Cols:][:m.x.Cols] {
			m.centers.Row(c)[k] = float32(v / float64(n))
		}
	}
}
