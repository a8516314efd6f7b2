package budget

import (
	"fmt"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/saul"
	"unfold/sparse/knn/auto"
)

// TooLittle reports that a fit does not fit in the given memory.
type TooLittle struct {
	// Limit is the given number of bytes, Need the smallest that would suffice.
	Limit, Need int64
	// Rows is the largest number of rows that would fit, 0 for none.
	Rows int
	// Plan is that of the fewest bytes.
	Plan Plan
}

func (e *TooLittle) Error() string {
	return fmt.Sprintf("budget: %d rows of %d values need %d bytes, more than %d", e.Plan.Rows, e.Plan.Dim, e.Need, e.Limit)
}

// Within plans a fit of at most limit bytes. If the defaults need more, it changes settings that
// the spec leaves open: the level with Gaussian tails, the repulsion targets with heavy tails.
// Explicit settings stay. If nothing fits, the error is a *TooLittle.
func Within(j Job, limit int64) (Plan, error) {
	best, err := New(j)
	if err != nil || best.Bytes() <= limit {
		return best, err
	}
	for _, c := range j.choices() {
		p, err := New(c.job)
		if err != nil {
			continue // the choice conflicts with other settings
		}
		if p.Bytes() < best.Bytes() {
			p.Changed = []string{c.words}
			best = p
		}
		if best.Bytes() <= limit {
			return best, nil
		}
	}
	return best, &TooLittle{Limit: limit, Need: best.Bytes(), Rows: j.rows(best.Spec, limit), Plan: best}
}

// choice is a job with one changed setting, and a description of the change.
type choice struct {
	job   Job
	words string
}

// choices lists the possible changes, in order of decreasing map quality.
func (j Job) choices() (out []choice) {
	if j.Spec.Search.Method == auto.Auto { // the same map, in more time
		c := j
		c.Spec.Search.Method = auto.Exact
		out = append(out, choice{c, "exact search"})
	}
	if s := j.Spec.LVM; s.Tails == lvm.Gaussian && s.Saul.Level == saul.LevelAuto {
		for level := 1; level <= 3; level++ {
			c := j
			c.Spec.LVM.Saul.Level = saul.Level(level)
			out = append(out, choice{c, fmt.Sprintf("level %d", level)})
		}
	} else if s.Tails == lvm.Student && s.Student.Coarse == models.CoarseAuto && s.Student.Theta == 0 {
		// All pairs would take even less memory, but n^2 time.
		c := j
		c.Spec.LVM.Student.Coarse = models.CoarseShared
		out = append(out, choice{c, "coarse shared"})
	}
	return out
}

// rows returns the largest number of rows for which the spec fits in limit.
func (j Job) rows(s fit.Spec, limit int64) int {
	j.Spec = s
	low, high := 0, j.Rows
	for high-low > 1 {
		j.Rows = low + (high-low)/2
		if p, err := New(j); err == nil && p.Bytes() <= limit {
			low = j.Rows
		} else {
			high = j.Rows
		}
	}
	return low
}

// Most returns the largest number of rows that a fit of the job's unchanged spec can learn within
// limit bytes, or 0. The fit draws them from all rows of the job and places the others. A sixth of
// the memory is left free for allocations that the plan does not include.
func Most(j Job, limit int64) int {
	j.Base += int64(drawnBytes * float64(j.Rows))
	return j.rows(j.Spec, limit-(limit-j.Base)/spared)
}

// drawnBytes is the memory per row of ingest.Drawn. One of spared bytes is left free: stages of
// 630,000 rows took up to a fifth more than planned.
const (
	drawnBytes = 0.2
	spared     = 6
)
