package cells

import (
	"math"

	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/dist"
)

const (
	// A cell has about sqrt(n)/density rows.
	density = 4
	// Centres are trained with so many rows each, by so many steps.
	training = 24
	steps    = 5
)

// cut says which rows are in which cell.
type cut struct {
	centers vec.Matrix[float32]
	rows    [][]int32
	// branches are the centres of what was cut into cells, if there are two levels.
	branches vec.Matrix[float32]
}

// partition cuts the rows of x into cells by two levels of k-means: into about as many
// branches as a branch has cells.
func partition(x vec.Matrix[float32], threads int) *cut {
	size := max(8, math.Sqrt(float64(x.Rows))/density)
	cells := float64(x.Rows) / size
	all := make([]int32, x.Rows)
	for i := range all {
		all[i] = int32(i)
	}
	branches := means(x, all, int(math.Ceil(math.Sqrt(cells))), threads)
	parts := make([]*cut, len(branches.rows))
	par.Do(threads, len(parts), func(b int) {
		rows := branches.rows[b]
		parts[b] = means(x, rows, int(math.Ceil(float64(len(rows))/size)), 1)
	})
	out := &cut{centers: vec.Matrix[float32]{Cols: x.Cols}, branches: branches.centers}
	for _, p := range parts {
		out.centers.Data = append(out.centers.Data, p.centers.Data...)
		out.rows = append(out.rows, p.rows...)
	}
	out.centers.Rows = len(out.rows)
	return out
}

// means cuts the given rows of x into at most k cells by k-means, learnt from a sample.
// Cells without rows are left out.
func means(x vec.Matrix[float32], rows []int32, k, threads int) *cut {
	m := newLloyd(x, rows, k)
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
	out := &cut{centers: vec.Matrix[float32]{Cols: x.Cols}}
	for c, list := range lists {
		if len(list) > 0 {
			out.rows = append(out.rows, list)
			out.centers.Data = append(out.centers.Data, m.centers.Row(c)...)
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

// lloyd are centres that move (Lloyd 1982, Least squares quantization in PCM).
type lloyd struct {
	x       vec.Matrix[float32]
	centers vec.Matrix[float32]
	number  []int32 // 0 to k-1
	sum     []float64
	count   []int
}

func newLloyd(x vec.Matrix[float32], rows []int32, k int) *lloyd {
	m := &lloyd{x: x, centers: vec.New[float32](k, x.Cols), number: make([]int32, k), sum: make([]float64, k*x.Cols), count: make([]int, k)}
	for c, r := range strided(rows, k) {
		copy(m.centers.Row(c), x.Row(int(r)))
		m.number[c] = int32(c)
	}
	return m
}

// assign sets of[i] to the nearest centre of row rows[i], the first of equally near ones.
func (m *lloyd) assign(rows, of []int32, threads int) {
	const size = 1024
	par.Ranges(threads, len(rows), size, func(_, from, to int) {
		d := make([]float32, len(m.number))
		for i := from; i < to; i++ {
			dist.Rows(d, m.x.Row(int(rows[i])), m.centers.Data, m.centers.Cols, m.number)
			best := 0
			for c, v := range d {
				if v < d[best] {
					best = c
				}
			}
			of[i] = int32(best)
		}
	})
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
