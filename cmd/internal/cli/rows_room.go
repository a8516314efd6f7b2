package cli

import (
	"errors"
	"path/filepath"

	"unfold/internal/mapped"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/budget"
)

// rowsRoom is where the rows of a fit lie: in memory or, where the plan sets them aside, in
// a file of their own.
type rowsRoom struct {
	p   *program
	job budget.Job
	dir string

	rows *mapped.Rows // nil: in memory
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
		if !errors.Is(err, errors.ErrUnsupported) {
			r.p.note("the rows stay in memory: %v", err)
		}
		return vec.New[float32](rows, cols)
	}
	r.rows = file
	return x
}

// between returns what is to be told of the progress of a fit by a plan: it lets go of the
// memory of the rows, which may not be needed for a while, and of what a stage leaves.
func (r *rowsRoom) between(plan *budget.Plan) models.Progress {
	return plan.Returning(func(stage string, done, total int) {
		if r.rows != nil {
			_ = r.rows.Release() // what stays is more memory, and no error
		}
		r.p.progress.Update(stage, done, total)
	})
}

// close lets go of the file.
func (r *rowsRoom) close() {
	if r.rows != nil {
		_ = r.rows.Close()
	}
}

// newRowsRoom is the room for rows whose file lies beside the output.
func newRowsRoom(p *program, job budget.Job, output string) *rowsRoom {
	return &rowsRoom{p: p, job: job, dir: filepath.Dir(output)}
}
