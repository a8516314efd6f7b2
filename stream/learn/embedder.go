package learn

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/stream"
)

// Embedder is a stream.Learner that does not learn: it places events on maps that
// another process has learnt, and is the stream.Decoder that belongs to it. Until the
// first map is there Offer blocks, which holds back reading.
type Embedder struct {
	// maps opens snapshots as the learner does, so that the same version of a map gives
	// the same bytes whoever places on it.
	maps    *Learner
	follow  Follow
	current atomic.Pointer[published]
	ready   chan struct{}
}

// Follow brings maps and hands each to install, one after the other, until the context
// is done. If install returns an error the map before stays; see fleet.Follower.Run.
type Follow func(ctx context.Context, install func(*snapshot.Snapshot) error) error

var (
	_ stream.Learner = (*Embedder)(nil)
	_ stream.Decoder = (*Embedder)(nil)
)

// NewEmbedder makes an embedder. Of the settings Spec, Place, Mapping, Classify, Limits
// and Hooks.Published count; kind and dimensions of every map must be those of Spec.
func NewEmbedder(settings Settings, follow Follow) (*Embedder, error) {
	settings.State, settings.Start, settings.Moves = "", nil, nil
	maps, err := New(settings)
	if err != nil {
		return nil, err
	}
	if follow == nil {
		return nil, errors.New("online: an embedder needs somebody to bring it maps")
	}
	return &Embedder{maps: maps, follow: follow, ready: make(chan struct{})}, nil
}

// Decode implements stream.Decoder.
func (e *Embedder) Decode(m stream.Message) (stream.Events, error) { return e.maps.Decode(m) }

// Weigh implements stream.Weigher.
func (e *Embedder) Weigh(m *stream.Message) int64 { return e.maps.Weigh(m) }

// Current implements stream.Learner.
func (e *Embedder) Current() *stream.Published {
	if p := e.current.Load(); p != nil {
		return &p.Published
	}
	return nil
}

// Ready implements stream.Learner.
func (e *Embedder) Ready() <-chan struct{} { return e.ready }

// Offer implements stream.Learner. Nothing is learnt; before the first map it waits for
// that.
func (e *Embedder) Offer(ctx context.Context, _ stream.Events) error {
	select {
	case <-e.ready:
		return nil
	default:
	}
	select {
	case <-e.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run implements stream.Learner.
func (e *Embedder) Run(ctx context.Context) error {
	if err := e.follow(ctx, e.install); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// fits checks that a map is one that the settings mean, and that events which could be
// placed on the map before can be placed on it.
func (e *Embedder) fits(s *snapshot.Snapshot) error {
	spec, err := e.maps.set.Spec.Resolve(s.Dim)
	if err != nil {
		return err
	}
	dims := spec.LVM.Dims
	if dims == 0 {
		dims = saul.DefaultDims
	}
	cur := e.current.Load()
	switch {
	case spec.Kind != s.Kind || dims != s.Mu.Cols:
		return fmt.Errorf("online: map version %d is of kind %s in %d dimensions, the settings say %s in %d", s.Version, s.Kind, s.Mu.Cols, spec.Kind, dims)
	case cur != nil && cur.snapshot.Dim != s.Dim:
		return fmt.Errorf("online: map version %d is of vectors of %d values, the one before of %d", s.Version, s.Dim, cur.snapshot.Dim)
	}
	return nil
}

// install makes a snapshot the map that the next batch is placed on.
func (e *Embedder) install(s *snapshot.Snapshot) error {
	encoder, err := e.maps.encoderOf(s)
	if err != nil {
		return err
	}
	if err := e.fits(s); err != nil {
		return err
	}
	e.maps.sized(encoder.Dim(), s.Reference.Rows)
	how := learningOf(s)
	p, err := e.maps.open(s, encoder, how.Live, how.Figures)
	if err != nil {
		return err
	}
	first := e.current.Swap(p) == nil
	if hook := e.maps.set.Hooks.Published; hook != nil {
		hook(&p.Published, 0)
	}
	if first {
		close(e.ready)
	}
	return nil
}
