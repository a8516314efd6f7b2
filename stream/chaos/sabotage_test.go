package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// saboteur is a stage that breaks one guarantee. Otherwise it is correct: it reads, places and
// delivers in transactions of a broker in memory.
type saboteur struct {
	t      *testing.T
	broker *streamtest.Broker
	gen    stream.Transactional
	sink   stream.Sink
	load   Load
	// deliver delivers a batch. It returns false if the stage dies in it.
	deliver func(s *saboteur, nth int, batch stream.Transaction) (alive bool)
}

const batches = 8

// run delivers all batches of one partition, or until the stage dies, and returns the contents of
// the topics.
func (s *saboteur) run() Evidence {
	s.t.Helper()
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.broker = streamtest.NewBroker()
	for _, topic := range []string{"events", "places", "dead"} {
		s.broker.CreateTopic(topic, 1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	s.load.Rows = 2
	for n := range 10 * batches {
		m, err := s.load.message(rng, n)
		must(err)
		s.broker.Append("events", 0, m)
	}
	source, err := s.broker.Source("events", "group")
	must(err)
	source.Outputs, source.Letters = "places", "dead"
	s.sink, err = s.broker.Sink("places")
	must(err)
	gen, err := source.Next(context.Background())
	must(err)
	s.gen = gen.(stream.Transactional)
	in := s.broker.Messages("events")
	for nth := range batches {
		batch := stream.Transaction{Position: stream.Position{TopicPartition: in[0].TopicPartition, Offset: int64(10 * (nth + 1))}}
		for _, m := range in[10*nth : 10*(nth+1)] {
			if m.Offset%17 == 16 {
				batch.Letters = append(batch.Letters, letter(m))
			} else {
				batch.Outputs = append(batch.Outputs, s.output(m))
			}
		}
		if !s.deliver(s, nth, batch) {
			break
		}
	}
	e := Evidence{In: in, Out: s.broker.Messages("places"), Letters: s.broker.Messages("dead"), ExactlyOnce: true, ID: Column, Positions: map[int]int64{}}
	for p, at := range s.broker.Committed("group", "events") {
		e.Positions[p] = at
	}
	return e
}

func (s *saboteur) output(m stream.Message) stream.Message {
	out := m
	out.Value = place(s.t, &m)
	out.Headers = []stream.Header{{Key: stream.HeaderSourceTopic, Value: []byte("events")}, {Key: stream.HeaderSourcePartition, Value: []byte("0")},
		{Key: stream.HeaderSourceOffset, Value: fmt.Append(nil, m.Offset)}, {Key: stream.HeaderModelVersion, Value: []byte("1")}}
	return out
}

// transact, write and commit are the operations of a stage.
func (s *saboteur) transact(batch stream.Transaction) bool {
	s.t.Helper()
	if err := s.gen.Transact(context.Background(), batch); err != nil {
		s.t.Fatal(err)
	}
	return true
}

func (s *saboteur) write(messages []stream.Message) {
	s.t.Helper()
	if err := s.sink.Write(context.Background(), messages); err != nil {
		s.t.Fatal(err)
	}
}

func (s *saboteur) commit(at stream.Position) {
	s.t.Helper()
	if err := s.gen.Commit(context.Background(), []stream.Position{at}); err != nil {
		s.t.Fatal(err)
	}
}

// TestSabotage: the judge detects any broken guarantee from the contents of the topics. A stage
// that is merely killed is not blamed.
func TestSabotage(t *testing.T) {
	const bad = 5
	at := func(spoil func(s *saboteur, b stream.Transaction) bool) func(*saboteur, int, stream.Transaction) bool {
		return func(s *saboteur, nth int, b stream.Transaction) bool {
			if nth == bad {
				return spoil(s, b)
			}
			return s.transact(b)
		}
	}
	for name, c := range map[string]struct {
		deliver func(*saboteur, int, stream.Transaction) bool
		want    string
	}{
		"none":                 {at(func(s *saboteur, b stream.Transaction) bool { return s.transact(b) }), ""},
		"killed before":        {at(func(*saboteur, stream.Transaction) bool { return false }), ""},
		"killed after":         {at(func(s *saboteur, b stream.Transaction) bool { s.transact(b); return false }), ""},
		"an output is lost":    {at(func(s *saboteur, b stream.Transaction) bool { b.Outputs = b.Outputs[1:]; return s.transact(b) }), "is lost"},
		"the letters are lost": {at(func(s *saboteur, b stream.Transaction) bool { b.Letters = nil; return s.transact(b) }), "is lost"},
		"duplicated":           {at(func(s *saboteur, b stream.Transaction) bool { s.transact(b); return s.transact(b) }), " 2 times as"},
		"reordered": {at(func(s *saboteur, b stream.Transaction) bool {
			b.Outputs[0], b.Outputs[5] = b.Outputs[5], b.Outputs[0] // both have the same key
			return s.transact(b)
		}), "of its key"},
		"other bytes for the same position and version": {at(func(s *saboteur, b stream.Transaction) bool {
			s.transact(b)
			b.Outputs[0].Value = b.Outputs[1].Value
			return s.transact(b)
		}), "in two ways"},
		"aborted records are taken for outputs": {at(func(s *saboteur, b stream.Transaction) bool {
			s.write(b.Outputs[:3]) // of an aborted transaction
			return s.transact(b)
		}), "came out 2 times"},
		"the position is committed before the outputs": {at(func(s *saboteur, b stream.Transaction) bool {
			s.commit(b.Position)
			return false
		}), "is lost"},
		"the outputs are written before the position": {at(func(s *saboteur, b stream.Transaction) bool {
			s.write(b.Outputs)
			return false
		}), "its position is not committed"},
	} {
		s := &saboteur{t: t, deliver: c.deliver}
		err := Judge(s.run()).Err()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
