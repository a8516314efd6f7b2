package learn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"unfold/ingest"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/reference"
)

// Learner is a stream.Learner, and the stream.Decoder that belongs to it.
type Learner struct {
	*embed.Decoder
	set     Settings
	writer  *ingest.MessageWriter
	ready   chan struct{}
	current atomic.Pointer[published]
	// enough tells Run that the first map can be learnt.
	enough chan struct{}

	mu sync.Mutex
	// next is the offset behind the last event taken, for each partition.
	next map[stream.TopicPartition]int64
	// encoder and ref are there from the first map on, cold before.
	encoder *ingest.Encoder
	ref     *reference.Set
	cold    cold
	// pool are labelled events, if classes are told; nil before the first.
	pool *labels.Pool
	// votes judge the map by events with labels.
	votes *votes
	// need is how many events the first map needs; fitting is there while it
	// is being learnt, and closed afterwards.
	need    int
	fitting chan struct{}
	// taken: the reference set is not what was saved last. idType is the type of the
	// events' ids.
	taken  bool
	idType string
	// releasing: the rows of the reference set's points are those of a map that is not
	// published yet, while its classes are learnt and it is saved.
	releasing bool

	// What follows belongs to New and Run alone.

	// follow is the map that is carried on; nil: it has yet to be set up from the
	// current one. draft is a map that was learnt, but could not be published.
	follow *fit.Followed
	draft  *draft
	// changed: follow has taken changes that are in no map yet. waited counts the
	// times that a few changes were not worth a refresh.
	changed bool
	waited  int
	// toldEpoch is the epoch whose places were told last, untold says that some were
	// not.
	toldEpoch uint32
	untold    bool
	history   history
	// mapID is that of the map that is learnt; "" before the first, or if it has none.
	mapID string
	// saves numbers the files of reference sets.
	saves uint64
}

// published is a map together with the snapshot it was opened from.
type published struct {
	stream.Published
	snapshot *snapshot.Snapshot
	// at is the map as events are placed on it.
	at *embed.Map
	// state is that of the map that is carried on; nil: as after a fit.
	state *live.State
	// classes are those of the rows, which vote on events; nil without labels.
	classes []int32
}

var (
	_ stream.Learner = (*Learner)(nil)
	_ stream.Decoder = (*Learner)(nil)
)

// New makes a learner. It goes on from the state directory if that holds a map,
// else from Settings.Start if there is one; else the first map has to be learnt.
// Errors that lie in these files match models.ErrBadInput.
func New(settings Settings) (*Learner, error) {
	set, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Learner{
		Decoder: embed.NewDecoder(set.Limits), set: set, writer: &ingest.MessageWriter{}, ready: make(chan struct{}), enough: make(chan struct{}, 1),
		next: map[stream.TopicPartition]int64{}, cold: cold{mapping: set.Mapping, limits: set.Limits}, need: set.Min,
		votes: newVotes(set.Seed),
	}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l, nil
}

// Current implements stream.Learner.
func (l *Learner) Current() *stream.Published {
	if p := l.current.Load(); p != nil {
		return &p.Published
	}
	return nil
}

// Snapshot returns the newest map's snapshot, nil before the first. It is
// read-only.
func (l *Learner) Snapshot() *snapshot.Snapshot {
	if p := l.current.Load(); p != nil {
		return p.snapshot
	}
	return nil
}

// Seen returns the positions that the reference set has taken, and how many of its
// points are not on the newest map yet.
func (l *Learner) Seen() (positions []stream.Position, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ref == nil {
		return nil, 0
	}
	for p := range l.ref.All() {
		if l.ref.Row(p) < 0 || l.releasing {
			waiting++
		}
	}
	return l.seen(), waiting
}

// Ready implements stream.Learner.
func (l *Learner) Ready() <-chan struct{} { return l.ready }

