package learn

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
	"unfold/stream/streamtest"
)

// records writes events, one a message, in a format.
type records struct {
	n      format.Name
	client *registry.Client
}

func newRecords(t *testing.T, n format.Name) *records {
	t.Helper()
	fake := registrytest.StartFake(t)
	fake.Seed("in-value", 1, registry.Avro, `{"type":"record","name":"Event","fields":[
		{"name":"event","type":"long"},{"name":"class","type":"string"},{"name":"v","type":{"type":"array","items":"float"}}]}`)
	return &records{n, fake.Client()}
}

func (r *records) settings(t *testing.T) Settings {
	t.Helper()
	s := quick()
	s.Mapping.Vector = "v"
	var err1, err2, err3 error
	s.Decoder, err1 = format.NewDecoder(format.Settings{Registry: r.client, ID: "event", Spec: record.Spec{Paths: []string{"event", "class", "v"}, Vector: "v"}})
	s.Writer, err2 = format.NewEncoder(format.Output{Registry: r.client, Topic: "out"})
	s.MovesWriter, err3 = format.NewEncoder(format.Output{Registry: r.client, Topic: "moves"})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return s
}

// message writes an event of one of three classes.
func (r *records) message(rng *rand.Rand, id int64) stream.Message {
	c := rng.IntN(3)
	v := make([]float32, 4)
	for k := range v {
		v[k] = float32(rng.NormFloat64()) + 6*float32(c*(k%2))
	}
	if id%9 == 0 {
		v = []float32{float32(c), 0, 1, 6} // a fraction nowhere
	}
	class, m := fmt.Sprint("class ", c), stream.Message{Key: fmt.Append(nil, id)}
	if r.n == format.JSON {
		// Without an error: these are numbers and texts.
		m.Value, _ = json.Marshal(map[string]any{"event": id, "class": class, "v": v, "more": map[string]any{"n": id}})
		return m
	}
	b := binary.AppendVarint(registry.AppendID(nil, 1), id)
	b = append(binary.AppendVarint(b, int64(len(class))), class...)
	b = binary.AppendVarint(b, int64(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	m.Value = binary.AppendVarint(b, 0)
	return m
}

// A stage over records in other formats than Arrow: events come out in the format that they
// came in, one for one, duplicates with the same bytes, and what is deleted leaves the map.
func TestRecordsInOtherFormats(t *testing.T) {
	for _, n := range []format.Name{format.JSON, format.Avro} {
		for _, exactlyOnce := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, exactly-once %t", n, exactlyOnce), func(t *testing.T) { recordsFlow(t, newRecords(t, n), exactlyOnce) })
		}
	}
}

func recordsFlow(t *testing.T, r *records, exactlyOnce bool) {
	rng := rand.New(rand.NewPCG(61, 1))
	b := newBroker()
	const sent = 120 // an event and its end lie in one partition
	gone := 0
	for id := range int64(sent) {
		m := r.message(rng, id)
		switch {
		case id == 100 && r.n == format.JSON:
			m.Value = []byte(`{"before": {"event": 4}, "after": null, "op": "d"}`)
			gone++
		case id == 101:
			m.Key, m.Value = []byte(`{"event": 3}`), nil
			gone++
		case id == 102:
			m.Value = []byte(`{"event": 5, "v": "nothing"}`)
		}
		b.Append("in", int(id%2), m)
	}
	l := newLearner(t, r.settings(t))
	var letters int
	for life := range 2 {
		p, source, _ := pipeline(t, b, l)
		p.ExactlyOnce = exactlyOnce
		source.Outputs, source.Letters = "out", "dlq"
		if life == 1 {
			// A second group places all of it again, on the same map.
			if source, err := b.Source("in", "again"); err != nil {
				t.Fatal(err)
			} else {
				p.Source = source
				source.Outputs, source.Letters = "out", "dlq"
			}
		}
		running := streamtest.Go(t, func(ctx context.Context) error { return errors.Join(p.Run(ctx), source.Close()) })
		running.Await("all is out", func() bool { return len(b.Messages("out"))+len(b.Messages("dlq")) >= (life+1)*sent })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		letters = len(b.Messages("dlq")) / (life + 1)
	}
	count, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
	if err != nil || count.Placed != sent-1 || letters != 1 || count.Duplicates != count.Placed {
		t.Fatalf("%+v, %d dead letters, %v", count, letters, err)
	}
	d, err := format.NewDecoder(format.Settings{Registry: r.client})
	if err != nil {
		t.Fatal(err)
	}
	tombstones := 0
	for _, m := range b.Messages("out") {
		if m.Tombstone() {
			tombstones++
			continue
		}
		got, err := d.DecodeNow(t.Context(), &m)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := got.Table.Column("id")
		class, _ := got.Table.Column("class")
		contentType, _ := m.Header(stream.HeaderContentType)
		if id.Text(0) != string(m.Key) || class.Text(0)[:6] != "class " || got.Wire.Format != r.n || string(contentType) != r.n.ContentType() {
			t.Errorf("%s of key %s holds %s, %s", contentType, m.Key, id.Text(0), class.Text(0))
		}
	}
	deleted := l.ref.Counts().Deletes
	if tombstones != 2*gone || int(deleted) != gone {
		t.Errorf("%d tombstones and %d deletes of %d events", tombstones, deleted, gone)
	}
}

// Moves are written in the format of the events, also after a restart before any has come.
func TestMovesInTheFormatOfEvents(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	r, sink := newRecords(t, format.JSON), &movesSink{}
	s := r.settings(t)
	s.State, s.Moves = t.TempDir(), sink
	l := newLearner(t, s)
	stop := running(t, l)
	for id := range int64(s.Min) {
		m := r.message(rng, id)
		m.TopicPartition, m.Offset = tp, id
		offer(t, l, m)
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
