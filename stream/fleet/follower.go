package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"unfold/internal/backoff"
	"unfold/models/snapshot"
	"unfold/stream/store"
)

// FollowerSettings describe a Follower.
type FollowerSettings struct {
	// Name is the fleet's.
	Name  string
	Store *store.Store
	Topic Topic
	// Dims is the required dimension of maps; 0 accepts any.
	Dims int
	// RetryMin and RetryMax bound the pause before a failed attempt is retried. Defaults 500ms,
	// 30s. Timeout bounds one attempt. Default 2m.
	RetryMin, RetryMax, Timeout time.Duration
	Hooks                       Hooks
}

func (s FollowerSettings) withDefaults() (FollowerSettings, error) {
	for v, d := range map[*time.Duration]time.Duration{&s.RetryMin: 500 * time.Millisecond, &s.RetryMax: 30 * time.Second, &s.Timeout: 2 * time.Minute} {
		if *v == 0 {
			*v = d
		}
	}
	switch {
	case s.Store == nil || s.Topic == nil:
		return s, errors.New("fleet: a follower needs a store and a topic")
	case s.RetryMin < 0 || s.RetryMax < s.RetryMin || s.Timeout < 0:
		return s, errors.New("fleet: the follower's times do not fit")
	}
	return s, store.CheckName(s.Name)
}

// Status is the state of a Follower.
type Status struct {
	// Serving is the announcement of the map in use, Newest the one heard last; either may have no
	// map.
	Serving, Newest Announcement
	// Problem is the reason why the newest map is not in use, nil if there is none.
	Problem error
}

// String describes the status in one line.
func (s Status) String() string {
	text := s.Serving.String()
	if s.Problem != nil {
		return fmt.Sprintf("%s, although version %d was announced: %v", text, s.Newest.Version, s.Problem)
	}
	return text
}

// Follower fetches the announced maps. Call Run once.
type Follower struct {
	set    FollowerSettings
	reader reader

	mu     sync.Mutex
	status Status
	// heard holds announcements that are still to be processed, oldest first.
	heard []Announcement
	more  chan struct{}
	// generation is the highest one among the announcements read.
	generation uint64
}

// NewFollower makes a follower.
func NewFollower(settings FollowerSettings) (*Follower, error) {
	s, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Follower{set: s, more: make(chan struct{}, 1)}
	f.reader = reader{s.Topic, s.Name, &f.set.Hooks}
	return f, nil
}

// Status returns the follower's current state.
func (f *Follower) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// Run fetches announced maps and passes them to install until the context is done, and then returns
// nil. If install returns an error the map is refused. Run returns an error only if the topic
// cannot be read at all.
func (f *Follower) Run(ctx context.Context, install func(*snapshot.Snapshot) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop(nil)
	watching.Go(func() { stop(f.watch(ctx)) })
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return nil
		case <-f.more:
		}
		f.follow(ctx, install)
	}
}

// watch reads the topic.
func (f *Follower) watch(ctx context.Context) error {
	for {
		there, err := f.reader.next(ctx)
		if err != nil {
			return err
		}
		for _, a := range there {
			f.hear(a)
		}
		select {
		case f.more <- struct{}{}:
		default:
		}
	}
}

// mostHeard bounds the number of announcements kept for the case that newer maps cannot be used.
const mostHeard = 16

// hear adds an announcement to those to be processed, unless its learner has been replaced.
func (f *Follower) hear(a Announcement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a.Generation < f.generation {
		return
	}
	f.generation = a.Generation
	if !a.Map() {
		return
	}
	f.status.Newest = a
	f.heard = slices.DeleteFunc(f.heard, a.same)
	f.heard = append(f.heard, a)
	f.heard = f.heard[max(0, len(f.heard)-mostHeard):]
	if f.set.Hooks.Heard != nil {
		f.set.Hooks.Heard(a)
	}
}

// pending returns the newest announcement to be processed. While no map is in use, this may be one
// older than the last refused.
func (f *Follower) pending() (a Announcement, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.heard) == 0 {
		return a, false
	}
	a = f.heard[len(f.heard)-1]
	if f.status.Serving.Map() && (a.same(f.status.Serving) || !a.same(f.status.Newest)) {
		f.heard = nil
		if a.same(f.status.Serving) && a.same(f.status.Newest) {
			f.status.Serving, f.status.Problem = a, nil
		}
		return a, false
	}
	return a, true
}

