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

// resume sets up the map that is carried on, from the one that was published last,
// and reports whether that goes: not if it has other dimensions, tails or
// neighbours than the settings say.
func (l *Learner) resume(ctx context.Context) bool {
	if l.follow != nil {
		return true
	}
	return l.restore(ctx, *l.current.Load().snapshot)
}

// resumeAt is the state of the map that is carried on from a published one.
func (p *published) resumeAt() live.State {
	if p.state != nil {
		return *p.state
	}
	return live.State{MajorPoints: p.snapshot.Reference.Rows}
}

// restore sets up the map that is carried on from the one that was published last, whose
// snapshot, a copy, may project the same points otherwise.
func (l *Learner) restore(ctx context.Context, s snapshot.Snapshot) bool {
	state := l.current.Load().resumeAt()
	slots := state.Slots
	if slots == nil {
		slots = identity(s.Reference.Rows)
	}
	l.mu.Lock()
	s.Count = l.ref.Rebind(slots)
	l.mu.Unlock()
	for i, n := range s.Count {
		s.Count[i] = max(n, 1)
	}
	m, err := fit.Resume(ctx, &s, state, l.set.spec(), l.set.live())
	if err != nil {
		return false
	}
	l.follow = m
	return true
}

// carry lets the map follow the reference set.
func (l *Learner) carry(ctx context.Context) (*draft, error) {
	begin, cur := time.Now(), l.current.Load()
	if err := l.reframe(ctx, cur); err != nil {
		return nil, err
	}
	c, at, local, err := l.arrivals(ctx, cur)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	positions := l.seen()
	l.mu.Unlock()
	start := vec.Convert[float64](at)
	if cur.snapshot.Index != nil {
		start = vec.Matrix[float64]{} // an index misses some neighbours: the map places them itself
	}
	slots, err := l.follow.Change(ctx, c.Gone, c.X, start)
	if err != nil {
		return nil, err
	}
	l.changed = true
	l.mu.Lock()
	l.ref.Took(c, slots)
	for i := range slots {
		if p, there := l.ref.Point(c, i); there {
			copy(l.set.told(l.ref.Note(p)), at.Row(i)) // where it has been told to be
		}
	}
	l.mu.Unlock()
	l.follow.Novelty(local)
	r, err := l.follow.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	if r.Kind == live.Still {
		return nil, fmt.Errorf("%d points do not make a map: it stays as it is until there are more", r.Points)
	}
	s, err := l.follow.Snapshot()
	if err != nil {
		return nil, err
	}
	s.Encoder, s.Names, s.Positions = cur.snapshot.Encoder, cur.snapshot.Names, positions
	rows := l.follow.Slots()
	rowOf := make([]int32, 0, len(rows))
	for row, slot := range rows {
		for len(rowOf) <= int(slot) {
			rowOf = append(rowOf, -1)
		}
		rowOf[slot] = int32(row)
	}
	state := l.follow.State()
	return &draft{snapshot: s, rowOf: rowOf, encoder: cur.at.Encoder(), state: &state, begin: begin, figures: figuresOf(r)}, nil
}

// arrivals lists what the map has yet to do, and where the new points are placed on
// the current one, with their local novelty. Points that cannot be placed are
// discarded.
func (l *Learner) arrivals(ctx context.Context, cur *published) (c reference.Changes, at vec.Matrix[float32], local []float32, err error) {
	for {
		l.mu.Lock()
		c = l.ref.Changes()
		l.mu.Unlock()
		placed, err := cur.at.Placer().Place(ctx, c.X)
		var row *models.RowError
		if errors.As(err, &row) {
			l.mu.Lock()
			l.ref.Discard(c, row.Row)
			l.mu.Unlock()
			continue
		}
		return c, placed.Mu, placed.NoveltyLocal, err
	}
}

// figuresOf are what a refresh says of itself.
func figuresOf(r live.Report) stream.Figures {
	return stream.Figures{
		Kind: r.Kind.String(), Points: r.Points, Born: r.Born, Gone: r.Gone, LoglikPair: r.LoglikPair, Diameter: r.Diameter,
		Moves: quantiles(r.Moves), Drift: quantiles(r.Drift), Novel: r.Alarm.Share, Judged: r.Alarm.Events, Alarm: r.Alarm.Since,
	}
}

func quantiles(m live.Moves) stream.Quantiles {
	return stream.Quantiles{Median: m.Median, P90: m.P90, P99: m.P99}
}

// thin makes room where the map is most crowded, under that policy.
func (l *Learner) thin() {
	s := l.current.Load().snapshot
	l.mu.Lock()
	excess := l.ref.Excess()
	var eligible []bool
	if excess > 0 {
		eligible = l.ref.Eligible(s.Reference.Rows)
	}
	l.mu.Unlock()
	if excess == 0 {
		return
	}
	rows := reference.Crowded(s.Reference, s.KDist2, eligible, excess)
	l.mu.Lock()
	l.ref.Drop(rows)
	l.mu.Unlock()
}
