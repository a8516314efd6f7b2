package learn

import (
	"encoding/json"
	"fmt"
	"testing"

	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/streamtest"
	"unfold/stream/streamtest/formats"
)

// withFormats returns settings of a learner of events in any format.
func withFormats(own formats.Stage) (Settings, error) {
	s := quick()
	s.Mapping.Vector, s.Decoder, s.Writer = formattest.Vector, own.Decoder, own.Encoder
	var err error
	s.MovesWriter, err = format.NewEncoder(format.Encoding{Registry: own.Registry, Topic: "moves"})
	return s, err
}

// A learning stage keeps a pipeline's guarantees for messages of one event in each format. These
// are order, one output per input, exactly-once if requested, the same bytes for the same event
// over restarts, unchanged dead letters, and tombstones.
func TestRecordsInOtherFormats(t *testing.T) {
	for _, n := range formattest.Formats() {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			h := streamtest.MemoryHarness{Broker: streamtest.NewBroker()}
			streamtest.TestPipelines(t, h, false, func(t *testing.T) streamtest.Kind {
				state := t.TempDir()
				return formats.Kind(t, n, func(own formats.Stage) (stream.Decoder, stream.Learner, error) {
					s, err := withFormats(own)
					if err != nil {
						return nil, nil, err
					}
					s.State, s.Min = state, 30
					l, err := New(s)
					return l, l, err
				})
			})
		})
	}
}

// eventMessage returns event id as a message of a format, from the one partition.
func eventMessage(t *testing.T, n format.Name, id int) stream.Message {
	t.Helper()
	value, err := formattest.Message(n, formats.Schema, formats.Event(id))
	if err != nil {
		t.Fatal(err)
	}
	return stream.Message{TopicPartition: tp, Offset: int64(id), Key: fmt.Append(nil, id), Value: value}
}

// settingsOf returns settings of a learner that has the schema of events in a format.
func settingsOf(t *testing.T, n format.Name) Settings {
	t.Helper()
	s, err := withFormats(formats.Known(t, n))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A deleted event leaves the map, and its output is a tombstone.
func TestDeletedRecordsInOtherFormats(t *testing.T) {
	for _, n := range formattest.Formats() {
		t.Run(string(n), func(t *testing.T) {
			l := newLearner(t, settingsOf(t, n))
			stop := running(t, l)
			for id := range l.set.Min {
				offer(t, l, eventMessage(t, n, id))
			}
			waitReady(t, l)
			gone := []stream.Message{{Key: []byte("3")}, {Key: []byte(`{"event": 4}`)}}
			if n == format.JSON {
				gone = append(gone, stream.Message{Key: []byte("a row"), Value: []byte(`{"before": {"event": 5}, "after": null, "op": "d"}`)})
			}
			for i, m := range gone {
				m.TopicPartition, m.Offset = tp, int64(l.set.Min+i)
				offer(t, l, m)
				if out := place(t, l.Current(), decode(t, l, m)); len(out) != 1 || out[0].Value != nil || out[0].Err != nil {
					t.Errorf("of %s comes %+v", m.Key, out)
				}
			}
			stop()
			if deleted := l.ref.Counts().Deletes; int(deleted) != len(gone) {
				t.Errorf("%d deletes of %d events", deleted, len(gone))
			}
		})
	}
}

// Moves are written in the format of the events, also after a restart before any event has come.
func TestMovesInTheFormatOfEvents(t *testing.T) {
	s, sink := settingsOf(t, format.JSON), &movesSink{}
	s.State, s.Moves = t.TempDir(), sink
	l := newLearner(t, s)
	stop := running(t, l)
	for id := range s.Min {
		offer(t, l, eventMessage(t, format.JSON, id))
	}
	waitReady(t, l)
	stop()
	l = newLearner(t, s)
	l.movesEpoch = 77 // all are to be emitted
	if err := l.emitMoves(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(sink.messages) == 0 {
		t.Fatal("there are no moves")
	}
	for _, m := range sink.messages {
		var move struct {
			ID   int64
			X, Y float64
		}
		contentType, _ := m.Header(stream.HeaderContentType)
		if err := json.Unmarshal(m.Value, &move); err != nil || fmt.Sprint(move.ID) != string(m.Key) || string(contentType) != "application/json" {
			t.Fatalf("a move %s of %s: %v", m.Value, m.Key, err)
		}
	}
}
