package farfield

import (
	"slices"
	"sync/atomic"

	"unfold/internal/par"
)

// worker is the state of one goroutine of a Sweep: its batch, and memory for gathered sources.
type worker struct {
	batch  Batch
	source Columns
	weight []float64
	// pending are nodes that have not been assigned to a list yet.
	pending []int32
	bounds  bounds
}

// crew keeps the workers between Sweeps, so that their memory is reused.
type crew struct {
	dims    int
	workers []*worker
}

// run calls f for every task, on at most threads goroutines. Each worker is used by one goroutine
// at a time.
func (c *crew) run(threads, tasks int, f func(w *worker, task int)) {
	threads = min(par.Threads(threads), tasks)
	for len(c.workers) < threads {
		w := &worker{source: newColumns(0, c.dims)}
		w.batch.Targets.Mu = make([][]float64, c.dims)
		w.batch.Sources.Mu = make([][]float64, c.dims)
		c.workers = append(c.workers, w)
	}
	var next atomic.Int64
	par.Do(threads, threads, func(t int) {
		w := c.workers[t]
		for {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			f(w, task)
		}
	})
}

// clear starts gathering the sources of a new batch.
func (w *worker) clear() {
	w.source.clear()
	w.weight = w.weight[:0]
}

// cut removes all sources except the first n.
func (w *worker) cut(n int) {
	w.source.cut(n)
	w.weight = w.weight[:n]
}

// room appends space for n more sources and returns the position of the first.
func (w *worker) room(n int) (at int) {
	at = len(w.weight)
	w.weight = slices.Grow(w.weight, n)[:at+n]
	w.source.extend(n)
	return at
}

// copySources copies points from..to of src to position at, each a source of weight 1, and returns
// the position after the last.
func (w *worker) copySources(at int, src *Columns, from, to int) int {
	for k, column := range w.source.Mu {
		copy(column[at:], src.Mu[k][from:to])
	}
	copy(w.source.Sigma2[at:], src.Sigma2[from:to])
	copy(w.source.Delta2[at:], src.Delta2[from:to])
	for k := range w.weight[at : at+to-from] {
		w.weight[at+k] = 1
	}
	return at + to - from
}

// few is the number of values that put copies at once.
const few = 4

// take copies four values, reading all before writing any. An assignment of arrays, which may
// overlap, would call memmove.
func take(to, from []float64) {
	t, f := (*[few]float64)(to), (*[few]float64)(from)
	t[0], t[1], t[2], t[3] = f[0], f[1], f[2], f[3]
}

// put copies a few sources to position at: stride values (a multiple of few) of every component of
// the position, Delta^2 and sigma^2. It does not set their weights, and needs space for all.
func (w *worker) put(at int, values []float64, stride int) {
	d := len(w.source.Mu)
	for p := 0; p < stride; p += few {
		for k, column := range w.source.Mu {
			take(column[at+p:], values[k*stride+p:])
		}
		take(w.source.Delta2[at+p:], values[d*stride+p:])
		take(w.source.Sigma2[at+p:], values[(d+1)*stride+p:])
	}
}

// gathered returns the batch with the gathered sources.
func (w *worker) gathered() *Batch {
	w.batch.Sources.view(&w.source, 0, len(w.weight))
	w.batch.Weight = w.weight
	return &w.batch
}

// bytes returns the memory of the workers, without Work, which belongs to the visitor.
func (c *crew) bytes() int64 {
	var b int64
	for _, w := range c.workers {
		b += w.source.bytes() + 8*int64(cap(w.weight)) + 4*int64(cap(w.pending))
	}
	return b
}
