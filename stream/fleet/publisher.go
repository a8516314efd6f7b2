package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"unfold/internal/backoff"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/store"
)

// PublisherSettings describe a Publisher.
type PublisherSettings struct {
	// Name is the fleet's name, Learner this process's name in announcements.
	Name, Learner string
	Store         *store.Store
	Topic         Topic
	// Writer is the permission of this process to write to the topic. It must be taken before the
	// topic is opened.
	Writer FencedWriter
	// Keep is the number of versions that stay in the store. Default 10, at least 2.
	Keep int
	// Repeat is the interval after which the newest announcement is written again, for topics that
	// drop old messages instead of compacting. Default 12h.
	Repeat time.Duration
	// RetryMin and RetryMax bound the pause before a failed attempt is retried. Defaults 500ms,
	// 30s. Timeout bounds one attempt. Default 2m.
	RetryMin, RetryMax, Timeout time.Duration
	Hooks                       Hooks
}

func (s PublisherSettings) withDefaults() (PublisherSettings, error) {
	if s.Keep == 0 {
		s.Keep = 10
	}
	for v, d := range map[*time.Duration]time.Duration{&s.Repeat: 12 * time.Hour, &s.RetryMin: 500 * time.Millisecond, &s.RetryMax: 30 * time.Second, &s.Timeout: 2 * time.Minute} {
		if *v == 0 {
			*v = d
		}
	}
	switch {
	case s.Store == nil || s.Topic == nil || s.Writer == nil:
		return s, errors.New("fleet: a publisher needs a store, a topic and a writer")
	case s.Keep < 2:
		return s, errors.New("fleet: keep at least 2 versions in the store, since embedders may still read the last but one")
	case s.RetryMin < 0 || s.RetryMax < s.RetryMin || s.Timeout < 0 || s.Repeat < 0:
		return s, errors.New("fleet: the publisher's times do not fit")
	}
	return s, store.CheckName(s.Name)
}

// Publisher stores and announces maps. Call Run once, and Offer for every new map.
type Publisher struct {
	set        PublisherSettings
	generation uint64
	reader     reader

	mu sync.Mutex
	// offered is the newest map that is not stored yet. last is the newest announcement of any
	// learner. failing is the reason why the newest map is not announced yet.
	offered *snapshot.Snapshot
	last    Announcement
	failing error
	more    chan struct{}
}

// Take makes this process the fleet's learner: it reads the topic and announces the next
// generation. From then on the previous learner's announcements are refused.
func Take(ctx context.Context, settings PublisherSettings) (*Publisher, error) {
	s, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	// Generations start from the clock, so that a new learner's is higher even if the last
	// announcement can no longer be read.
	p := &Publisher{set: s, generation: uint64(max(1, time.Now().Unix())), more: make(chan struct{}, 1)}
	p.reader = reader{s.Topic, s.Name, &p.set.Hooks}
	there, err := p.reader.next(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range there {
		p.generation = max(p.generation, a.Generation+1)
		p.last = a
	}
	if err := p.announce(ctx, p.last); err != nil {
		return nil, fmt.Errorf("fleet: becoming the learner of %s: %w", s.Name, err)
	}
	return p, nil
}

// Last returns the newest announcement, which may have no map.
func (p *Publisher) Last() Announcement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// Failing returns the reason why the newest map is not announced yet, nil if it is.
func (p *Publisher) Failing() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failing
}

// Offer makes this map the next to be announced. It replaces a map that is still waiting, and does
// not block.
func (p *Publisher) Offer(s *snapshot.Snapshot) {
	p.mu.Lock()
	p.offered = s
	p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// Run stores and announces the offered maps until the context is done, and then returns nil. If
// another learner has taken over it returns an error that matches stream.ErrFenced; after any other
// failure it retries.
func (p *Publisher) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop(nil)
	watching.Go(func() {
		if err := p.watch(ctx); err != nil {
			stop(err)
		}
	})
	repeat := time.NewTicker(p.set.Repeat)
	defer repeat.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return p.fenced(context.Cause(ctx))
		case <-p.more:
			err = p.publish(ctx)
		case <-repeat.C:
			err = p.announce(ctx, p.Last())
		}
		if errors.Is(err, stream.ErrFenced) {
			return p.fenced(err)
		}
	}
}

