package learn

import (
	"context"
	"sync"

	"unfold/stream"
	"unfold/stream/embed"
)

// Learner is a stream.Learner, and the stream.Decoder that belongs to it. It has four parts, each
// with its own owner:
//
//	intake     accepts events (Offer, Seen); owner: goroutines that offer, under its lock
//	refresher  learns maps of accepted events (Run); owner: the goroutine of Run
//	watcher    compares the newest events with the map's points (Settings.Drift)
//	publisher  saves and publishes maps, emits moves (Current, Ready, Snapshot), one act
//	           at a time, under its lock, for the refresher; readers use an atomic pointer
//
// The refresher waits for the publisher, because every map is learnt from the previous one. The
// locks are always acquired in the order publisher, intake, watcher.
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

// Run implements stream.Learner. It runs the refresher and, concurrently, drift detection.
func (l *Learner) Run(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { l.watch.run(watching) })
	defer wg.Wait()
	defer stop()
	return l.refresher.Run(ctx)
}

// New makes a learner. It continues from the map in the state directory, or from Settings.Start. If
// there is neither, the first map must be learnt. Errors that lie in these files match
// models.ErrBadInput.
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
