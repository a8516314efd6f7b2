package saul

import (
	"unfold/coarse/landmark"
	"unfold/internal/par"
)

const (
	// taskPairs is the approximate number of pairs in one task of a sweep.
	taskPairs = 1 << 16
	// maxStrips bounds the number of strips of a block, because each strip allocates its own sums
	// for up to all nodes of the block.
	maxStrips = 32
)

// blocks stores the dissimilar blocks in the order in which sweeps read them. The nodes of all
// blocks follow one another as "entries": block b has the entries off[b]:off[b+1]. The state is
// gathered by coordinate, so that the inner loops read and write contiguous memory. A point has one
// entry for each block that it is a node of.
type blocks struct {
	d     int
	scale float64
	list  []landmark.Block
	off   []int
	node  []int32
	w     []float64
	a, b  []float64 // Delta_uv = a[u] + b[v]
	// The entries of point i are of[start[i]:start[i+1]], ascending.
	start, of []int32

	mu     [][]float64 // d columns of entries
	sigma2 []float64
	sum    [][]float64 // d columns of sums, the results of a sweep
	tasks  []task
}

// task is a run of whole blocks, or a strip of rows of one block with its own sums. The division
// into tasks depends only on the block sizes, and the sums of strips are added in a fixed order, so
// results do not depend on the number of threads.
type task struct {
	first, last int // blocks, last excluded
	from, to    int // rows of block first, if strip
	strip       bool
	own         [][]float64 // d columns for the entries from row from on
	work        *work
}

func newBlocks(p *landmark.Pairs, d int) *blocks {
	s := &blocks{d: d, scale: p.Scale, list: p.Blocks, off: make([]int, 1, len(p.Blocks)+1)}
	total := 0
	for i := range p.Blocks {
		total += p.Blocks[i].Len()
		s.off = append(s.off, total)
	}
	s.node, s.w = make([]int32, total), make([]float64, total)
	s.a, s.b = make([]float64, total), make([]float64, total)
	for i := range p.Blocks {
		o := s.off[i]
		copy(s.node[o:], p.Blocks[i].Nodes)
		copy(s.w[o:], p.Blocks[i].W)
		copy(s.a[o:], p.Blocks[i].A)
		copy(s.b[o:], p.Blocks[i].B)
	}
	s.invert(p.N)
	s.mu, s.sum, s.sigma2 = columns(d, total), columns(d, total), make([]float64, total)
	s.cut()
	return s
}

func columns(d, n int) [][]float64 {
	all, out := make([]float64, d*n), make([][]float64, d)
	for c := range out {
		out[c] = all[c*n : (c+1)*n : (c+1)*n]
	}
	return out
}

// cut makes the tasks.
func (s *blocks) cut() {
	var work int64
	first := 0
	flush := func(to int) {
		if first < to {
			s.tasks = append(s.tasks, task{first: first, last: to, work: newWork(s.d)})
		}
		first, work = to, 0
	}
	for b := range s.list {
		m := int64(s.list[b].Len())
		pairs := m * (m - 1) / 2
		if pairs > 2*taskPairs {
			flush(b)
			s.strips(b, pairs)
			first = b + 1
			continue
		}
		if work += pairs; work >= taskPairs {
			flush(b + 1)
		}
	}
	flush(len(s.list))
}

// strips divides the rows of a large block into strips of about equal work.
func (s *blocks) strips(b int, pairs int64) {
	m := s.list[b].Len()
	count := min(maxStrips, pairs/taskPairs)
	from, done := 0, int64(0)
	for k := int64(1); k <= count; k++ {
		to := from
		for to < m && done < pairs*k/count {
			done += int64(m - 1 - to)
			to++
		}
		if k == count {
			to = m
		}
		if to > from {
			s.tasks = append(s.tasks, task{
				first: b, last: b + 1, from: from, to: to, strip: true, own: columns(s.d, m-from), work: newWork(s.d),
			})
		}
		from = to
	}
}

// invert lists the entries of every point.
func (s *blocks) invert(n int) {
	s.start, s.of = make([]int32, n+1), make([]int32, len(s.node))
	for _, i := range s.node {
		s.start[i+1]++
	}
	for i := range n {
		s.start[i+1] += s.start[i]
	}
	next := append([]int32(nil), s.start[:n]...)
	for e, i := range s.node {
		s.of[next[i]] = int32(e)
		next[i]++
	}
}

// gather copies the means and variances of the points to their entries.
func (s *blocks) gather(threads int, mu, sigma2 []float64) {
	par.Ranges(threads, len(s.node), rowPiece, func(_, from, to int) {
		for e, i := range s.node[from:to] {
			s.sigma2[from+e] = sigma2[i]
		}
		for c, col := range s.mu {
			for e, i := range s.node[from:to] {
				col[from+e] = mu[int(i)*s.d+c]
			}
		}
	})
}

// scatter sums the entries of every point in a fixed order and scales the totals: out[i*cols+c] =
// factor * (scale of D) * total of column c. With add, it adds to out instead of overwriting it.
func (s *blocks) scatter(threads, cols int, out []float64, factor float64, add bool) {
	par.Ranges(threads, len(s.start)-1, rowPiece, func(_, from, to int) {
		for i := from; i < to; i++ {
			for c := range cols {
				var total float64
				for _, e := range s.of[s.start[i]:s.start[i+1]] {
					total += s.sum[c][e]
				}
				total *= factor * s.scale
				if add {
					total += out[i*cols+c]
				}
				out[i*cols+c] = total
			}
		}
	})
}

// combine adds the sums of the strips to the sums of the entries; width is the number of columns.
func (s *blocks) combine(width int) {
	for t := range s.tasks {
		k := &s.tasks[t]
		if !k.strip {
			continue
		}
		at := s.off[k.first] + k.from
		for c := range width {
			sum := s.sum[c]
			if k.from == 0 {
				clear(sum[at : at+len(k.own[c])])
			}
			for e, v := range k.own[c] {
				sum[at+e] += v
			}
		}
	}
}