// fenced returns err with an explanation if another learner has taken over, else nil.
func (p *Publisher) fenced(err error) error {
	if !errors.Is(err, stream.ErrFenced) {
		return nil
	}
	return fmt.Errorf("fleet: there is another learner of %s: %w: this one ends; stop one of the two, or give it a name of its own", p.set.Name, err)
}

// watch reads the topic and returns an error when another learner has taken over.
func (p *Publisher) watch(ctx context.Context) error {
	for {
		there, err := p.reader.next(ctx)
		if err != nil {
			return nil // the context is done, or the topic cannot be read: then the next write fails with the reason
		}
		for _, a := range there {
			if a.Generation > p.generation {
				return fmt.Errorf("%w: learner %d (%s) at %s", stream.ErrFenced, a.Generation, a.Learner, a.At.Format(time.RFC3339))
			}
		}
	}
}

// publish stores and announces the newest map, with retries. It continues with a newer map if one
// is offered meanwhile.
func (p *Publisher) publish(ctx context.Context) error {
	begin := time.Now()
	for attempt := 1; ctx.Err() == nil; attempt++ {
		p.mu.Lock()
		s := p.offered
		p.mu.Unlock()
		if s == nil {
			return nil
		}
		what, err := p.attempt(ctx, s)
		p.mu.Lock()
		p.failing = err
		if err == nil && p.offered == s {
			p.offered = nil
		}
		last, done := p.last, p.offered == nil
		p.mu.Unlock()
		switch {
		case err == nil:
			if p.set.Hooks.Announced != nil {
				p.set.Hooks.Announced(last, time.Since(begin))
			}
			p.retain(ctx, last.Key)
			if done {
				return nil
			}
			begin, attempt = time.Now(), 0
		case ctx.Err() != nil || errors.Is(err, stream.ErrFenced):
			return err
		default:
			pause := backoff.Pauses{Least: p.set.RetryMin, Most: p.set.RetryMax}.After(attempt)
			p.set.Hooks.retrying(what, attempt, err, pause)
			backoff.Wait(ctx, pause) // the loop looks at ctx
		}
	}
	return nil
}

// attempt stores and announces a map.
func (p *Publisher) attempt(ctx context.Context, s *snapshot.Snapshot) (what string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.set.Timeout)
	defer cancel()
	o, err := p.set.Store.Put(ctx, p.set.Name, s)
	if err != nil {
		return "store", err
	}
	return "announce", p.announce(ctx, Of(s, o))
}

// announce writes an announcement of this learner.
func (p *Publisher) announce(ctx context.Context, a Announcement) error {
	a.Format, a.Name, a.Generation, a.Learner, a.At = Format, p.set.Name, p.generation, p.set.Learner, time.Now().UTC().Truncate(time.Millisecond)
	m, err := a.Message()
	if err != nil {
		return err
	}
	if err := p.set.Writer.Write(ctx, m); err != nil {
		return err
	}
	p.mu.Lock()
	p.last = a
	p.mu.Unlock()
	return nil
}

// retain removes old versions. A version that cannot be removed now is removed with the next map.
func (p *Publisher) retain(ctx context.Context, newest string) {
	ctx, cancel := context.WithTimeout(ctx, p.set.Timeout)
	defer cancel()
	n, err := p.set.Store.Keep(ctx, p.set.Name, p.set.Keep, newest)
	if err != nil && ctx.Err() == nil {
		p.set.Hooks.retrying("retention", 1, err, 0)
	}
	if n > 0 && p.set.Hooks.Removed != nil {
		p.set.Hooks.Removed(n)
	}
}
