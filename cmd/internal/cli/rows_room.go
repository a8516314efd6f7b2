package cli

import (
	"errors"
	"path/filepath"
	"slices"

	"unfold/internal/mapped"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/budget"
	"unfold/sparse/knn"
)

// rowsRoom is where the rows of a fit lie, and their neighbours: in memory or, where the plan
// sets them aside, in files of their own.
type rowsRoom struct {
	p   *program
	job budget.Job
	dir string

	rows, near *mapped.Rows // the rows and their neighbours; nil: in memory
}

// matrix returns room for rows.
func (r *rowsRoom) matrix(rows, cols int) vec.Matrix[float32] {
	job := r.job
	job.Rows, job.Dim = rows, cols
	plan, err := budget.New(job)
	if err != nil { // the fit will say what is wrong
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
	return x
}

// lists returns lists of neighbours as they are to be kept while a map is learnt by a plan: in a
// file of their own, where the plan sets them aside.
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
		r.release() // of the rows, which are not needed beside two copies of the lists
		r.near = file
		copy(index, nb.Index)
		copy(dist2, nb.Dist2)
		return &knn.Neighbors{N: nb.N, K: nb.K, Index: index, Dist2: dist2}
	}
}

// noteMemory says why something stays in memory, where files are known.
func (r *rowsRoom) noteMemory(what string, err error) {
	if !errors.Is(err, errors.ErrUnsupported) {
		r.p.note("the %s stay in memory: %v", what, err)
	}
}

// between returns what is to be told of the progress of a fit by a plan: it lets go of the
// memory of rows and lists, which may not be needed for a while, and of what a stage leaves.
func (r *rowsRoom) between(plan *budget.Plan) models.Progress {
	return plan.Returning(func(stage string, done, total int) {
		r.release()
		r.p.progress.Update(stage, done, total)
	})
}

// release lets go of the memory of rows and lists until they are read again.
func (r *rowsRoom) release() {
	for _, file := range r.files() {
		_ = file.Release() // what stays is more memory, and no error
	}
}

// files are those that there are.
func (r *rowsRoom) files() []*mapped.Rows {
	return slices.DeleteFunc([]*mapped.Rows{r.rows, r.near}, func(file *mapped.Rows) bool { return file == nil })
}

// close lets go of the files.
func (r *rowsRoom) close() {
	for _, file := range r.files() {
		_ = file.Close()
	}
}

// newRowsRoom is the room for rows whose files lie beside the output.
func newRowsRoom(p *program, job budget.Job, output string) *rowsRoom {
	return &rowsRoom{p: p, job: job, dir: filepath.Dir(output)}
}
