package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"unfold/internal/mapped"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/budget"
	"unfold/sparse/knn"
)

// rowsRoom stores the rows of a fit and their neighbours: in memory, or in files if the plan
// requires it.
type rowsRoom struct {
	p   *program
	job budget.Job
	dir string

	rows, near *mapped.Rows // files of rows and neighbours; nil if they are in memory
	// stop ends releasing in a process with a memory limit; nil if there is none.
	stop func()
}

// releaseEvery is the time after which a process with a memory limit frees the memory of rows in a
// file. The limit does not count it, and the system takes it back only when it needs some.
const releaseEvery = 100 * time.Millisecond

// releasing frees the memory of rows at intervals, in a process with a memory limit.
func (r *rowsRoom) releasing(file *mapped.Rows) {
	if !r.p.limited {
		return
	}
	if r.stop != nil {
		r.stop()
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(releaseEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = file.Release() // a failure costs only memory
			}
		}
	}()
	r.stop = func() { close(done); <-ended }
}

// matrix allocates a matrix for rows.
func (r *rowsRoom) matrix(rows, cols int) vec.Matrix[float32] {
	job := r.job
	job.Rows, job.Dim = rows, cols
	plan, err := budget.New(job)
	if err != nil { // the fit will report the error
		return vec.New[float32](rows, cols)
	}
	if !plan.SetsAside() {
		return vec.New[float32](rows, cols)
	}
	file, x, err := mapped.New(r.dir, rows, cols)
	if err != nil {
		r.noteMemory("rows", err)
		return vec.New[float32](rows, cols)
	}
	r.rows = file
	r.releasing(file)
	return x
}

// lists returns a function that moves neighbour lists to a file. It returns nil if the plan keeps
// them in memory.
func (r *rowsRoom) lists(plan *budget.Plan) func(*knn.Neighbors) *knn.Neighbors {
	if !plan.SetsListsAside() {
		return nil
	}
	return func(nb *knn.Neighbors) *knn.Neighbors {
		file, index, dist2, err := mapped.NewLists(r.dir, len(nb.Index))
		if err != nil {
			r.noteMemory("neighbours", err)
			return nb
		}
		r.release() // the rows are unused while two copies of the lists exist
		r.near = file
		copy(index, nb.Index)
		copy(dist2, nb.Dist2)
		return &knn.Neighbors{N: nb.N, K: nb.K, Index: index, Dist2: dist2}
	}
}

// noteMemory writes a note on why something stays in memory. It is silent on systems without mapped
// files.
func (r *rowsRoom) noteMemory(what string, err error) {
	if !errors.Is(err, errors.ErrUnsupported) {
		r.p.note("the %s stay in memory: %v", what, err)
	}
}

// between returns the progress function of a fit. Each call frees the memory of rows and lists,
// which may be unused for a while. Between the stages of a large plan it also returns freed memory
// to the system.
func (r *rowsRoom) between(plan *budget.Plan) models.Progress {
	return plan.Returning(func(stage string, done, total int) {
		r.release()
		r.p.progress.Update(stage, done, total)
	})
}

// release frees the memory of rows and lists until they are read again.
func (r *rowsRoom) release() {
	for _, file := range r.files() {
		_ = file.Release() // a failure costs only memory
	}
}

// files returns the files in use.
func (r *rowsRoom) files() []*mapped.Rows {
	return slices.DeleteFunc([]*mapped.Rows{r.rows, r.near}, func(file *mapped.Rows) bool { return file == nil })
}

// close closes and removes the files.
func (r *rowsRoom) close() {
	if r.stop != nil {
		r.stop()
	}
	for _, file := range r.files() {
		_ = file.Close()
	}
}

// newRowsRoom returns a rowsRoom whose files lie next to the output.
func newRowsRoom(p *program, job budget.Job, output string) *rowsRoom {
	return &rowsRoom{p: p, job: job, dir: filepath.Dir(output)}
}