// Offer implements stream.Learner.
func (l *Learner) Offer(ctx context.Context, e stream.Events) error {
	mine, err := embed.Own(e)
	if err != nil {
		return err
	}
	for {
		l.mu.Lock()
		if busy := l.fitting; busy != nil && l.encoder == nil {
			l.mu.Unlock()
			select {
			case <-busy:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := l.take(mine)
		l.mu.Unlock()
		return err
	}
}

// take takes events that were not taken before. The lock is held.
func (l *Learner) take(e *embed.Events) error {
	tp := e.Position.TopicPartition
	if e.Position.Offset < l.next[tp] {
		return nil
	}
	l.next[tp] = e.Position.Offset + 1
	l.taken = true
	switch {
	case l.encoder == nil && e.Table == nil:
		l.cold.drop(e.Gone)
		return nil
	case l.encoder == nil:
		if err := l.cold.add(e.Table, e.At); err != nil {
			return err
		}
		if l.cold.full(l.need, l.set.Size) {
			l.fitting = make(chan struct{})
			l.enough <- struct{}{}
		}
		return nil
	case e.Table == nil:
		l.ref.Delete(e.Gone)
		l.unlabel(e.Gone)
		return nil
	}
	b, err := e.Encode(l.encoder)
	if err != nil {
		return err
	}
	if l.idType == "" && b.ID.Valid() {
		l.idType = b.ID.DataType()
	}
	classes := l.votes.classes(b, l.set.Mapping.Label)
	addTo(l.ref, b, e.At, classes)
	l.votes.add(b, classes)
	l.label(b)
	return nil
}

// Run implements stream.Learner: it learns the first map, carries it on, and saves
// the reference set at the end.
func (l *Learner) Run(ctx context.Context) error {
	if l.Current() == nil {
		if err := l.start(ctx); err != nil || l.Current() == nil {
			return err
		}
	}
	err := l.tell(ctx) // what a crash may have left untold
	if err == nil && l.set.RefreshEvery != Never {
		err = l.refreshes(ctx)
	}
	if err == nil {
		<-ctx.Done()
	}
	if err := l.saveReference(); err != nil {
		l.failed(err)
	}
	return err
}

// start waits for enough events and learns the first map. If they do not
// suffice (event streams are full of duplicates) it waits for half as many
// more, until the reference set is full.
func (l *Learner) start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.enough:
		}
		err := l.first(ctx)
		if ctx.Err() != nil {
			return nil
		}
		l.mu.Lock()
		busy := l.fitting
		l.fitting = nil
		full := l.need >= l.set.Size
		if err != nil {
			l.need = min(l.need+l.need/2+1, l.set.Size)
		}
		l.mu.Unlock()
		close(busy)
		if err == nil {
			return nil
		}
		var few *notEnough
		if !errors.As(err, &few) || full {
			return err
		}
		l.failed(err)
	}
}

func (l *Learner) failed(err error) {
	if l.set.Hooks.RefreshFailed != nil {
		l.set.Hooks.RefreshFailed(err)
	}
}

// publish makes a map the current one.
func (l *Learner) publish(p *published, took time.Duration) {
	first := l.current.Swap(p) == nil
	l.mu.Lock()
	l.releasing = false
	l.mu.Unlock()
	if l.set.Hooks.Published != nil {
		l.set.Hooks.Published(&p.Published, took)
	}
	if first {
		close(l.ready)
	}
}

// open prepares a snapshot for placing, with its own encoder if none is given.
func (l *Learner) open(s *snapshot.Snapshot, encoder *ingest.Encoder, state *live.State, f stream.Figures) (*published, error) {
	set := l.set.Placing()
	set.Encoder, set.Writer = encoder, l.writer
	m, err := embed.Open(s, set)
	if err != nil {
		return nil, fmt.Errorf("online: %w", err)
	}
	return &published{Published: m.Published(s, f), snapshot: s, at: m, state: state}, nil
}

// Placing are the settings by which events are placed, by the learner or by an embedder that
// follows it.
func (s Settings) Placing() embed.Settings {
	out := embed.Settings{Place: s.Place, Open: s.Open, Mapping: s.Mapping, Classes: embed.ClassesNever}
	if s.Classify {
		out.Classes = embed.ClassesAlways
	}
	return out
}
