package streamtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"unfold/stream"
)

// stage is a pipeline between the topics of a test.
type stage struct {
	*bench
	out, dlq string
	// learner is used by kinds without their own learner.
	learner *Learner
	// exactlyOnce selects delivery in transactions.
	exactlyOnce bool
	// delivered counts events, and retried counts retries.
	delivered, retried atomic.Int64
}

func newStage(b *bench, learner *Learner) *stage {
	s := &stage{bench: b, out: b.topic + "-out", dlq: b.topic + "-dlq", learner: learner}
	b.h.CreateTopic(b.T, s.out, 2)
	b.h.CreateTopic(b.T, s.dlq, 1)
	return s
}

func (s *stage) open() (stream.Source, error) {
	if s.exactlyOnce {
		return s.h.NewTransactional(s.ctx, s.topic, s.group, s.out, s.dlq)
	}
	return s.h.NewSource(s.ctx, s.topic, s.group)
}

// run runs a pipeline with its own source and sinks until ctx is done, like one process. It returns
// the time that stopping took.
func (s *stage) run(ctx context.Context) (time.Duration, error) {
	decoder, learner, err := s.kind.Open(s.learner)
	if err != nil {
		return 0, err
	}
	source, err := s.open()
	if err != nil {
		return 0, err
	}
	sink, err := s.h.NewSink(s.ctx, s.out)
	if err != nil {
		return 0, errors.Join(err, source.Close())
	}
	letters, err := s.h.NewSink(s.ctx, s.dlq)
	if err != nil {
		return 0, errors.Join(err, source.Close(), sink.Close())
	}
	p := &stream.Pipeline{
		Source: source, Sink: sink, Decoder: decoder, Learner: learner, DeadLetter: &stream.DeadLetter{Sink: letters},
		ExactlyOnce: s.exactlyOnce,
		Settings: stream.Settings{BatchMessages: 16, CommitEvery: 20 * time.Millisecond, RetryMin: 5 * time.Millisecond,
			DrainTimeout: 10 * time.Second, CommitTimeout: 10 * time.Second},
		Hooks: stream.Hooks{
			Delivered:    func(_ stream.TopicPartition, _, events int, _ time.Duration) { s.delivered.Add(int64(events)) },
			DeadLettered: func(stream.Message, stream.Stage, error) { s.delivered.Add(1) },
			Retrying:     func(string, int, error, time.Duration) { s.retried.Add(1) },
		},
	}
	stopped := make(chan time.Time, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- time.Now() })
	err = p.Run(ctx)
	if stop() {
		stopped <- time.Now()
	}
	err = errors.Join(err, source.Close(), sink.Close(), letters.Close())
	return time.Since(<-stopped), err
}

