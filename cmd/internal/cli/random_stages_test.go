package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"unfold/internal/testkit/tier"
	"unfold/stream"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// A drawnStage is a stage's configuration that is drawn at random, with the events that it takes.
type drawnStage struct {
	r        *rand.Rand
	settings map[string]map[string]any // by section; "" has the settings of the stage itself
	ids      string                    // none, text, whole numbers, or repeated ones
	holes    bool                      // some values are missing
	columns  bool                      // plain columns in the place of a vector
	events   int
}

func (s *drawnStage) set(section, name string, value any) {
	if s.settings[section] == nil {
		s.settings[section] = map[string]any{}
	}
	s.settings[section][name] = value
}

// maybe draws true with a probability of 1 in n.
func (s *drawnStage) maybe(n int) bool { return s.r.IntN(n) == 0 }

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// drawStage draws settings that can be combined freely. Those that exclude others are left to lint.
func drawStage(r *rand.Rand) *drawnStage {
	s := &drawnStage{r: r, settings: map[string]map[string]any{}}
	s.ids = one(r, "none", "text", "numbers", "repeated")
	if s.ids != "none" {
		s.set("source", "id", "event_id")
	}
	if s.columns = s.maybe(3); s.columns {
		s.set("source", "columns", one(r, "*", "v*,kind", "v*:log1p"))
		s.set("source", "standardize", s.maybe(2))
	} else if s.maybe(2) {
		s.set("source", "vector", "embedding")
	}
	if s.maybe(3) {
		s.set("source", "metric", one(r, "cosine", "correlation", "manhattan", "chebyshev", "euclidean"))
	}
	if s.maybe(2) {
		s.set("source", "label", "kind")
		s.set("source", "class_probabilities", s.maybe(2))
		if s.maybe(3) {
			s.set("model", "supervision", 0.5)
		}
	}
	if s.maybe(3) {
		s.set("source", "keep", []string{"size"})
	}
	if s.holes = s.maybe(4); s.holes {
		s.set("source", "missing", one(r, "auto", "mean", "drop"))
	}
	s.drawModel()
	s.drawReference()
	s.drawOutputs()
	return s
}

func (s *drawnStage) drawModel() {
	s.set("model", "kind", one(s.r, "lvm", "lvm", "lvm", "lvm", "gplvm", "lllvm", "pca", "isomap", "gtm", "mds"))
	s.set("model", "dims", one(s.r, 1, 2, 2, 2, 3, 5))
	s.set("model", "steps", 15)
	if s.maybe(3) {
		s.set("model", "tails", "gaussian")
	}
	if s.maybe(4) {
		s.set("model", "frame", one(s.r, "none", "pca", "mds", "geodesic"))
	}
	if s.maybe(4) {
		s.set("model", "place", one(s.r, "robust", "lle", "median", "em"))
	}
	if s.maybe(4) {
		s.set("model", "search", one(s.r, "exact", "hnsw"))
	}
	if s.maybe(4) {
		s.set("model", "density", 0.5)
	}
	s.set("model", "threads", one(s.r, 0, 1))
}

func (s *drawnStage) drawReference() {
	s.set("reference", "min", one(s.r, 11, 40, 80))
	s.set("reference", "size", one(s.r, 50, 90, 400))
	s.set("reference", "policy", one(s.r, "reservoir", "window", "coverage"))
	s.set("refresh", "every", one(s.r, "50ms", "300ms", "0s"))
	if s.maybe(3) {
		s.set("refresh", "major", one(s.r, "never", "always"))
	}
	if s.maybe(4) {
		s.set("refresh", "frame", "new")
	}
	if s.maybe(2) {
		s.set("clusters", "min_size", one(s.r, 2, 10, 30))
		s.set("clusters", "in", one(s.r, "map", "input"))
		s.set("clusters", "selection", one(s.r, "eom", "leaf"))
	}
	if s.maybe(3) {
		s.set("drift", "window", one(s.r, 10, 50))
	}
}

func (s *drawnStage) drawOutputs() {
	if s.maybe(3) {
		s.set("explain", "columns", 2)
		s.set("explain", "above", one(s.r, 0, 0.9))
	}
	s.set("sink", "loglik", s.maybe(3))
	s.set("sink", "format", one(s.r, "same", "json", "arrow"))
	s.set("sink", "pass", s.maybe(5))
	if s.maybe(3) {
		s.set("sink", "moves", "moves")
	}
	if s.maybe(3) {
		s.set("sink", "clusters", "clusters")
	}
	s.set("", "delivery", one(s.r, "at-least-once", "exactly-once"))
	s.set("", "http_place", s.maybe(3))
}

