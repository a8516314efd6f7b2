package stream_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// A pipeline runs with its required parts. It returns an error at once if one is missing.
func TestNeedsItsParts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *stream.Pipeline)
		runs   bool
	}{
		"all":                       {func(*stream.Pipeline) {}, true},
		"no source":                 {func(p *stream.Pipeline) { p.Source = nil }, false},
		"no sink":                   {func(p *stream.Pipeline) { p.Sink = nil }, false},
		"no sink, exactly once":     {func(p *stream.Pipeline) { p.Sink, p.ExactlyOnce = nil, true }, true},
		"no sink, learning only":    {func(p *stream.Pipeline) { p.Sink, p.LearnOnly = nil, true }, true},
		"no decoder":                {func(p *stream.Pipeline) { p.Decoder = nil }, false},
		"no learner":                {func(p *stream.Pipeline) { p.Learner = nil }, false},
		"no source, exactly once":   {func(p *stream.Pipeline) { p.Source, p.ExactlyOnce = nil, true }, false},
		"no decoder, learning only": {func(p *stream.Pipeline) { p.Decoder, p.LearnOnly = nil, true }, false},
	} {
		p := start(t, newBroker(1), &streamtest.Learner{})
		c.change(p.pipeline)
		over, stop := context.WithCancel(t.Context())
		stop()
		err := errors.Join(p.pipeline.Run(over), p.source.Close())
		if c.runs != (err == nil) || err != nil && !strings.Contains(err.Error(), "a pipeline needs a source, a sink, a decoder and a learner") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lingering is a learner that takes a while to end.
type lingering struct {
	*streamtest.Learner
	ended atomic.Bool
}

func (l *lingering) Run(ctx context.Context) error {
	<-ctx.Done()
	time.Sleep(time.Minute)
	l.ended.Store(true)
	return nil
}

// No goroutine of a pipeline runs after Run has returned.
func TestRunWaitsForLearning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, newBroker(1), nil)
		learner := &lingering{Learner: &streamtest.Learner{}}
		p.pipeline.Learner = learner
		if err := p.run(t).Stop(); err != nil || !learner.ended.Load() {
			t.Errorf("learning has ended: %v, %v", learner.ended.Load(), err)
		}
	})
}

// slowSink takes a minute for each write.
type slowSink struct {
	stream.Sink
	begun chan struct{}
}

func (s slowSink) Write(ctx context.Context, messages []stream.Message) error {
	s.begun <- struct{}{}
	time.Sleep(time.Minute)
	return s.Sink.Write(ctx, messages)
}

// A stopping pipeline finishes and commits the messages it has read, and takes no longer than that.
func TestStopFinishesWhatIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		b.Append("in", 0, stream.Message{Value: []byte("1")})
		p := start(t, b, &streamtest.Learner{})
		begun := make(chan struct{}, 1)
		p.pipeline.Sink, p.pipeline.Settings.DrainTimeout = slowSink{p.out, begun}, time.Hour
		running := p.run(t)
		<-begun
		asked := time.Now()
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(asked); took < 50*time.Second || took > 2*time.Minute || committed(b) != 1 {
			t.Errorf("stopping took %v, %d are committed", took, committed(b))
		}
	})
}

// plainSource has generations without transactions.
type plainSource struct{ stream.Source }

type plainGeneration struct{ stream.Generation }

func (s plainSource) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	return plainGeneration{g}, err
}

// Exactly-once delivery without transactions is an error.
func TestExactlyOnceNeedsTransactions(t *testing.T) {
	b := newBroker(1)
	for _, exactlyOnce := range []bool{true, false} {
		p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
		p.pipeline.Source = plainSource{p.source}
		b.Append("in", 0, stream.Message{Value: []byte("1")})
		running := p.run(t)
		running.Await("it delivers, or ends", func() bool { return running.Ended() || p.delivered.Load() > 0 })
		if err := running.Stop(); exactlyOnce != (err != nil) || err != nil && !strings.Contains(err.Error(), "knows no transactions") {
			t.Errorf("exactly once %v: %v", exactlyOnce, err)
		}
	}
}

// The latency of events that have waited for the first map is measured from that map on.
func TestLatencyCountsFromTheMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		b.Append("in", 0, stream.Message{Value: []byte("1")})
		p := start(t, b, &streamtest.Learner{Min: 2})
		latency := make(chan time.Duration, 2)
		p.pipeline.Hooks.Delivered = func(_ stream.TopicPartition, _, _ int, took time.Duration) { latency <- took }
		running := p.run(t)
		time.Sleep(time.Hour)
		b.Append("in", 0, stream.Message{Value: []byte("2")})
		if took := <-latency; took > time.Minute {
			t.Errorf("the first event was delivered after %v", took)
		}
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// oneByOne is a source whose commits take a minute and ignore the context.
type oneByOne struct {
	stream.Source
	at, most *atomic.Int64
}

type oneByOneGeneration struct {
	stream.Generation
	s oneByOne
}

func (s oneByOne) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	return oneByOneGeneration{g, s}, err
}

func (g oneByOneGeneration) Commit(ctx context.Context, positions []stream.Position) error {
	g.s.most.Store(max(g.s.most.Load(), g.s.at.Add(1)))
	time.Sleep(time.Minute)
	g.s.at.Add(-1)
	return g.Generation.Commit(context.WithoutCancel(ctx), positions)
}

// The last commit begins after the previous one has ended. Otherwise the earlier one could arrive
// later and move the offset back.
func TestCommitsOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		b.Append("in", 0, stream.Message{Value: []byte("1")})
		p := start(t, b, &streamtest.Learner{})
		s := oneByOne{p.source, new(atomic.Int64), new(atomic.Int64)}
		p.pipeline.Source, p.pipeline.Settings.CommitTimeout = s, time.Hour
		running := p.run(t)
		running.Await("a commit is under way", func() bool { return s.at.Load() == 1 })
		b.Append("in", 0, stream.Message{Value: []byte("2")})
		running.Await("there is more to commit", func() bool { return p.delivered.Load() == 2 })
		if err := running.Stop(); err != nil || s.most.Load() != 1 || committed(b) != 2 {
			t.Errorf("%d commits at a time, %d are committed: %v", s.most.Load(), committed(b), err)
		}
	})
}
