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
	// Spec is the model; every map must have its kind and dimensions.
	Spec fit.Spec
	// Embed configures the placing of events.
	Embed Settings
	// Decoder decodes messages; nil means Arrow IPC streams, within Limits.
	Decoder *format.Decoder
	Limits  arrowfmt.Limits
	// Hooks.Sized and Published are called.
	Hooks stream.Hooks
	// Follow brings the maps.
	Follow Follow
}

// Follow receives maps and calls install with each in order, until the context is done. If install
// returns an error the previous map stays; see fleet.Follower.Run.
type Follow func(ctx context.Context, install func(*snapshot.Snapshot) error) error

// Embedder is a stream.Learner that does not learn. It places events on maps that another process
// has learnt, and is also their stream.Decoder. Until the first map arrives Offer blocks, which
// stops reading.
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

// Offer implements stream.Learner. It learns nothing, and waits for the first map.
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

// fits checks that a map matches the settings, and that events which fitted the previous map can be
// placed on it.
func (e *Embedder) fits(s *snapshot.Snapshot) error {
	if err := e.set.Spec.Matches(s); err != nil {
		return fmt.Errorf("embed: map version %d: %w", s.Version, err)
	}
	if cur := e.current.Load(); cur != nil && cur.dim != s.Dim {
		return fmt.Errorf("embed: map version %d is of vectors of %d values, the one before of %d", s.Version, s.Dim, cur.dim)
	}
	return nil
}

// install makes a snapshot the map for the next batches.
func (e *Embedder) install(s *snapshot.Snapshot) error {
	if err := e.fits(s); err != nil {
		return err
	}
	// The previous map stays in memory until its batches are done, so memory limits must know the
	// size of the next one first.
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