// until runs a pipeline until the given number of events has been delivered since the beginning of
// the test.
func (s *stage) until(events int) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	go func() {
		for ctx.Err() == nil && s.delivered.Load() < int64(events) {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.run(ctx); err != nil {
		s.Fatal(err)
	}
}

// check checks the contract of delivery, compares outputs by their kind, and checks that the
// group's position is the end of the source.
func (s *stage) check() Count {
	s.Helper()
	in, out := s.h.Read(s.T, s.topic), s.h.Read(s.T, s.out)
	c, err := Log{In: in, Out: out, Letters: s.h.Read(s.T, s.dlq)}.Check()
	if err != nil {
		s.Fatal(err)
	}
	if s.kind.Check != nil {
		s.compare(in, out)
	}
	// A cluster publishes the positions of a transaction shortly after its end.
	s.eventually("the group's position is the end", func() bool {
		committed := s.h.Committed(s.T, s.group, s.topic)
		return !slices.ContainsFunc(in, func(m stream.Message) bool { return committed[m.Partition] <= m.Offset })
	})
	return c
}

// compare compares outputs with their inputs by the kind's Check.
func (s *stage) compare(in, out []stream.Message) {
	s.Helper()
	inputs := map[stream.Position]*stream.Message{}
	for i := range in {
		inputs[at(in[i])] = &in[i]
	}
	for i := range out {
		p, _, _ := stream.Origin(&out[i])
		if out[i].Tombstone() {
			continue
		}
		if err := s.kind.Check(inputs[p], &out[i]); err != nil {
			s.Fatalf("output %s of input %v, offset %d: %v", out[i].Where(), p, p.Offset, err)
		}
	}
}

func testPipeline(b *bench) { delivers(b, false) }

func testPipelineExactlyOnce(b *bench) { delivers(b, true) }

// delivers lets two groups process the same messages, one after the other.
func delivers(b *bench, exactlyOnce bool) {
	s := newStage(b, &Learner{Min: 50, Every: 100})
	s.exactlyOnce = exactlyOnce
	const partitions, each = 3, 100
	odd := map[int][]byte{60: b.kind.Bad[0]}
	for i, value := range b.kind.Bad {
		odd[33*min(i, 1)+i] = value // the first message, and some after the thirtieth
	}
	for i, value := range b.kind.Gone {
		odd[40+i] = value
	}
	letters, gone := partitions*(1+len(b.kind.Bad)), partitions*len(b.kind.Gone)
	for p := range partitions {
		for n := range each {
			m := stream.Message{Key: fmt.Appendf(nil, "%d/%d", p, n%4), Value: b.kind.Value(n), Headers: []stream.Header{{Key: "traceparent", Value: []byte("00-1-2-01")}, {Key: "other"}}}
			if value, is := odd[n]; is {
				m.Value = value
			}
			b.h.Produce(b.T, b.topic, p, m)
		}
	}
	for round := range 2 {
		s.group = fmt.Sprint(b.group, " ", round)
		s.until((round + 1) * (partitions*each - gone))
		if c := s.check(); c != (Count{Placed: partitions*each - letters, Letters: letters, Duplicates: round * (partitions*each - letters)}) {
			b.Errorf("%+v after round %d", c, round)
		}
	}
	tombstones := 0
	for _, m := range b.h.Read(b.T, s.out) {
		if m.Tombstone() {
			tombstones++
		}
		if v, ok := m.Header(stream.HeaderTraceParent); !ok || string(v) != "00-1-2-01" {
			b.Fatalf("%s: traceparent %q", m.Where(), v)
		}
		contentType, has := m.Header(stream.HeaderContentType)
		if m.Tombstone() == has || has && string(contentType) != b.kind.ContentType {
			b.Fatalf("%s: content type %q, there: %v", m.Where(), contentType, has)
		}
		if _, ok := m.Header("other"); ok {
			b.Fatalf("%s passes on what it should not", m.Where())
		}
	}
	if tombstones != 2*gone {
		b.Errorf("%d tombstones of %d messages in two rounds", tombstones, gone)
	}
	for _, m := range b.h.Read(b.T, s.dlq) {
		if _, ok := m.Header("other"); !ok {
			b.Fatalf("dead letter %s lost a header", m.Where())
		}
	}
}

func testDrain(b *bench) {
	s := newStage(b, &Learner{Pause: 20 * time.Millisecond})
	for p := range 2 {
		b.h.Produce(b.T, b.topic, p, b.events(0, 2000, nil)...)
	}
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	go func() {
		for s.delivered.Load() < 100 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	took, err := s.run(ctx)
	if err != nil || took > 10*time.Second+slack {
		b.Fatalf("stopping took %v: %v", took, err)
	}
	b.Logf("stopped after %d of 4000 events, in %v", s.delivered.Load(), took.Round(time.Millisecond))
	// All delivered messages are committed, so nothing comes twice.
	s.learner.Pause = 0
	s.until(4000)
	if c := s.check(); c != (Count{Placed: 4000}) {
		b.Errorf("%+v", c)
	}
}

func testRestarts(b *bench) { restarts(b, false) }

func restarts(b *bench, exactlyOnce bool) {
	s := newStage(b, &Learner{Min: 100, Every: 150})
	s.exactlyOnce = exactlyOnce
	rng := rand.New(rand.NewPCG(1, 2))
	for p := range 3 {
		b.h.Produce(b.T, b.topic, p, b.events(0, 400, fmt.Appendf(nil, "%d", p))...)
	}
	for range 4 {
		ctx, cancel := context.WithTimeout(b.ctx, time.Duration(rng.IntN(120))*time.Millisecond)
		_, err := s.run(ctx)
		cancel()
		if err != nil {
			b.Fatal(err)
		}
	}
	for p := range 3 {
		b.h.Produce(b.T, b.topic, p, b.events(400, 500, fmt.Appendf(nil, "%d", p))...)
	}
	s.until(1500)
	c := s.check()
	if c.Placed != 1500 || exactlyOnce && c.Duplicates > 0 {
		b.Errorf("%+v", c)
	}
	b.Logf("%+v", c)
}

func testSecondMember(b *bench) { secondMember(b, false) }

func secondMember(b *bench, exactlyOnce bool) {
	s := newStage(b, &Learner{Pause: time.Millisecond})
	s.exactlyOnce = exactlyOnce
	ctx, stop := context.WithCancel(b.ctx)
	var wg sync.WaitGroup
	defer func() { stop(); wg.Wait() }()
	run := func(ctx context.Context) {
		wg.Go(func() {
			if took, err := s.run(ctx); err != nil || took > 10*time.Second+slack {
				b.Errorf("stopping took %v: %v", took, err)
			}
		})
	}
	feed := func(from, to int) {
		for p := range 4 {
			b.h.Produce(b.T, b.topic, p, b.events(from, to, fmt.Appendf(nil, "%d", p))...)
		}
	}
	wait := func(events int) {
		for s.delivered.Load() < int64(events) {
			if b.ctx.Err() != nil || b.Failed() {
				b.Fatalf("%d of %d events", s.delivered.Load(), events)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	feed(0, 200)
	run(ctx)
	wait(100)
	second, leave := context.WithCancel(ctx)
	run(second)
	feed(200, 400)
	wait(1500)
	leave()
	feed(400, 500)
	wait(2000)
	// Duplicates count as delivered, so wait for the positions, too.
	b.eventually("all positions are committed", func() bool {
		sum := int64(0)
		for _, o := range b.h.Committed(b.T, b.group, b.topic) {
			sum += o
		}
		return sum == 2000 || b.Failed()
	})
	stop()
	wg.Wait()
	c := s.check()
	if c.Placed != 2000 || exactlyOnce && c.Duplicates > 0 {
		b.Errorf("%+v", c)
	}
	b.Logf("%+v", c)
}
