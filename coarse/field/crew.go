package field

import (
	"slices"
	"sync/atomic"

	"unfold/sparse/par"
)

// worker is what one goroutine of a Sweep owns: the batch that it shows, and
// memory for sources that have to be gathered.
type worker struct {
	batch  Batch
	source Columns
	weight []float64
	cells  []int32
}

// crew keeps the workers from one Sweep to the next.
type crew struct {
	dims    int
	workers []*worker
}

// run calls f for every task, on at most threads goroutines. A worker is with
// one goroutine at a time.
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

// clear begins the gathering of a batch's sources.
func (w *worker) clear() {
	w.source.clear()
	w.weight = w.weight[:0]
}

// add gathers points from..to of src as sources of their own.
func (w *worker) add(src *Columns, from, to int) {
	w.source.append(src, from, to)
	w.weigh(to-from, 1)
}

// weigh gives the next count sources their weight.
func (w *worker) weigh(count int, weight float64) {
	for range count {
		w.weight = append(w.weight, weight)
	}
}

// groups gathers groups from..to of src, which stand for count points each.
func (w *worker) groups(src *Columns, count []float64, from, to int) {
	w.source.append(src, from, to)
	w.weight = append(w.weight, count[from:to]...)
}

// gathered returns the batch, which shows the sources that were gathered.
func (w *worker) gathered() *Batch {
	w.batch.Sources.view(&w.source, 0, len(w.weight))
	w.batch.Weight = w.weight
	return &w.batch
}

// sorted returns a sorted copy of cells.
func (w *worker) sorted(cells []int32) []int32 {
	w.cells = append(w.cells[:0], cells...)
	slices.Sort(w.cells)
	return w.cells
}

// bytes counts the workers' own memory, Work not included: that is the
// visitor's.
func (c *crew) bytes() int64 {
	var b int64
	for _, w := range c.workers {
		b += w.source.bytes() + 8*int64(cap(w.weight)) + 4*int64(cap(w.cells))
	}
	return b
}
