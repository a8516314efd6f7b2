package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// other is a learner whose maps place with another function.
type other struct {
	*streamtest.Learner
	place func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error)
}

func (o other) Current() *stream.Published {
	p := o.Learner.Current()
	if p == nil {
		return nil
	}
	changed := *p
	changed.Map = otherMap{p.Map, o.place}
	return &changed
}

type otherMap struct {
	stream.Map
	place func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error)
}

func (m otherMap) Place(ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
	return m.place(m.Map, ctx, in)
}

// unparted are parts whose creation fails.
type unparted struct{}

func (unparted) Part(int, int) ([]byte, error) { return nil, errors.New("no such part") }

// If an output is too large and cannot be split, its message becomes a dead letter with the reason.
func TestPartsThatFail(t *testing.T) {
	b := newBroker(1)
	b.Append("in", 0, list(1), list(100), list(2))
	b.Limit("out", 400)
	p := start(t, b, &streamtest.Learner{})
	p.pipeline.Learner = other{&streamtest.Learner{}, func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
		out, err := m.Place(ctx, in)
		for i := range out {
			out[i].Parts = unparted{}
		}
		return out, err
	}}
	running := p.run(t)
	running.Await("all is committed", func() bool { return committed(b) == 3 })
	if err := running.Stop(); err != nil {
		t.Fatal(err)
	}
	letters := b.Messages("dlq")
	if len(letters) != 1 || len(b.Messages("out")) != 2 {
		t.Fatalf("%d dead letters, %d outputs", len(letters), len(b.Messages("out")))
	}
	if _, why, _ := stream.ReadDeadLetter(letters[0]); why.Offset != 1 || why.Stage != stream.StageWrite || !strings.Contains(why.Message, "no such part") {
		t.Errorf("%+v", why)
	}
}

// A failure of placement that no message caused ends the stage. The error contains the position.
func TestPlacingFails(t *testing.T) {
	for want, place := range map[string]func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error){
		"and the 2 messages after it: broken on command": func(stream.Map, context.Context, []stream.Events) ([]stream.Outcome, error) { return nil, errBroken },
		"1 outcomes for 3 messages": func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
			return m.Place(ctx, in[:1])
		},
	} {
		b := newBroker(1)
		b.Append("in", 0, list(1), list(1), list(1))
		p := start(t, b, &streamtest.Learner{})
		p.pipeline.Learner = other{&streamtest.Learner{}, place}
		running := p.run(t)
		running.Await("it ends", running.Ended)
		if err := running.Stop(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "placing") || !strings.Contains(err.Error(), "offset 0") || committed(b) != 0 {
			t.Errorf("%v, want %s; %d are committed", err, want, committed(b))
		}
	}
}

// formatted are events with a format.
type formatted struct {
	streamtest.Number
	format string
}

func (f formatted) Format() string { return f.format }

// The format of a message is reported if it has a name. Commits are reported with both kinds of
// delivery.
func TestReportsOfDelivery(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		b := newBroker(1)
		for n := range 6 {
			b.Append("in", 0, stream.Message{Value: fmt.Append(nil, n)})
		}
		p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
		p.pipeline.Decoder = decoder(func(m stream.Message) (stream.Events, error) {
			e, err := streamtest.Numbers{}.Decode(m)
			if err != nil {
				return nil, err
			}
			return formatted{e.(streamtest.Number), []string{"json", ""}[m.Offset%2]}, nil
		})
		p.pipeline.Learner = plainly{&streamtest.Learner{}}
		var mu sync.Mutex
		var formats []string
		last := int64(-1)
		p.pipeline.Hooks.MessageIn = func(tp stream.TopicPartition, format string) {
			mu.Lock()
			defer mu.Unlock()
			formats = append(formats, fmt.Sprintf("%s/%d %s", tp.Topic, tp.Partition, format))
		}
		owned := func(tps []stream.TopicPartition) {
			if !slices.Equal(tps, []stream.TopicPartition{{Topic: "in"}}) {
				t.Errorf("partitions %v", tps)
			}
		}
		p.pipeline.Hooks.Assigned, p.pipeline.Hooks.Revoked = owned, owned
		p.pipeline.Hooks.Committed = func(at stream.Position) {
			mu.Lock()
			defer mu.Unlock()
			if at.Topic != "in" || at.Partition != 0 || at.Offset < last {
				t.Errorf("committed %v behind %d", at, last)
			}
			last = at.Offset
		}
		running := p.run(t)
		running.Await("all is committed and reported", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return committed(b) == 6 && last == 6
		})
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		if want := slices.Repeat([]string{"in/0 json"}, 3); !slices.Equal(formats, want) {
			t.Errorf("exactly once %v: %q, want %q", exactlyOnce, formats, want)
		}
	}
}

// decoder is a Decoder made of a function.
type decoder func(m stream.Message) (stream.Events, error)

