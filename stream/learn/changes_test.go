package learn

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/streamtest/formats"
)

// changed returns a Debezium change as a message at an offset.
func changed(offset int, value string) stream.Message {
	return stream.Message{TopicPartition: tp, Offset: int64(offset), Key: []byte(`{"event": 5}`), Value: []byte(value)}
}

// withoutVector returns a change of another column of event 5, without the vector.
const withoutVector = `{"before": null, "after": {"event": 5, "class": "new", "v": "__debezium_unavailable_value"}, "op": "u", "source": {}, "ts_ms": 1}`

// readingChanges returns settings of a learner of JSON events that empties its map when their table
// is truncated.
func readingChanges(t *testing.T) Settings {
	t.Helper()
	s := settingsOf(t, format.JSON)
	d, err := format.NewDecoder(format.Decoding{Format: format.JSON, ID: formattest.ID, Truncate: true,
		Spec: record.Spec{Paths: []string{formattest.ID, formattest.Class, formattest.Vector}, Vector: formattest.Vector}})
	if err != nil {
		t.Fatal(err)
	}
	s.Decoder = d
	return s
}

// A change without the vector, because the vector stayed the same, leaves the event where it is and
// updates its other columns. This also holds if the event itself came in the same batch, or before
// the first map.
func TestChangesWithoutVectors(t *testing.T) {
	l := newLearner(t, readingChanges(t))
	stop := running(t, l)
	offer(t, l, eventMessage(t, format.JSON, 5))
	early := changed(6, withoutVector)
	offer(t, l, early)
	for id := 7; id < 7+l.set.Min; id++ {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	waitReady(t, l)
	before := slices.Clone(l.ref.Vector(l.ref.Of("5")))
	late := changed(1000, withoutVector)
	offer(t, l, late)
	stop()
	type place struct {
		ID    int64
		X, Y  float64
		Class string
	}
	read := func(o stream.Outcome) (p place) {
		t.Helper()
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		if err := json.Unmarshal(o.Value, &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := read(place1(t, l, eventMessage(t, format.JSON, 5)))
	want.Class = "new"
	for name, m := range map[string]stream.Message{"before the first map": early, "after it": late} {
		if got := read(place1(t, l, m)); got != want {
			t.Errorf("%s: the event is at %+v, want %+v", name, got, want)
		}
	}
	if after := l.ref.Vector(l.ref.Of("5")); !slices.Equal(before, after) {
		t.Errorf("the vector was %v and is %v", before, after)
	}
	// An event that is in the batch alone.
	other := eventMessage(t, format.JSON, 5)
	other.Value = fmt.Appendf(nil, `{"event": 70000, "class": "a", "v": %s}`, vectorOf(t, 1))
	same := changed(1002, `{"event": 70000, "class": "new", "v": "__debezium_unavailable_value"}`)
	out, err := l.Current().Map.Place(t.Context(), []stream.Events{decode(t, l, other), decode(t, l, same)})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := read(out[0]), read(out[1]); a.X != b.X || a.Y != b.Y || b.Class != "new" {
		t.Errorf("in one batch: %+v, then %+v", a, b)
	}
	if o := place1(t, l, same); o.Err == nil {
		t.Error("a vector that nobody knows was placed")
	}
}

// vectorOf returns the vector of an event in JSON.
func vectorOf(t *testing.T, id int) string {
	t.Helper()
	text, err := json.Marshal(formats.Event(id).Vector)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// place1 places one message.
func place1(t *testing.T, l *Learner, m stream.Message) stream.Outcome {
	t.Helper()
	out, err := l.Current().Map.Place(t.Context(), []stream.Events{decode(t, l, m)})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// A truncation of the table empties the reference set, including the events that wait for the first
// map. It produces no output.
func TestTruncation(t *testing.T) {
	l := newLearner(t, readingChanges(t))
	stop := running(t, l)
	empty := func(offset int) stream.Message { return changed(offset, `{"source": {}, "op": "t", "ts_ms": 1}`) }
	for id := range l.set.Min - 1 {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	offer(t, l, empty(l.set.Min))
	for id := l.set.Min + 1; id <= 2*l.set.Min; id++ {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	waitReady(t, l)
	stop()
	if l.ref.Of("3") >= 0 || l.ref.Of(fmt.Sprint(2*l.set.Min)) < 0 {
		t.Error("an event from before the truncation is on the map, or one from after it is not")
	}
	events := decode(t, l, empty(5000))
	if err := l.Offer(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if out := place1(t, l, empty(5000)); out.Err != nil || !out.Nothing || l.ref.Len() != 0 {
		t.Errorf("%+v, and %d points are left", out, l.ref.Len())
	}
}
