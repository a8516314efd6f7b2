package learn

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/stream"
	"unfold/stream/embed"
)

// row is a table's place of an event, and the map version that it is from.
type row struct {
	at      []float64
	version uint64
}

// A stage with a backlog: events wait for the first map while others arrive, and are delivered long
// after they were placed. A table that takes the last write is correct up to the threshold after
// every refresh. So is a table whose reader lags behind in either topic and keeps the newer place.
// It takes an output of the same map or a newer one, and a move of a newer map only.
func TestMovesOfLateEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 1))
	sink := &movesSink{}
	s := quick()
	s.Moves, s.MovesThreshold, s.Spec.Steps, s.Major = sink, 0.004, 40, MajorAuto
	l, next, stop := started(t, s, rng, 5)
	stop()
	sink.received(t, 1, 1)
	last, newest := map[string]row{}, map[string]row{}
	outputs := func(e stream.Events) {
		p := e.(*embed.Events).Placed()
		b, err := e.(*embed.Events).Encode(l.encoder, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			r := row{[]float64{float64(p.At.Row(i)[0]), float64(p.At.Row(i)[1])}, p.Version}
			id := b.ID.Text(i)
			if last[id] = r; newest[id].version <= r.version {
				newest[id] = r
			}
		}
	}
	refresh := func() {
		if err := l.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		v := l.Current().Version
		for id, at := range sink.received(t, v, 1) {
			if last[id] = (row{at, v}); newest[id].version < v {
				newest[id] = last[id]
			}
		}
	}
	rng2 := rand.New(rand.NewPCG(51, 7)) // events sent again have other vectors
	again := func(offset, first int64) stream.Message {
		return stream.Message{TopicPartition: tp, Offset: offset, Value: value(t, rng2, 4, 5, 100*first)}
	}
	// The moves of the first map wait until the map has changed.
	var waiting []stream.Events
	rng = rand.New(rand.NewPCG(57, 1))
	for offset := range next {
		waiting = append(waiting, decode(t, l, message(t, rng, 10, 5, offset)))
	}
	first := l.Current()
	offer(t, l, message(t, rng, 8, 5, next))
	next++
	refresh()
	for k, e := range waiting {
		on := l.Current()
		if k%2 == 0 {
			on = first
		}
		place(t, on, e)
		outputs(e)
		if err := l.Offer(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	var backlog []stream.Events
	quiet, sent := 0, 0
	for round := range 16 {
		refresh()
		limit := s.MovesThreshold*l.Current().Stats.Diameter + 1e-4
		for id, at := range places(l) {
			for name, table := range map[string]map[string]row{"last": last, "newest": newest} {
				r, there := table[id]
				if !there {
					continue // events of the message that was offered without being placed
				}
				if d := math.Hypot(at[0]-r.at[0], at[1]-r.at[1]); d > limit {
					t.Errorf("round %d: %s is %v from its %s place in the table, of version %d, the threshold is %v", round, id, d, name, r.version, limit)
				} else if d > 1e-6 {
					quiet++
				}
			}
		}
		m := message(t, rng, 4, 5, next)
		if round%3 == 2 {
			m = again(next, next-6)
		}
		next++
		e := decode(t, l, m)
		place(t, l.Current(), e)
		backlog = append(backlog, e)
		if len(backlog) > 3 { // placed three maps before
			outputs(backlog[0])
			if err := l.Offer(context.Background(), backlog[0]); err != nil {
				t.Fatal(err)
			}
			backlog = backlog[1:]
			sent++
		}
		more := message(t, rng, 2, 5, 1000+next) // so that there is something to learn
		more.Partition++
		offer(t, l, more)
	}
	if quiet == 0 || sent < 10 {
		t.Errorf("%d late messages, %d places within the threshold: too little happened for the test to mean anything", sent, quiet)
	}
}

// An event delivered when the next map is in use is written as a move with the map after that,
// however little it has moved. A reader that keeps the newest place of an id may have dropped its
// output in favour of an older event's move.
func TestLateEventsMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 1))
	sink := &movesSink{}
	s := quick()
	s.Moves, s.MovesThreshold = sink, 10
	l, next, stop := started(t, s, rng, 5)
	stop()
	late, punctual := decode(t, l, message(t, rng, 3, 5, next+1)), decode(t, l, message(t, rng, 3, 5, next+2))
	place(t, l.Current(), late)
	offer(t, l, message(t, rng, 4, 5, next))
	refresh := func() map[string][]float64 {
		if err := l.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		return sink.received(t, l.Current().Version, 1)
	}
	if got := refresh(); len(got) > 0 {
		t.Errorf("%d points move", len(got))
	}
	place(t, l.Current(), punctual)
	for _, e := range []stream.Events{late, punctual} {
		if err := l.Offer(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	got := slices.Sorted(maps.Keys(refresh()))
	if want := []string{fmt.Sprint(100*next + 100), fmt.Sprint(100*next + 101), fmt.Sprint(100*next + 102)}; !slices.Equal(got, want) {
		t.Errorf("%v move, want the late events %v", got, want)
	}
	offer(t, l, message(t, rng, 4, 5, next+3))
	if got := refresh(); len(got) > 0 {
		t.Errorf("%v move again", slices.Sorted(maps.Keys(got)))
	}
}
