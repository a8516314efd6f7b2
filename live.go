package unfold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
)

// Refreshed is the report of a Refresh.
type Refreshed struct {
	// Kind is "ordinary", "gentle" or "major", in ascending order of time and of movement. It is
	// "still" if there are fewer than two points and nothing was done.
	Kind string
	// Version and Epoch are those of the resulting map.
	Version uint64
	Epoch   uint32
	// Points is the number of points on the map, Born that of new ones, Gone that of deleted ones.
	Points, Born, Gone int
	// Iterations is the number of iterations of learning, Objective the objective after them.
	Iterations int
	Objective  float64
	// Diameter is the diameter of the circle that contains 99.5% of the map's points. Median, P90
	// and P99 are percentiles of the moves of the points that stayed, in percent of it.
	Diameter         float64
	Median, P90, P99 float64
	// Alarm is true if, with this Refresh, more of the inserted rows are novel than chance
	// explains: the stream has changed.
	Alarm bool
	// Seconds is the duration of the Refresh.
	Seconds float64
}

// Insert makes points of the rows of x (n x Dim) and returns their numbers. A row that equals a
// point shares its number, but must be deleted separately. Free numbers are reused, the lowest
// first. The new points are on the map after the next Refresh.
//
// On an error nothing has changed. Maps of kinds other than Student and Saul cannot be updated; the
// error then matches errors.ErrUnsupported.
func (m *Map) Insert(ctx context.Context, x mat.Matrix) ([]int, error) {
	return m.InsertLabelled(ctx, x, nil)
}

// InsertLabelled is Insert for rows with labels; "" means no label. A map that was learnt with
// Student.Supervision continues to use them, others ignore them. A point has the label of its last
// row with a label. If labels is nil, it is Insert.
func (m *Map) InsertLabelled(ctx context.Context, x mat.Matrix, labels []string) ([]int, error) {
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
	if labels != nil && len(labels) != from.rows {
		return nil, public(models.BadInputf("%d labels for %d rows", len(labels), from.rows), 0)
	}
	rows, err := from.dense(0, from.rows)
	if err != nil {
		return nil, err
	}
	placed, err := v.placer.Place(ctx, rows)
	if err != nil {
		return nil, public(err, 0)
	}
	slots, err := m.live.Change(ctx, nil, rows, live.StartAt(v.snap, placed.Mu))
	if err != nil {
		return nil, public(err, 0)
	}
	for i, l := range labels {
		if l != "" {
			m.live.Label(slots[i:i+1], labels[i:i+1])
		}
	}
	m.live.Novelty(placed.NoveltyLocal)
	id := make([]int, len(slots))
	for i, s := range slots {
		id[i] = int(s)
	}
	return id, nil
}

// Delete deletes a row for each number in points. A point is deleted with its last row. Its place
// stays on the map until the next Refresh. On an error, such as an unknown number, nothing has
// changed. The errors are those of Insert.
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

// Refresh updates the map to the inserted and deleted points. Place then uses the new map. If it
// fails, or ctx ends, the map is unchanged. The errors are those of Insert.
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
	s, err := m.followed(m.now.Load().snap)
	if err != nil {
		return nil, public(err, 0)
	}
	v, err := m.look(s)
	if err != nil {
		return nil, err
	}
	m.now.Store(v)
	return out, nil
}

// wake makes a live map before the first change.
func (m *Map) wake(ctx context.Context) error {
	if err := ctx.Err(); err != nil || m.live != nil {
		return err
	}
	s := m.now.Load().snap
	kind, err := fit.Kinds{}.Find(s.Kind)
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
	kept, err := keptIn(s)
	if err != nil {
		return public(err, 0)
	}
	spec.Threads, m.size = m.threads, kept.Size
	m.live, err = fit.Resume(ctx, s, kept.State, spec, live.Settings{})
	return public(err, 0)
}

// kept is the state of a live map in a file, in addition to the map.
type kept struct {
	// Size is no longer used, but programs of version 0.1 need it to read the file. It was the
	// number of points for which the weight of pairs was meant.
	Size  int        `json:"size"`
	State live.State `json:"state"`
}

// keptPart is the name of its part of the file.
const keptPart = "live.state"

// keptIn reads the state from a snapshot. A map that has not been refreshed has a default state.
func keptIn(s *snapshot.Snapshot) (kept, error) {
	n := s.Reference.Rows
	k := kept{Size: n, State: live.State{MajorPoints: n}}
	if _, there := s.Part(keptPart); !there {
		return k, nil
	}
	raw, err := snapshot.PartOf[byte](s, keptPart, 0, 1)
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	id := k.State.Slots
	last := int32(-1)
	rises := !slices.ContainsFunc(id, func(i int32) bool {
		fell := i <= last
		last = i
		return fell
	})
	if err == nil && (k.Size < 2 || id != nil && len(id) != n || !rises) {
		err = fmt.Errorf("size %d, and %d numbers for %d points, which must be ascending from 0", k.Size, len(id), n)
	}
	if err != nil {
		return k, models.BadInputf("the model file's part %q cannot be used: %w", keptPart, err)
	}
	return k, nil
}

// followed returns the snapshot of a refreshed map with the encoder, the shift, the names and the map
// id of the previous one.
func (m *Map) followed(before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	s, err := m.live.Snapshot()
	if err != nil {
		return nil, err
	}
	s.Encoder, s.Shift, s.Names, s.MapID = before.Encoder, before.Shift, before.Names, before.MapID
	state, err := json.Marshal(kept{m.size, m.live.State()})
	if err != nil {
		return nil, err
	}
	s.Parts = slices.Concat(s.Parts, []snapshot.Part{{Name: keptPart, Rows: len(state), Cols: 1, Data: state}})
	return s, nil
}
