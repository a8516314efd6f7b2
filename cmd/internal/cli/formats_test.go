package cli

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
	"unfold/stream/streamtest"
)

// TestRecords: a stage that is configured with its topics alone reads records of one event each. It
// learns a map and writes outputs in the same format. lint describes a message before the start.
func TestRecords(t *testing.T) {
	const sent = 140
	vector := func(id int) []float32 {
		rng := rand.New(rand.NewPCG(71, uint64(id)))
		v := make([]float32, 4)
		for k := range v {
			v[k] = float32(rng.NormFloat64()) + 5*float32(rng.IntN(2)*(k%2))
		}
		return v
	}
	for name, c := range map[string]struct {
		record func(id int) []byte
		lint   []string
		place  func(value []byte) (id int64, err error)
	}{
		"json": {
			record: func(id int) []byte {
				b, _ := json.Marshal(map[string]any{"id": id, "kind": "a", "at": map[string]any{"x": id}, "v": vector(id)})
				return b
			},
			lint: []string{"1 event of ", "id int64: 0", "kind string: a", "at.x int64: 0", "read as json, as vectors of 4 values", "outputs are json"},
			place: func(value []byte) (int64, error) {
				var place struct {
					ID            *int64   `json:"id"`
					Kind          string   `json:"kind"`
					NoveltyGlobal *float64 `json:"novelty_global"`
				}
				err := json.Unmarshal(value, &place)
				if err == nil && (place.ID == nil || place.Kind != "a" || place.NoveltyGlobal == nil) {
					err = fmt.Errorf("it lacks something: %s", value)
				}
				if err != nil {
					return 0, err
				}
				return *place.ID, nil
			},
		},
		"avro": {
			record: func(id int) []byte {
				b, _ := formattest.Message(format.Avro, 1, formattest.Event{ID: int64(id), Class: "a", Vector: vector(id)})
				return b
			},
			lint: []string{"id int64: 0", "read as avro, as vectors of 4 values", "outputs are avro, their schema under the subject places-value", "ok       the schema registry, http://127.0.0.1:"},
			place: func(value []byte) (int64, error) {
				if _, rest, err := registry.ParseID(value); err != nil || len(rest) < 2 || rest[0] != 2 {
					return 0, fmt.Errorf("it does not begin with an id, which may be null: %x, %v", value, err)
				} else {
					id, _ := binary.Varint(rest[1:])
					return id, nil
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schemas := registrytest.StartFake(t)
			schemas.Seed("events-value", 1, registry.Avro, `{"type":"record","name":"Event","fields":[
				{"name":"id","type":"long"},{"name":"kind","type":"string"},{"name":"v","type":{"type":"array","items":"float"}}]}`)
			brokers, _ := broker(t, "events", "places", "dead")
			folder := t.TempDir()
			configuration := folder + "/stage.yaml"
			write(t, configuration, fmt.Sprintf("source: {kafka: {brokers: [%q], topic: events}, id: id, keep: [kind]}\nsink: {kafka: {topic: places}}\n"+
				"dead_letter: {topic: dead}\nregistry: {url: %q}\nreference: {min: 100}\nhttp: 127.0.0.1:0\n", brokers[0], schemas.URL()))
			var messages []stream.Message
			for id := range sent {
				messages = append(messages, stream.Message{Key: fmt.Append(nil, id), Value: c.record(id)})
			}
			send(t, brokers, 0, 0, nil, messages...)
			out := must(t, "lint", "-c", configuration)
			for _, want := range c.lint {
				if !strings.Contains(strings.NewReplacer("id int64: 1,", "id int64: 0,", "at.x int64: 1,", "at.x int64: 0,").Replace(out), want) {
					t.Errorf("lint says\n%swithout %q", out, want)
				}
			}
			schemas.Away(true)
			if code, out, _ := run(t, "lint", "-c", configuration); code != 1 || !strings.Contains(out, "wrong    the schema registry, ") || !strings.Contains(out, "(503)") {
				t.Errorf("without a registry: exit %d:\n%s", code, out)
			}
			schemas.Away(false)
			log := runUntil(t, configuration, "map version 1", func(address string) {
				streamtest.Await(t, "all are placed", func() bool {
					_, body := get(t, address, "/metrics")
					return strings.Contains(body, fmt.Sprintf("unfold_events_placed_total %d\n", sent)) &&
						strings.Contains(body, fmt.Sprintf("unfold_messages_read_total{format=%q} %d\n", name, sent))
				})
			})
			if n := strings.Count(log, "event=format"); n != 1 || !strings.Contains(log, "messages of topic events are read as "+name) {
				t.Errorf("the log says %d times what was chosen:\n%s", n, log)
			}
			seen := map[int64]bool{}
			for _, m := range contents(t, brokers, "places") {
				id, err := c.place(m.Value)
				if err != nil || fmt.Sprint(id) != string(m.Key) {
					t.Fatalf("the place of %s is of %d, %v", m.Key, id, err)
				}
				seen[id] = true
			}
			if len(seen) != sent {
				t.Errorf("%d places of %d", len(seen), sent)
			}
		})
	}
}
