package learn

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"unfold/ingest"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
)

// draft is a map that was learnt and has yet to be published.
type draft struct {
	// snapshot is complete but for Count and Learning.
	snapshot *snapshot.Snapshot
	encoder  *ingest.Encoder
	// rowOf gives the rows of the slots that the reference set knows.
	rowOf   []int32
	state   *live.State
	begin   time.Time
	figures stream.Figures
}

// release puts a map on the disk and publishes it. On the disk first: a version that
// somebody has seen must not come again with another content after a crash.
func (l *Learner) release(ctx context.Context, d *draft) error {
	took := time.Since(d.begin)
	if l.mapID == "" { // the first, or one that goes on from a map from before there were ids
		l.mapID = snapshot.NewMapID()
	}
	l.mu.Lock()
	l.ref.Published(d.rowOf)
	l.releasing = true
	s := *d.snapshot
	s.MapID, s.Count = l.mapID, l.counts(s.Reference.Rows)
	classes, sample := l.rowClasses(s.Reference.Rows), l.votes.take()
	l.count(&d.figures)
	var set *set
	if l.set.State != "" {
		set = l.setOf()
	}
	l.taken = false
	l.mu.Unlock()
	l.judge(ctx, d, sample)
	d.figures.Version, d.figures.Epoch, d.figures.At, d.figures.Took = s.Version, s.Epoch, time.Now().UTC(), took
	grown := l.history
	p, err := l.open(&s, d.encoder, d.state, d.figures)
	if err == nil {
		p.classes = classes
		err = l.learnClasses(ctx, p)
	}
	if err == nil {
		grown = l.history.with(p.Figures)
	}
	switch {
	case err != nil:
	case set != nil:
		set.History = grown
		err = l.save(p, set)
	default:
		s.Learning, err = json.Marshal(learning{Learning: embed.Learning{Figures: p.Figures}, Live: p.state})
	}
	if err != nil {
		l.mu.Lock()
		l.taken = true
		l.mu.Unlock()
		return err
	}
	l.mu.Lock()
	l.encoder, l.cold = d.encoder, cold{}
	l.mu.Unlock()
	l.history, l.draft, l.changed = grown, nil, false
	l.publish(p, took)
	return nil
}

// counts says for how many events each row of the map stands that is about to be
// published. The lock is held.
func (l *Learner) counts(rows int) []uint32 {
	out := make([]uint32, rows)
	for p := range l.ref.All() {
		if r := l.ref.Row(p); r >= 0 {
			out[r] = uint32(min(uint64(out[r])+uint64(l.ref.Count(p)), math.MaxUint32))
		}
	}
	for i := range out {
		out[i] = max(out[i], 1) // a point that went while the map was learnt
	}
	return out
}

// count fills in what the reference set has counted. The lock is held.
func (l *Learner) count(f *stream.Figures) {
	c := l.ref.Counts()
	f.OldestAge = l.ref.Age()
	f.Events, f.Duplicates, f.Upserts, f.Deletes, f.UnknownDeletes = c.Events, c.Duplicates, c.Upserts, c.Deletes, c.UnknownDeletes
	f.Evicted, f.Expired, f.Unusable, f.LongIDs = c.Evicted, c.Expired, c.Unusable, c.LongIDs
}