// text returns the configuration as YAML.
func (s *drawnStage) text(t *testing.T, broker, state string) string {
	t.Helper()
	whole := map[string]any{"state": state, "http": "127.0.0.1:0", "dead_letter": map[string]any{"topic": "dead"}}
	for section, settings := range s.settings {
		if section == "" {
			for name, value := range settings {
				whole[name] = value
			}
			continue
		}
		whole[section] = settings
	}
	s.set("source", "kafka", map[string]any{"brokers": []string{broker}, "topic": "events"})
	s.set("sink", "kafka", map[string]any{"topic": "places"})
	whole["source"], whole["sink"] = s.settings["source"], s.settings["sink"]
	out, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// message returns the next event: mostly a good one, sometimes with a missing value, equal to
// others, or broken.
func (s *drawnStage) message() []byte {
	k := s.events
	s.events++
	if s.maybe(25) {
		return one(s.r, []byte("{"), []byte("null"), []byte(`{"event_id":"x"}`), []byte(`{"event_id":1,"embedding":[1,2]}`))
	}
	group := s.r.IntN(3)
	v := make([]any, 6)
	for i := range v {
		v[i] = 4*float64(group*(i%2)) + s.r.NormFloat64()
	}
	if s.maybe(20) {
		for i := range v {
			v[i] = group // equal to others
		}
	}
	if s.holes && s.maybe(5) {
		v[s.r.IntN(6)] = nil
	}
	event := map[string]any{"kind": fmt.Sprint("k", group), "size": k}
	if s.maybe(6) {
		delete(event, "kind")
	}
	switch s.ids {
	case "text":
		event["event_id"] = fmt.Sprint("e", k)
	case "numbers":
		event["event_id"] = k
	case "repeated":
		event["event_id"] = fmt.Sprint("e", s.r.IntN(1+k))
	}
	if s.columns {
		for i, x := range v {
			event[fmt.Sprint("v", i)] = x
		}
	} else {
		event["embedding"] = v
	}
	out, _ := json.Marshal(event)
	return out
}

// TestRandomStages: every configuration that lint accepts makes a stage that answers each event once
// or names it in a dead letter, ends in order, and goes on after a restart. Configurations are drawn
// at random; the quick tier draws few.
func TestRandomStages(t *testing.T) {
	draws := 10
	if tier.All() {
		draws = 60
	}
	for seed := range uint64(draws) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 53))
			brokers, dir := cluster(t, "events", "places", "dead", "moves").ListenAddrs(), t.TempDir()
			client := kafkatest.NewClient(t, brokers)
			client.Create(t, "clusters", 1, 1, map[string]string{"cleanup.policy": "compact"})
			configuration := filepath.Join(dir, "stage.yaml")
			var s *drawnStage
			var text string
			for accepted := false; !accepted; {
				s = drawStage(r)
				text = s.text(t, brokers[0], filepath.Join(dir, "state"))
				write(t, configuration, text)
				code, _, refusal := run(t, "lint", "--offline", "-c", configuration)
				if accepted = code == exitDone; !accepted && (code != exitUsage || !strings.Contains(refusal, ": ")) {
					t.Fatalf("lint refuses with exit %d and %s\n%s", code, refusal, text)
				}
			}
			sent := 0
			for _, events := range []int{120, 60} {
				for range events {
					client.Produce(t, "events", s.r.IntN(2), stream.Message{Key: fmt.Append(nil, sent), Value: s.message()})
					sent++
				}
				m := join(t, "-c", configuration)
				streamtest.Await(t, fmt.Sprintf("%d messages are answered", sent), func() bool {
					if m.over() {
						t.Fatalf("the stage ended by itself\n%s", text)
					}
					return len(client.Read(t, "places"))+len(client.Read(t, "dead")) >= sent
				})
				if code := m.leave(); code != 0 {
					t.Fatalf("exit %d\n%s", code, text)
				}
				if strings.Contains(m.log.String(), "level=ERROR") {
					t.Errorf("errors in the log of\n%s", text)
				}
			}
			if places, dead := len(client.Read(t, "places")), len(client.Read(t, "dead")); places+dead != sent {
				t.Errorf("%d places and %d dead letters of %d messages\n%s", places, dead, sent, text)
			}
		})
	}
}
