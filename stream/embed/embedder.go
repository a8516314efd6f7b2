package embed

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"unfold/ingest/arrowfmt"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/format"
)

// EmbedderSettings describe an Embedder.
type EmbedderSettings struct {
	// Spec is the model: kind and dimensions of every map must be those.
	Spec fit.Spec
	// Embed says how events are placed.
	Embed Settings
	// Decoder reads messages; nil: Arrow IPC streams, within Limits.
	Decoder *format.Decoder
	Limits  arrowfmt.Limits
	// Hooks.Sized and Published are called.
	Hooks stream.Hooks
	// Follow brings the maps.
	Follow Follow
}

// Follow brings maps and hands each to install, one after the other, until the context
// is done. If install returns an error the map before stays; see fleet.Follower.Run.
type Follow func(ctx context.Context, install func(*snapshot.Snapshot) error) error

// Embedder is a stream.Learner that does not learn: it places events on maps that
// another process has learnt, and is the stream.Decoder that belongs to it. Until the
// first map is there Offer blocks, which holds back reading.
type Embedder struct {
	*Decoder
	set     EmbedderSettings
	current atomic.Pointer[serving]
	ready   chan struct{}
}

// serving is the map in use, of vectors of dim values.
type serving struct {
	stream.Published
	dim int
}

var (
	_ stream.Learner = (*Embedder)(nil)
	_ stream.Decoder = (*Embedder)(nil)
	_ stream.Weigher = (*Embedder)(nil)
)

// NewEmbedder makes an embedder.
func NewEmbedder(s EmbedderSettings) (*Embedder, error) {
	if s.Follow == nil {
		return nil, errors.New("embed: an embedder needs somebody to bring it maps")
	}
	if err := s.Embed.Check(); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if s.Embed.Writer == nil {
		s.Embed.Writer = &format.Encoder{} // of all its maps
	}
	return &Embedder{Decoder: DecoderOf(s.Decoder, s.Limits), set: s, ready: make(chan struct{})}, nil
}

// Current implements stream.Learner.
func (e *Embedder) Current() *stream.Published {
	if cur := e.current.Load(); cur != nil {
		return &cur.Published
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
	if err := e.set.Follow(ctx, e.install); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// fits checks that a map is one that the settings mean, and that events which could be
// placed on the map before can be placed on it.
func (e *Embedder) fits(s *snapshot.Snapshot) error {
	if err := e.set.Spec.Matches(s); err != nil {
		return fmt.Errorf("embed: map version %d: %w", s.Version, err)
	}
	if cur := e.current.Load(); cur != nil && cur.dim != s.Dim {
		return fmt.Errorf("embed: map version %d is of vectors of %d values, the one before of %d", s.Version, s.Dim, cur.dim)
	}
	return nil
}

// install makes a snapshot the map that the next batch is placed on.
func (e *Embedder) install(s *snapshot.Snapshot) error {
	if err := e.fits(s); err != nil {
		return err
	}
	// The map before is there until its batches are done: who bounds memory hears of the
	// next one first.
	if hook := e.set.Hooks.Sized; hook != nil {
		hook(s.Dim, s.Reference.Rows)
	}
	m, err := Open(s, e.set.Embed)
	if err != nil {
		return fmt.Errorf("embed: %w", err)
	}
	how, _ := StatsOf(s)
	next := &serving{m.Published(s, how), s.Dim}
	if w := e.set.Embed.Watch; w != nil {
		w.NewMap(&next.Published)
	}
	first := e.current.Swap(next) == nil
	if hook := e.set.Hooks.Published; hook != nil {
		hook(&next.Published, 0)
	}
	if first {
		close(e.ready)
	}
	return nil
}
