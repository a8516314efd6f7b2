package learn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/streamtest/formats"
)

// A configured column that no event has stops the stage, in every format. The error gives the name,
// the nearest column and all others. Otherwise all events would have one id, or no vector.
func TestNamedColumnThatNoEventHas(t *testing.T) {
	for _, n := range formattest.Formats() {
		for _, c := range []struct{ id, vector, wrong, like string }{
			{"evnt", formattest.Vector, "evnt", formattest.ID}, {"quite_another", formattest.Vector, "quite_another", ""},
			{formattest.ID, "vv", "vv", formattest.Vector},
		} {
			s, err := withFormats(formats.KnownAs(t, n, c.id, c.vector))
			if err != nil {
				t.Fatal(err)
			}
			s.Mapping.ID, s.Mapping.Vector = c.id, c.vector
			l := newLearner(t, s)
			for id := range s.Min {
				err = l.Offer(t.Context(), decode(t, l, eventMessage(t, n, id)))
				if err != nil {
					if want := min(s.Min, stream.FirstEvents) - 1; id != want {
						t.Errorf("%s, %s: event %d is refused, want %d", n, c.wrong, id, want)
					}
					break
				}
			}
			var bad *stream.MessageError
			if err == nil || errors.As(err, &bad) {
				t.Fatalf("%s, %s: %v", n, c.wrong, err)
			}
			want := []string{"none of the first", fmt.Sprintf("column %q: there is no such column", c.wrong), "event", "class"}
			if c.like != "" {
				want = append(want, fmt.Sprintf("did you mean %q?", c.like))
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%s: %v, want %q", n, err, w)
				}
			}
		}
	}
}

// An event without an id is a dead letter that names the column, before the first map and after.
// The first such events wait until an event shows that the name is right.
func TestSomeEventsWithoutAnID(t *testing.T) {
	l := newLearner(t, settingsOf(t, format.JSON))
	stop := running(t, l)
	defer stop()
	offset := int64(0)
	next := func(value string) stream.Events {
		m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "some"}, Offset: offset, Value: []byte(value)}
		offset++
		return decode(t, l, m)
	}
	const (
		absent = `{"evnt": 7, "v": [1, 2, 3], "class": "x"}`
		null   = `[{"event": 8, "v": [1, 2, 3]}, {"event": null, "v": [1, 2, 3]}]`
	)
	if err := l.Offer(t.Context(), next(absent)); err != nil {
		t.Errorf("the first of all: %v", err)
	}
	var bad *stream.MessageError
	if err := l.Offer(t.Context(), next(null)); !errors.As(err, &bad) {
		t.Errorf("the first of which some have an id: %v", err)
	}
	check := func(when string) {
		t.Helper()
		for value, want := range map[string]string{
			absent: `column "event": there is no such column; did you mean "evnt"?`,
			null:   `row 2, column "event": the event has no id`,
		} {
			var bad *stream.MessageError
			if err := l.Offer(context.Background(), next(value)); !errors.As(err, &bad) || bad.Stage != stream.StagePlace || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", when, err, want)
			}
		}
	}
	offer(t, l, eventMessage(t, format.JSON, 0))
	check("before the map")
	for id := 1; id < l.set.Min; id++ {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	waitReady(t, l)
	check("after the map")
	for _, o := range place(t, l.Current(), next(absent), next(null)) {
		if o.Err == nil || !strings.Contains(o.Err.Error(), `column "event"`) {
			t.Errorf("placed: %v", o.Err)
		}
	}
}

// A learner restored from a state, with an id column that no event has, stops as at the first
// start, if its process only learns. If one event has the id, the others are bad events.
func TestNamedColumnThatNoEventHasAfterARestart(t *testing.T) {
	first := settingsOf(t, format.JSON)
	first.State = t.TempDir()
	l := newLearner(t, first)
	stop := running(t, l)
	for id := range l.set.Min {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	waitReady(t, l)
	stop()
	for _, right := range []bool{false, true} {
		s, err := withFormats(formats.KnownAs(t, format.JSON, "evnt", formattest.Vector))
		if err != nil {
			t.Fatal(err)
		}
		s.State, s.Mapping.ID = first.State, "evnt"
		again := newLearner(t, s)
		refused := 0
		for id := 1000; id < 1200 && err == nil; id++ {
			m := eventMessage(t, format.JSON, id)
			if right && id == 1050 {
				m.Value = []byte(strings.Replace(string(m.Value), `"event"`, `"evnt"`, 1))
			}
			var bad *stream.MessageError
			if err = again.Offer(t.Context(), decode(t, again, m)); errors.As(err, &bad) {
				refused, err = refused+1, nil
			}
		}
		var wrong *stream.MisnamedError
		if errors.As(err, &wrong) == right || right && refused != 199 || !right && (refused != stream.FirstEvents-1 || !strings.Contains(err.Error(), `did you mean "event"?`)) {
			t.Errorf("with an event that has the id: %v; %d events are refused, then %v", right, refused, err)
		}
	}
}
