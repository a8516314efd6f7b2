package cli

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// With http_place a stage places records of requests on its current map, as it places messages.
// Without it the page does not exist.
func TestPlaceOfAStage(t *testing.T) {
	brokers, configuration := broker(t, "events", "places", "dead")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, string(text)+"http_place: true\n")
	m := join(t, "-c", configuration)
	row := `{"name": "asked", "v": [1, 2, 3, 4]}`
	m.says("/readyz", 503, "no map yet")
	b := asking(m, m.address())
	if status, body := b.post(t, row); status != 503 || !strings.Contains(body, "no map yet") {
		t.Errorf("before the first map: %d %s", status, body)
	}
	produce(t, brokers, 0, 10) // the first map is learnt from all of them
	m.says("/model", 200, `"kind":"lvm".*"vector":"v"`)
	m.says("/", 200, "/place\n")
	status, body := b.post(t, row)
	var got struct {
		Version uint64 `json:"model_version"`
		Places  []place
	}
	if err := json.Unmarshal([]byte(body), &got); status != 200 || err != nil || got.Version == 0 || len(got.Places) != 1 || got.Places[0].ID != "asked" {
		t.Errorf("%d %s", status, body)
	}
	// Kept columns may be missing.
	if status, body := b.post(t, `{"vectors": [[1, 2, 3, 4]]}`); status != 200 || !strings.Contains(body, `{"id":0,"x":`) {
		t.Errorf("without an id: %d %s", status, body)
	}
	// /decode decodes places to vectors.
	if status, body := b.ask(t, "/decode", `{"places": [[0, 0], [1e6, 0]]}`); status != 200 || strings.Count(body, `"vector_sigma":`) != 2 {
		t.Errorf("vectors: %d %s", status, body)
	}
	// Reference points have the ids of their events, also after a restart. e15 is one of them.
	named := func(b begun) {
		t.Helper()
		r := rand.New(rand.NewPCG(1, 1))
		var x []float32
		for i := range 6 {
			x = x[:0]
			for range 4 {
				x = append(x, float32(r.NormFloat64())+float32(5*(i%2)))
			}
		}
		query, err := json.Marshal(map[string]any{"vectors": [][]float32{x}})
		if err != nil {
			t.Fatal(err)
		}
		status, body := b.ask(t, "/place?neighbors=2", string(query))
		if status != 200 || !strings.Contains(body, `"neighbor_id":["e15","e`) {
			t.Errorf("neighbours: %d %s", status, body)
		}
	}
	named(b)
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	again := join(t, "-c", configuration)
	again.says("/model", 200, `"kind":"lvm"`)
	named(asking(again, again.address()))
	if code := again.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	write(t, configuration, string(text))
	off := join(t, "-c", configuration)
	off.says("/model", 404, "")
	if code := off.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
