package learn

import (
	"context"
	"sync"

	"unfold/stream"
	"unfold/stream/embed"
)

// Learner is a stream.Learner, and the stream.Decoder that belongs to it. It has four
// parts, each with an owner of its own:
//
//	intake     takes events (Offer, Seen): the goroutines that offer, under its lock
//	refresher  learns maps of what was taken (Run): the goroutine of Run
//	watcher    holds the newest events against the map's points, if Settings.Drift says so
//	publisher  saves and exchanges maps, emits moves (Current, Ready, Snapshot): one thing
//	           at a time, under its lock, for the refresher; readers have an atomic pointer
//
// The refresher waits for the publisher, as every map is learnt from the one before it.
// The locks are taken in one order: publisher, intake, watcher.
type Learner struct {
	*embed.Decoder
	*intake
	*refresher
	*publisher
	set Settings
}

var (
	_ stream.Learner = (*Learner)(nil)
	_ stream.Decoder = (*Learner)(nil)
	_ stream.Weigher = (*Learner)(nil)
)

// Run implements stream.Learner: the refresher's Run, while the stream is watched for drift.
func (l *Learner) Run(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { l.watch.run(watching) })
	defer wg.Wait()
	defer stop()
	return l.refresher.Run(ctx)
}

// New makes a learner. It goes on from the state directory if that holds a map,
// else from Settings.Start if there is one; else the first map has to be learnt.
// Errors that lie in these files match models.ErrBadInput.
func New(settings Settings) (*Learner, error) {
	set, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	in := newIntake(set)
	out := newPublisher(set, in)
	l := &Learner{Decoder: embed.DecoderOf(set.Decoder, set.Limits), intake: in, refresher: &refresher{set: set, in: in, out: out}, publisher: out, set: set}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l, nil
}
