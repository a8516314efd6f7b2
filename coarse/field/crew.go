package field

import (
	"sync/atomic"

	"unfold/sparse/par"
)

// worker is what one goroutine of a Sweep owns: the batch that it shows, and
// memory for sources that have to be gathered.
type worker struct {
	batch  Batch
	points []int32
	target Columns
	source Columns
	weight []float64
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
		w := &worker{target: newColumns(0, c.dims), source: newColumns(0, c.dims)}
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

// gathered makes the batch show the sources that the worker has collected.
func (w *worker) gathered() {
	w.batch.Sources.view(&w.source, 0, len(w.weight))
	w.batch.Weight = w.weight
}

// bytes counts the workers' own memory, Work not included: that is the
// visitor's.
func (c *crew) bytes() int64 {
	var b int64
	for _, w := range c.workers {
		b += w.target.bytes() + w.source.bytes() + 8*int64(cap(w.weight)) + 4*int64(cap(w.points))
	}
	return b
}
