package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/ingest/table"
)

// A stage uses a metric and imputes means, as files do. Rows that the metric does not distinguish
// share a place, a missing value is no dead letter, and a row without a direction is a client
// error.
func TestStageOfMetricAndMeans(t *testing.T) {
	brokers, configuration := broker(t, "events", "places", "dead")
	text := strings.Replace(contentsOf(t, configuration), "vector: v,", `columns: [a, b, c], metric: cosine, missing: mean,`, 1)
	write(t, configuration, text+"http_place: true\n")
	m := join(t, "-c", configuration)
	send(t, brokers, 0, 20, func(k int) []table.Column {
		r := rand.New(rand.NewPCG(uint64(k), 2))
		names, values := make([]string, 10), [3][]float64{}
		for i := range names {
			names[i] = fmt.Sprintf("e%d", 10*k+i)
			for c := range values {
				v := r.NormFloat64()/4 + float64(1+(i+c)%3)
				if c == 2 && r.IntN(8) == 0 {
					v = math.NaN()
				}
				values[c] = append(values[c], v)
			}
		}
		return []table.Column{table.StringColumn("name", names), table.Float64Column("a", values[0]), table.Float64Column("b", values[1]), table.Float64Column("c", values[2])}
	})
	m.says("/model", 200, `"kind":"lvm".*"columns":\["a","b","c"\]`)
	b := asking(m, m.address())
	at := func(row string) (x, y float64) {
		t.Helper()
		status, body := b.post(t, row)
		var got struct{ Places []struct{ X, Y float64 } }
		if err := json.Unmarshal([]byte(body), &got); status != 200 || err != nil || len(got.Places) != 1 {
			t.Fatalf("%s: %d %s", row, status, body)
		}
		return got.Places[0].X, got.Places[0].Y
	}
	x, y := at(`{"name": "one", "a": 1, "b": 2, "c": 3}`)
	if u, v := at(`{"name": "four", "a": 4, "b": 8, "c": 12}`); u != x || v != y {
		t.Errorf("at %v, %v, and four times as long at %v, %v", x, y, u, v)
	}
	at(`{"name": "hole", "a": 1, "b": 2, "c": null}`)
	at(`{"name": "none", "a": 0, "b": 0, "c": 0}`) // a row without a direction
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if dead := m.log.String(); strings.Contains(dead, "dead letter") {
		t.Errorf("the log says\n%s", dead)
	}
	if code, _, stderr := run(t, "lint", "-c", configuration, "--source-missing", "drop"); code == 0 || !strings.Contains(stderr, "a stage answers every event") {
		t.Errorf("drop: exit %d: %s", code, stderr)
	}
}
