package unfold

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
)

// Refreshed is what a Refresh did.
type Refreshed struct {
	// Kind is "ordinary", "gentle" or "major", in the order of what it costs and moves, or
	// "still" if there are fewer than two points and nothing was done.
	Kind string
	// Version and Epoch are those of the map that it made.
	Version uint64
	Epoch   uint32
	// Points on the map, of which Born are new; Gone were there before.
	Points, Born, Gone int
	// Iterations of learning, and the Objective after them.
	Iterations int
	Objective  float64
	// Diameter is that of the map: a circle that holds 99.5% of it. The points that stayed
	// moved by Median, P90 and P99, in percent of it.
	Diameter         float64
	Median, P90, P99 float64
	// Alarm says that with this Refresh more of the inserted rows were novel than chance
	// explains: the stream has changed.
	Alarm bool
	// Seconds is what the Refresh took.
	Seconds float64
}

// Insert makes points of the rows of x (n x Dim) and returns their numbers. A row that
// equals a point has its number, and has to be deleted by itself. Numbers that became free
// are used again, the lowest first. The new points are on the map after the next Refresh.
//
// On an error nothing has changed. Maps of other kinds than Student and Saul do not live:
// the error matches errors.ErrUnsupported.
func (m *Map) Insert(ctx context.Context, x mat.Matrix) ([]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return nil, err
	}
	v := m.now.Load()
	from, err := v.source(x)
	if err != nil || from.rows == 0 {
		return nil, err
	}
	rows, err := from.dense(0, from.rows)
	if err != nil {
		return nil, err
	}
	placed, err := v.placer.Place(ctx, rows)
	if err != nil {
		return nil, public(err, 0)
	}
	start := vec.Convert[float64](placed.Mu)
	if v.snap.Index != nil {
		start = vec.Matrix[float64]{} // an index misses some neighbours: the map places them itself
	}
	frame, err := v.near()
	if err != nil {
		return nil, public(err, 0)
	}
	z, err := frame.Project(rows)
	if err != nil {
		return nil, public(err, 0)
	}
	slots, err := m.live.Change(ctx, nil, z, start)
	if err != nil {
		return nil, public(err, 0)
	}
	m.live.Novelty(placed.NoveltyLocal)
	id := make([]int, len(slots))
	for i, s := range slots {
		id[i] = int(s)
	}
	return id, nil
}

// Delete deletes rows by the numbers of their points, once for every row; a point goes with
// the last of its rows. Its place is on the map until the next Refresh. On an error, such as
// a number that no point has, nothing has changed. Errors are those of Insert.
func (m *Map) Delete(ctx context.Context, points []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return err
	}
	slots, times := make([]int32, len(points)), map[int]int{}
	for i, p := range points {
		if times[p]++; p < 0 || p != int(int32(p)) || times[p] > m.live.Count(int32(p)) {
			return public(models.BadInputf("point %d is to be deleted, but there is none of that number, or fewer rows of it", p), 0)
		}
		slots[i] = int32(p)
	}
	_, err := m.live.Change(ctx, slots, vec.Matrix[float32]{}, vec.Matrix[float64]{})
	return public(err, 0)
}

// Refresh lets the map follow what was inserted and deleted, and what Place uses is the new
// map. If it fails, or ctx ends, the map stays what it was. Errors are those of Insert.
func (m *Map) Refresh(ctx context.Context) (*Refreshed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return nil, err
	}
	r, err := m.live.Refresh(ctx)
	if err != nil {
		return nil, public(err, 0)
	}
	out := &Refreshed{
		Kind: r.Kind.String(), Version: r.Version, Epoch: r.Epoch, Points: r.Points, Born: r.Born, Gone: r.Gone,
		Iterations: r.Steps, Objective: r.Loglik, Diameter: r.Diameter, Median: r.Moves.Median, P90: r.Moves.P90, P99: r.Moves.P99,
		Alarm: r.Alarm.Raised, Seconds: r.Seconds,
	}
	if r.Kind == live.Still {
		return out, nil
	}
	v, err := m.look(dressed(m.live.Snapshot(), m.now.Load().snap), m.live.Slots())
	if err != nil {
		return nil, err
	}
	m.now.Store(v)
	return out, nil
}

// wake prepares the first change: from here on the map follows its points.
func (m *Map) wake(ctx context.Context) error {
	if err := ctx.Err(); err != nil || m.live != nil {
		return err
	}
	s := m.now.Load().snap
	kind, err := fit.Find(s.Kind)
	if err != nil {
		return public(err, 0)
	}
	if !kind.Carried {
		return fmt.Errorf("unfold: maps of kind %s do not follow their points: Fit again, or learn one of kind %s: %w", kindOf(s), Student, errors.ErrUnsupported)
	}
	spec, err := fit.ParseSpec(s)
	if err != nil {
		return public(err, 0)
	}
	set := live.Settings{LVM: spec.Latent(), Size: s.Reference.Rows, NoveltyK: spec.NoveltyK}
	set.LVM.Threads = m.threads
	bare := *s
	bare.Dim, bare.Mean, bare.Components, bare.Names, bare.Encoder = s.Reference.Cols, nil, vec.Matrix[float32]{}, nil, nil
	m.live, err = live.Restore(ctx, &bare, live.State{}, set)
	return public(err, 0)
}

// dressed completes the snapshot of a refreshed map by what stays of the one before: how
// vectors become its rows, and whose map it is.
func dressed(bare, before *snapshot.Snapshot) *snapshot.Snapshot {
	s := *bare
	s.Dim, s.Mean, s.Components = before.Dim, before.Mean, before.Components
	s.Encoder, s.Names, s.MapID, s.Settings = before.Encoder, before.Names, before.MapID, before.Settings
	return &s
}