func (d decoder) Decode(m stream.Message) (stream.Events, error) { return d(m) }

// plainly is a learner that treats formatted numbers as plain ones.
type plainly struct{ *streamtest.Learner }

func (p plainly) Offer(ctx context.Context, e stream.Events) error {
	return p.Learner.Offer(ctx, e.(formatted).Number)
}

func (p plainly) Current() *stream.Published {
	return other{p.Learner, func(m stream.Map, ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
		plain := make([]stream.Events, len(in))
		for i, e := range in {
			plain[i] = e.(formatted).Number
		}
		return m.Place(ctx, plain)
	}}.Current()
}

// clinging is a source whose generations fail to close.
type clinging struct{ stream.Source }

type clingingGeneration struct{ stream.Generation }

func (s clinging) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	return clingingGeneration{g}, nil
}

func (g clingingGeneration) Close() error { return errors.Join(g.Generation.Close(), errBroken) }

// The error of leaving the partitions is returned if there is no other error.
func TestLeavingFails(t *testing.T) {
	b := newBroker(1)
	b.Append("in", 0, list(1))
	p := start(t, b, &streamtest.Learner{})
	p.pipeline.Source = clinging{p.source}
	running := p.run(t)
	running.Await("all is committed", func() bool { return committed(b) == 1 })
	if err := running.Stop(); err == nil || !strings.Contains(err.Error(), "leaving partitions: ") || !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

// late is a source whose first generation arrives after the pipeline has been stopped.
type late struct {
	stream.Source
	stop   context.CancelFunc
	closed *atomic.Int64
}

type lateGeneration struct {
	stream.Generation
	closed *atomic.Int64
}

func (s late) Next(ctx context.Context) (stream.Generation, error) {
	g, err := s.Source.Next(ctx)
	s.stop()
	<-ctx.Done()
	return lateGeneration{g, s.closed}, err
}

func (g lateGeneration) Close() error { g.closed.Add(1); return g.Generation.Close() }

// A generation that arrives too late is closed, and nothing of it is read.
func TestLateGeneration(t *testing.T) {
	b := newBroker(1)
	b.Append("in", 0, list(1))
	p := start(t, b, &streamtest.Learner{})
	ctx, stop := context.WithCancel(t.Context())
	var closed atomic.Int64
	p.pipeline.Source = late{p.source, stop, &closed}
	if err := errors.Join(p.pipeline.Run(ctx), p.source.Close()); err != nil {
		t.Error(err)
	}
	if closed.Load() != 1 || committed(b) != 0 || len(b.Messages("out")) != 0 {
		t.Errorf("it is left %d times, %d are committed", closed.Load(), committed(b))
	}
}

// A member of a group with more members than partitions owns nothing. It gets the partition when
// its owner leaves.
func TestIdleMember(t *testing.T) {
	b := newBroker(1)
	member := func() (running *streamtest.Background, owns *atomic.Int64) {
		p := start(t, b, &streamtest.Learner{})
		owns = new(atomic.Int64)
		owns.Store(-1)
		p.pipeline.Hooks.Assigned = func(tps []stream.TopicPartition) { owns.Store(int64(len(tps))) }
		return p.run(t), owns
	}
	one, first := member()
	b.Append("in", 0, list(1))
	one.Await("the first delivers", func() bool { return committed(b) == 1 })
	two, second := member()
	two.Await("one owns the partition and the other nothing", func() bool { return first.Load()+second.Load() == 1 && second.Load() >= 0 })
	owner, idle := one, two
	if second.Load() == 1 {
		owner, idle = two, one
	}
	if err := owner.Stop(); err != nil {
		t.Fatal(err)
	}
	b.Append("in", 0, list(1))
	idle.Await("the other delivers", func() bool { return committed(b) == 2 })
	if err := idle.Stop(); err != nil {
		t.Fatal(err)
	}
}

// unwilling is a learner that fails at its second message.
type unwilling struct {
	*streamtest.Learner
	shown *atomic.Int64
}

func (u unwilling) Offer(ctx context.Context, e stream.Events) error {
	if u.shown.Add(1) > 1 {
		return errBroken
	}
	return u.Learner.Offer(ctx, e)
}

// A failing learner ends the stage, before and after its first map.
func TestLearnerFails(t *testing.T) {
	for _, least := range []int{0, 100} {
		b := newBroker(1)
		b.Append("in", 0, list(1), list(1), list(1))
		p := start(t, b, &streamtest.Learner{})
		p.pipeline.Learner = unwilling{&streamtest.Learner{Min: least}, new(atomic.Int64)}
		running := p.run(t)
		running.Await("it ends", running.Ended)
		if err := running.Stop(); !errors.Is(err, errBroken) {
			t.Errorf("a map after %d events: %v", least, err)
		}
	}
}