// follow processes announcements until none are left.
func (f *Follower) follow(ctx context.Context, install func(*snapshot.Snapshot) error) {
	begin := time.Now()
	var last Announcement
	for attempt := 1; ctx.Err() == nil; attempt++ {
		a, ok := f.pending()
		if !ok {
			return
		}
		if !a.same(last) {
			begin, last, attempt = time.Now(), a, 1
		}
		err := f.fetch(ctx, a, install)
		var no *refusal
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			f.installed(a, time.Since(begin))
		case errors.As(err, &no) && attempt >= no.attempts:
			f.refused(a, no)
		default:
			f.mu.Lock()
			f.status.Problem = err
			f.mu.Unlock()
			pause := backoff.Pauses{Least: f.set.RetryMin, Most: f.set.RetryMax}.After(attempt)
			f.set.Hooks.retrying("fetch snapshot", attempt, err, pause)
			backoff.WaitFor(ctx, pause, f.more) // the loop looks at ctx
		}
	}
}

// refusal is an error that gives the reason why a map is not used.
type refusal struct {
	why string
	err error
	// attempts is the number of times that the failure must occur before the map is refused.
	attempts int
}

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

// fetch gets a map from the store, checks it and passes it to install.
func (f *Follower) fetch(ctx context.Context, a Announcement, install func(*snapshot.Snapshot) error) error {
	if err := f.fits(a); err != nil {
		return &refusal{why: "dimension", err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, f.set.Timeout)
	defer cancel()
	s, err := f.set.Store.Get(ctx, a.Object())
	var damaged *store.DamagedError
	switch {
	case errors.As(err, &damaged):
		return &refusal{why: "damaged", attempts: 3, err: err}
	case errors.Is(err, store.ErrNotThere) && !f.Status().Serving.Map():
		// Some stores list an object only after a while, so this is tried several times; then an
		// older map is better than none.
		return &refusal{why: "missing", attempts: 6, err: err}
	case err != nil:
		return err
	case s.Dim != a.Dim || s.Mu.Cols != a.Dims || s.Epoch != a.Epoch:
		return &refusal{why: "dimension", err: fmt.Errorf("fleet: %s holds a map of %d values in %d dimensions, epoch %d; %d, %d and %d were announced",
			a.Key, s.Dim, s.Mu.Cols, s.Epoch, a.Dim, a.Dims, a.Epoch)}
	case a.MapID != "" && s.MapID != a.MapID:
		return &refusal{why: "unusable", err: fmt.Errorf("fleet: %s holds a snapshot of the map %q, %q was announced", a.Key, s.MapID, a.MapID)}
	}
	if err := install(s); err != nil {
		return &refusal{why: "unusable", err: err}
	}
	return nil
}

// fits returns an error if the announcement itself shows that the map cannot replace the current
// one. With a map of another dimension, all events would become dead letters.
func (f *Follower) fits(a Announcement) error {
	f.mu.Lock()
	serving := f.status.Serving
	f.mu.Unlock()
	switch {
	case f.set.Dims != 0 && a.Dims != f.set.Dims:
		return fmt.Errorf("fleet: map version %d has %d dimensions, the settings say %d", a.Version, a.Dims, f.set.Dims)
	case serving.Map() && a.Dims != serving.Dims:
		return fmt.Errorf("fleet: map version %d has %d dimensions, the one in use %d", a.Version, a.Dims, serving.Dims)
	case serving.Map() && a.Dim != serving.Dim:
		return fmt.Errorf("fleet: map version %d is of vectors of %d values, the one in use of %d: to change the columns start this process again", a.Version, a.Dim, serving.Dim)
	}
	return nil
}

// installed records that the map is in use.
func (f *Follower) installed(a Announcement, took time.Duration) {
	f.mu.Lock()
	f.status.Serving = a
	if a.same(f.status.Newest) {
		f.status.Problem = nil
	}
	f.mu.Unlock()
	if f.set.Hooks.Installed != nil {
		f.set.Hooks.Installed(a, took)
	}
}

// refused records that the map cannot be used.
func (f *Follower) refused(a Announcement, no *refusal) {
	f.mu.Lock()
	f.heard = slices.DeleteFunc(f.heard, a.same)
	if a.same(f.status.Newest) {
		f.status.Problem = no.err
	}
	f.mu.Unlock()
	if f.set.Hooks.Refused != nil {
		f.set.Hooks.Refused(a, no.why, no.err)
	}
}
