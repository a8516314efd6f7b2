package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"unfold/ingest"
	"unfold/models/clusters/describe"
	"unfold/models/clusters/identity"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
)

// publisher turns drafts into published maps. It learns their classes, saves them, replaces the map
// on which events are placed, and emits moves. It does one thing at a time, under its lock; reading
// the current map needs no lock.
type publisher struct {
	set   Settings
	in    *intake
	ready chan struct{}

	current atomic.Pointer[published]

	mu sync.Mutex
	// history are the stats of the maps so far.
	history history
	// mapID is the id of the map; "" before the first, or if it has none.
	mapID string
	// saves numbers the files of reference sets.
	saves uint64
	// movesEpoch is the epoch of the last emitted places. movesPending is true if emitting them
	// failed.
	movesEpoch   uint32
	movesPending bool
	// tree keeps the clusters of rows; nil if they are not used or have not been computed yet.
	tree *identity.Tree
	// groupsPending is true if cluster events may not have been emitted.
	groupsPending bool
}

func newPublisher(set Settings, in *intake) *publisher {
	return &publisher{set: set, in: in, ready: make(chan struct{})}
}

// published is a map together with its snapshot.
type published struct {
	stream.Published
	snapshot *snapshot.Snapshot
	// at is the opened map on which events are placed.
	at *embed.Map
	// state is the state of the live map; nil after a fit.
	state *live.State
	// groups are the notes of the map's clusters.
	groups groupNotes
	// about are descriptions of the clusters, by label; nil if they were not computed.
	about []describe.Description
	// classes are the classes of the rows, for votes; nil without labels.
	classes []int32
}

// name sets the ids of the map's points.
func (p *published) name(ids []string) {
	p.at = p.at.WithPointIDs(ids)
	p.Map = p.at
}

// draft is a map that was learnt but is not published yet.
type draft struct {
	// snapshot is complete except for Count and Learning.
	snapshot *snapshot.Snapshot
	encoder  *ingest.Encoder
	// rowOf maps the slots of the reference set to rows.
	rowOf []int32
	state *live.State
	begin time.Time
	stats stream.Stats
	// stayed maps rows to rows of the previous map.
	stayed []int32
}

// Current implements stream.Learner.
func (p *publisher) Current() *stream.Published {
	if cur := p.current.Load(); cur != nil {
		return &cur.Published
	}
	return nil
}

// Snapshot returns the newest map's snapshot, nil before the first. It is
// read-only.
func (p *publisher) Snapshot() *snapshot.Snapshot {
	if cur := p.current.Load(); cur != nil {
		return cur.snapshot
	}
	return nil
}

// Ready implements stream.Learner.
func (p *publisher) Ready() <-chan struct{} { return p.ready }

// publish saves a map and makes it the current one. It saves first, because a version that was
// visible must not reappear with another content after a crash.
func (p *publisher) publish(ctx context.Context, d *draft) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := time.Since(d.begin)
	if p.mapID == "" { // the first map, or a map from before there were ids
		p.mapID = snapshot.NewMapID()
	}
	s := *d.snapshot
	c := p.in.cut(d.rowOf, s.Reference.Rows, &d.stats)
	s.MapID, s.Count, s.IDs = p.mapID, c.counts, c.ids
	if p.current.Load() == nil {
		p.movesEpoch = s.Epoch // the events of the first map are published on it
	}
	p.judge(ctx, d, c.sample)
	d.stats.Newest = p.in.watch.stats()
	d.stats.Version, d.stats.Epoch, d.stats.At, d.stats.Took = s.Version, s.Epoch, time.Now().UTC(), took
	next, err := p.open(&s, d.encoder, d.state, d.stats)
	if err == nil {
		next.classes = c.classes
		err = p.learnClasses(ctx, next)
	}
	if err == nil {
		err = p.findClusters(ctx, next, d.stayed)
	}
	grown := p.history
	if err == nil {
		grown = p.history.with(next.Stats)
		err = p.store(next, c.set, grown)
	}
	if err != nil {
		p.in.uncut()
		return err
	}
	p.history = grown
	p.in.begin(d.encoder)
	p.exchange(next, took)
	return nil
}

// store adds the learning report to a map, and saves it if there is a reference set.
func (p *publisher) store(next *published, set *set, grown history) (err error) {
	if set == nil {
		next.snapshot.Learning, err = json.Marshal(learning{Learning: embed.Learning{Stats: next.Stats}, Live: next.state})
		return err
	}
	set.History = grown
	return p.save(next, set)
}

// exchange makes a map the current one.
func (p *publisher) exchange(next *published, took time.Duration) {
	if w := p.set.Watch; w != nil {
		w.NewMap(&next.Published)
	}
	p.in.serve(next.Published)
	first := p.current.Swap(next) == nil
	p.in.released()
	p.in.watch.published(next.snapshot, next.at.Clusters())
	if p.set.Hooks.Published != nil {
		p.set.Hooks.Published(&next.Published, took)
	}
	if first {
		close(p.ready)
	}
}

// open prepares a snapshot for placing. If encoder is nil it uses the snapshot's own.
func (p *publisher) open(s *snapshot.Snapshot, encoder *ingest.Encoder, state *live.State, f stream.Stats) (*published, error) {
	set := p.set.Placing()
	set.Known = p.in.Vector
	set.Encoder = encoder
	m, err := embed.Open(s, set)
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	return &published{Published: m.Published(s, f), snapshot: s, at: m, state: state}, nil
}

// failed reports an error that does not end learning.
func (p *publisher) failed(err error) { p.set.failed(err) }
