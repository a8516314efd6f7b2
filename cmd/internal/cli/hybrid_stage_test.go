package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/stream/streamtest"
)

// labelledRows are rows around two centres as JSON lines; two of three have their class.
func labelledRows(rows int, seed uint64) (text string) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range rows {
		v := make([]string, 4)
		for c := range v {
			v[c] = fmt.Sprintf("%.3f", r.NormFloat64()+6*float64(i%2))
		}
		kind := "null"
		if i%3 > 0 {
			kind = []string{`"low"`, `"high"`}[i%2]
		}
		text += fmt.Sprintf("{\"name\": \"f%d\", \"v\": [%s], \"kind\": %s}\n", i, strings.Join(v, ", "), kind)
	}
	return text
}

// A model of vectors and labels from fit is a stage's first map. The stage places events on it with
// the classes, the probabilities and the scale that embed writes for them, and so does serve. A
// stage without such a file learns one itself.
func TestStageOfVectorsAndLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("learn.jsonl"), labelledRows(90, 1))
	must(t, "-q", "fit", at("learn.jsonl"), "--vector", "v", "--id", "name", "--kind", "gplvm", "--supervise", "kind", "--steps", "10", "-o", at("m.unfold"))
	row := `{"name": "asked", "v": [5.5, 6.5, 6, 6.25], "kind": null}`
	write(t, at("asked.jsonl"), row+"\n")
	must(t, "-q", "embed", at("asked.jsonl"), "-m", at("m.unfold"), "--id", "name", "--class-probabilities", "-o", at("placed.jsonl"))
	placed, err := os.ReadFile(at("placed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		X             float64
		Y             float64
		Sigma         float64
		Class         string
		Probabilities map[string]float64 `json:"class_probabilities"`
		Embedding     []float64
	}
	var want answer
	if err := json.Unmarshal(placed, &want); err != nil || want.Class != "high" || len(want.Probabilities) != 2 || !(want.Sigma > 0) {
		t.Fatalf("%v: %s", err, placed)
	}
	same := func(where, body string) {
		t.Helper()
		var got struct{ Places []answer }
		if err := json.Unmarshal([]byte(body), &got); err != nil || len(got.Places) != 1 {
			t.Fatalf("%s: %v: %s", where, err, body)
		}
		p := got.Places[0]
		if p.X != want.Embedding[0] || p.Y != want.Embedding[1] || p.Sigma != want.Sigma || p.Class != want.Class || math.Abs(p.Probabilities["high"]-want.Probabilities["high"]) > 1e-7 {
			t.Errorf("%s: %s, embed writes %s", where, body, placed)
		}
	}

	serving := begin(t, at("m.unfold"), "--listen", "127.0.0.1:0", "--class-probabilities")
	if status, body := serving.post(t, row); status != 200 {
		t.Errorf("serve: %d %s", status, body)
	} else {
		same("serve", body)
	}
	if code := serving.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	brokers, configuration := broker(t, "events", "places", "dead")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	settings := strings.NewReplacer("id: name", "id: name, label: kind, class_probabilities: true", "steps: 30", "kind: gplvm, supervision: 1, steps: 10", "every: 1s", "every: 0s").Replace(string(text)) + "http_place: true\n"
	write(t, configuration, settings)
	state := filepath.Join(filepath.Dir(configuration), "state")
	model, err := os.ReadFile(at("m.unfold"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(state, "map.unfold"), string(model))
	produceLabelled(t, brokers, 20)
	m := join(t, "-c", configuration)
	m.says("/readyz", 200, "")
	status, body := asking(m, m.address()).post(t, row)
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	same("the stage", body)
	streamtest.Await(t, "all is delivered", func() bool {
		_, body := get(t, m.address(), "/metrics")
		return strings.Contains(body, "unfold_messages_delivered_total 20\n")
	})
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	produceLabelled(t, brokers, 20)
	m = join(t, "-c", configuration)
	m.says("/readyz", 200, "")
	if status, body := asking(m, m.address()).post(t, row); status != 200 || !strings.Contains(body, `"class":"1"`) {
		t.Errorf("a map of the stage: %d %s", status, body)
	}
	if _, body := get(t, m.address(), "/metrics"); !strings.Contains(body, "unfold_classes 2\n") {
		t.Error("the metrics have no number of classes")
	}
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
