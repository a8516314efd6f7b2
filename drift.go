package unfold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models/drift"
	"unfold/models/projection"
)

// DriftOptions are the settings of a test for drift, like the keys `drift` of a stage's
// configuration. The zero value works.
type DriftOptions struct {
	// Window is the number of newest vectors that are tested together. Default 200, at least 50.
	Window int
	// Neighbors is the length of the neighbour lists. Default 10.
	Neighbors int
	// FalseAlarm is the mean number of vectors between false alarms, from 10 to 1000 windows.
	// Default 10,000.
	FalseAlarm int
	// Seed determines the sample of the points.
	Seed uint64
}

// Drift tests whether the newest vectors come from the same distribution as the points of a map. It
// is not safe for concurrent use.
type Drift struct {
	of      *view
	project *projection.Projection
	monitor *drift.Monitor
	threads int
}

// DriftLook is the result of one test.
type DriftLook struct {
	// Vectors is the number of vectors that were added before the test.
	Vectors uint64
	// Level is the tested statistic, and Bound the level above which there is an alarm.
	Level, Bound float64
	// Alarm is true if Level exceeds Bound. Raised is true if Alarm is true and was false at the
	// previous look.
	Alarm, Raised bool
}

// Drift returns a test against a sample of the map's points. The map should have ten points for
// each vector of the window; otherwise the window is shorter. Fewer than 500 points, or 10
// (Neighbors + 1), are bad input.
func (m *Map) Drift(o DriftOptions) (*Drift, error) {
	v := m.now.Load()
	s := v.snap
	t, err := drift.New(drift.Rows{X: s.Reference, Count: s.Count}, drift.Settings{
		Window: o.Window, Neighbors: o.Neighbors, Events: o.FalseAlarm, Seed: o.Seed, Distance: s.Distance, Threads: m.threads,
	})
	if err != nil {
		return nil, public(err, 0)
	}
	return &Drift{of: v, project: projection.Of(s), monitor: t, threads: m.threads}, nil
}

// Add adds the rows of x (n x Dim), oldest first, and returns the looks that became due: none
// before the window is full, then one for each tenth of it. The errors are those of Place.
func (d *Drift) Add(ctx context.Context, x mat.Matrix) ([]DriftLook, error) {
	from, err := d.of.source(x)
	if err != nil {
		return nil, err
	}
	var out []DriftLook
	err = from.each(ctx, func(_ int, rows vec.Matrix[float32]) error {
		looks, err := d.monitor.Add(ctx, drift.Rows{X: d.project.Apply(rows, d.threads)})
		for _, l := range looks {
			out = append(out, DriftLook{Vectors: l.Event, Level: l.Level, Bound: l.Bound, Alarm: l.Alarm, Raised: l.Raised})
		}
		return err
	})
	return out, err
}
