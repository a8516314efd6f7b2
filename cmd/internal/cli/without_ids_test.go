package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"unfold/stream"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// TestStageWithoutIDs: a stage needs no source.id. Its first map, a refresh and a restart work with
// the page, and with everything else that may look for the ids of points.
func TestStageWithoutIDs(t *testing.T) {
	for name, c := range map[string]struct{ more, columns string }{
		"the least":    {"", `"sigma"`},
		"clusters":     {"clusters: {min_size: 20}", `"cluster"`},
		"reasons":      {"explain: {columns: 2, above: 0}", `"reason`},
		"drift, place": {"drift: {window: 50}\nhttp_place: true", `"sigma"`},
		"a label":      {"", `"class"`},
		"exactly once": {"delivery: exactly-once", `"sigma"`},
		"input":        {"clusters: {min_size: 20, in: input}\nexplain: {columns: 1, above: 0}", `"cluster"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			brokers := cluster(t, "events", "places", "dead").ListenAddrs()
			client, dir := kafkatest.NewClient(t, brokers), t.TempDir()
			label := ""
			if name == "a label" {
				label = ", label: kind"
			}
			configuration := filepath.Join(dir, "stage.yaml")
			write(t, configuration, fmt.Sprintf(`
source: {kafka: {brokers: [%q], topic: events}%s}
model: {steps: 30}
reference: {min: 60, size: 200}
refresh: {every: 100ms}
sink: {kafka: {topic: places}}
dead_letter: {topic: dead}
state: %s
http: 127.0.0.1:0
%s
`, brokers[0], label, filepath.Join(dir, "state"), c.more))
			r := rand.New(rand.NewPCG(7, 7))
			row := vectorRow("event_id", 8)
			produce := func(from, to int) {
				for k := from; k < to; k++ {
					event := row(k, r)
					delete(event, "event_id")
					client.Produce(t, "events", k%2, stream.Message{Value: asJSON(event)})
				}
			}
			learnt := func(m *member, points int) {
				t.Helper()
				streamtest.Await(t, fmt.Sprintf("a map of %d points", points), func() bool {
					_, body := get(t, m.address(), "/metrics")
					return strings.Contains(body, fmt.Sprintf("unfold_snapshot_points %d\n", points)) && strings.Contains(body, fmt.Sprintf("unfold_events_placed_total %d\n", points))
				})
			}
			m := join(t, "-c", configuration)
			produce(0, 60)
			learnt(m, 60)
			produce(60, 90)
			learnt(m, 90)
			if strings.Contains(c.more, "http_place") {
				answer, err := http.Post("http://"+m.address()+"/place?neighbors=3", "application/json", bytes.NewReader(asJSON(map[string]any{"embedding": row(0, r)["embedding"]})))
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"neighbor":[`) {
					t.Errorf("/place: %s: %s", answer.Status, body)
				}
			}
			if code := m.leave(); code != 0 {
				t.Fatalf("exit %d:\n%s", code, &m.log)
			}
			m = join(t, "-c", configuration)
			produce(90, 120)
			streamtest.Await(t, "the events after a restart are learnt", func() bool {
				_, body := get(t, m.address(), "/metrics")
				return strings.Contains(body, "unfold_snapshot_points 120\n")
			})
			if code := m.leave(); code != 0 {
				t.Fatalf("exit %d:\n%s", code, &m.log)
			}
			places := client.Read(t, "places")
			if len(places) != 120 {
				t.Fatalf("%d places of 120 events", len(places))
			}
			if last := string(places[len(places)-1].Value); !strings.Contains(last, c.columns) {
				t.Errorf("no %s in %s", c.columns, last)
			}
		})
	}
}
