package stream_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// slowSource has generations whose commits are slow, ignore the context, and fail.
type slowSource struct {
	stream.Source
	stopped *atomic.Bool
	late    *atomic.Int64 // commits that began after the stop
}

func (s slowSource) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	return slowGeneration{g, s}, err
}

type slowGeneration struct {
	stream.Generation
	s slowSource
}

func (g slowGeneration) Commit(context.Context, []stream.Position) error {
	if g.s.stopped.Load() {
		g.s.late.Add(1)
	}
	time.Sleep(50 * time.Millisecond)
	return errBroken
}

// After the pipeline was stopped, only the last commit begins. So a coordinator that hangs costs
// the time of one commit.
func TestStopWithSlowCommits(t *testing.T) { synctest.Test(t, stopWithSlowCommits) }

func stopWithSlowCommits(t *testing.T) {
	b := newBroker(1)
	feed(b, 1, 100, rand.New(rand.NewPCG(3, 1)))
	var stopped, dead atomic.Bool
	var late atomic.Int64
	b.Fault(func(op streamtest.Op) error {
		if op == streamtest.OpWrite && dead.Load() {
			return errBroken
		}
		return nil
	})
	p := start(t, b, &streamtest.Learner{Pause: 5 * time.Millisecond})
	p.pipeline.Source = slowSource{p.source, &stopped, &late}
	p.pipeline.Settings.DrainTimeout, p.pipeline.Settings.CommitTimeout = time.Second, time.Millisecond
	running := p.run(t)
	running.Await("something is delivered", func() bool { return p.delivered.Load() > 0 })
	dead.Store(true)
	stopped.Store(true)
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	// There are two if one began at the moment of the stop.
	if n := late.Load(); n > 2 {
		t.Errorf("%d commits began after the stop", n)
	}
	settle(t, b, &streamtest.Learner{})
}
