package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/reference"
)

// resume restores the live map from the last published map and reports whether that succeeded. It
// fails if dimensions, tails or neighbours differ from the settings.
func (r *refresher) resume(ctx context.Context) bool {
	if r.follow != nil {
		return true
	}
	return r.restore(ctx, *r.out.current.Load().snapshot)
}

// resumeAt returns the state of the live map for a published map.
func (p *published) resumeAt() live.State {
	if p.state != nil {
		return *p.state
	}
	return live.State{MajorPoints: p.snapshot.Reference.Rows}
}

// restore restores the live map from the last published map. s is a copy of its snapshot, which may
// have another projection of the same points.
func (r *refresher) restore(ctx context.Context, s snapshot.Snapshot) bool {
	state := r.out.current.Load().resumeAt()
	slots := state.Slots
	if slots == nil {
		slots = upTo(s.Reference.Rows)
	}
	s.Count = r.in.lock().Rebind(slots)
	r.in.unlock()
	for i, n := range s.Count {
		s.Count[i] = max(n, 1)
	}
	m, err := fit.Resume(ctx, &s, state, r.set.spec(), r.set.live())
	if err != nil {
		return false
	}
	r.follow = m
	return true
}

// update updates the map to the reference set.
func (r *refresher) update(ctx context.Context) (*draft, error) {
	begin, cur := time.Now(), r.out.current.Load()
	if err := r.reframe(ctx, cur); err != nil {
		return nil, err
	}
	c, at, local, err := r.arrivals(ctx, cur)
	if err != nil {
		return nil, err
	}
	r.in.lock()
	positions := r.in.offsets()
	r.in.unlock()
	slots, err := r.follow.Change(ctx, c.Gone, c.X, live.StartAt(cur.snapshot, at))
	if err != nil {
		return nil, err
	}
	r.changed = true
	ref := r.in.lock()
	ref.Took(c, slots)
	for i := range slots {
		if p, there := ref.Point(c, i); there {
			if note := r.set.published(ref.Note(p)); unpublished(note) {
				copy(note, at.Row(i)) // another process published its event, near this place
			}
		}
	}
	if r.set.supervised() {
		r.follow.Label(r.in.labels())
	}
	r.in.unlock()
	r.follow.Novelty(local)
	did, err := r.follow.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	if did.Kind == live.Still {
		return nil, fmt.Errorf("%d points are too few for a map: the old map stays until there are more", did.Points)
	}
	s, err := r.follow.Snapshot()
	if err != nil {
		return nil, err
	}
	s.Encoder, s.Shift, s.Names, s.Positions = cur.snapshot.Encoder, cur.snapshot.Shift, cur.snapshot.Names, positions
	rows := r.follow.Slots()
	rowOf := make([]int32, 0, len(rows))
	for row, slot := range rows {
		for len(rowOf) <= int(slot) {
			rowOf = append(rowOf, -1)
		}
		rowOf[slot] = int32(row)
	}
	state := r.follow.State()
	return &draft{snapshot: s, rowOf: rowOf, encoder: cur.at.Encoder(), state: &state, begin: begin, stats: statsOf(did)}, nil
}

// arrivals returns the changes that are not on the map yet, the places of new points on the current
// map, and their local novelty. Points that cannot be placed are discarded.
func (r *refresher) arrivals(ctx context.Context, cur *published) (c reference.Changes, at vec.Matrix[float32], local []float32, err error) {
	for {
		c = r.in.lock().Changes()
		r.in.unlock()
		placed, err := cur.at.Placer().Place(ctx, c.X)
		var row *models.RowError
		if errors.As(err, &row) {
			r.in.lock().Discard(c, row.Row)
			r.in.unlock()
			continue
		}
		return c, placed.Mu, placed.NoveltyLocal, err
	}
}

// statsOf converts the report of a refresh to stats.
func statsOf(r live.Report) stream.Stats {
	return stream.Stats{
		Kind: r.Kind.String(), Points: r.Points, Born: r.Born, Gone: r.Gone, LoglikPair: r.LoglikPair, Diameter: r.Diameter,
		Moves: quantiles(r.Moves), Drift: quantiles(r.Drift), Novel: r.Alarm.Share, Judged: r.Alarm.Events, Alarm: r.Alarm.Since,
	}
}

func quantiles(m live.Moves) stream.Quantiles {
	return stream.Quantiles{Median: m.Median, P90: m.P90, P99: m.P99}
}

// evict removes points where the map is most crowded, if the policy is coverage.
func (r *refresher) evict() {
	s := r.out.current.Load().snapshot
	ref := r.in.lock()
	excess := ref.Excess()
	var eligible []bool
	if excess > 0 {
		eligible = ref.Eligible(s.Reference.Rows)
	}
	r.in.unlock()
	if excess == 0 {
		return
	}
	rows := reference.Crowded(s.Distance, s.Reference, s.KDist2, eligible, excess)
	r.in.lock().Drop(rows)
	r.in.unlock()
}
