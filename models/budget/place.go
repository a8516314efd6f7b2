package budget

import (
	"context"
	"fmt"
	"math"
	"time"

	"unfold/internal/vec"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// place measures the time of placing a row on the trial's map, in seconds.
func (v *Speed) place(ctx context.Context, p Plan, s *snapshot.Snapshot, x vec.Matrix[float32]) error {
	placer, err := fit.Open(s, placing.Options{Threads: p.Spec.Threads, Search: p.Spec.Search})
	if err != nil {
		return fmt.Errorf("budget: trial: %w", err)
	}
	first := time.Now()
	for again := range 3 {
		if again > 0 && time.Since(first) > trialTime {
			break
		}
		begin := time.Now()
		if _, err := placer.Place(ctx, x); err != nil {
			return fmt.Errorf("budget: trial: %w", err)
		}
		if took := time.Since(begin).Seconds() / float64(x.Rows); again == 0 || took < v.Place {
			v.Place = took
		}
	}
	return nil
}

// placing returns the time of placing the job's other rows. The search for neighbours goes down a tree
// of the points.
func (p Plan) placing(v Speed) float64 {
	n, n0 := float64(p.Rows), float64(v.Rows)
	return float64(p.Others) * v.Place * math.Log2(n+1) / math.Log2(n0+1)
}
