package cli

import (
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"unfold/ingest/emit"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/stream/streamtest"
)

//go:embed testdata/explain.py
var readReasons string

func contentsOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPhrases(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		r    emit.Reason
		want string
	}{
		{"more", emit.Reason{Direction: emit.Above, Value: 51000, Low: 12, High: 40}, "expected 12 to 40, is 51,000 (above)"},
		{"always the same", emit.Reason{Direction: emit.Below, Value: -1234567.5, Low: 0, High: 0}, "expected 0, is -1,234,568 (below)"},
		{"small", emit.Reason{Direction: emit.Below, Value: 0.0125, Low: 0.5, High: 1000.25}, "expected 0.5 to 1,000.25, is 0.0125 (below)"},
		{"large", emit.Reason{Direction: emit.Above, Value: 1e30, Low: 1, High: 2}, "expected 1 to 2, is 1e+30 (above)"},
		{"text", emit.Reason{Text: true, Direction: emit.Other, Category: "telnet", Expected: "http", Value: nan, Low: nan, High: nan}, `expected "http", is "telnet"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := phrase(c.r); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	for v, want := range map[float32]string{1: "100%", 0.99999: "99.99%", 0.5: "50%", 0: "0%"} {
		if got := percentile(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

// Files of every format with list columns contain explanations and neighbours, which pandas, polars
// and pyarrow read.
func TestReasonsForOthers(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	t.Chdir(t.TempDir())
	blobs(t, "train.csv", 240, 1)
	write(t, "odd.csv", "a,b,c,kind\n0,0,900,low\n9,-9,0,high\n")
	must(t, "-q", "fit", "train.csv", "--columns", "a,b,c", "-o", "m.unfold", "--steps", "5")
	var files []string
	for _, extension := range emit.Extensions {
		if extension != ".npy" {
			path := "places" + extension
			files = append(files, path)
			must(t, "-q", "embed", "odd.csv", "-m", "m.unfold", "-o", path, "--explain", "2", "--above", "0.9999")
		}
	}
	var seen struct{ Files int }
	if out := foreign.Run(t, readReasons, files...); json.Unmarshal(out, &seen) != nil || seen.Files != len(files) {
		t.Errorf("of %d files was read: %s", len(files), out)
	}
}

// explain --json equals embed --explain. Files and lines get the same explanations.
func TestExplainAgreesWithEmbed(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "train.csv", 240, 1)
	write(t, "odd.csv", "a,b,c,kind\n0,0,900,low\n9,-9,0,high\n")
	must(t, "-q", "fit", "train.csv", "--columns", "a,b,c", "-o", "m.unfold", "--steps", "5")
	cut := func(text string) string {
		from, to := strings.Index(text, `"reasons":`), strings.Index(text, `,"map_epoch"`)
		if from < 0 || to < from {
			t.Fatalf("there are no reasons in %s", text)
		}
		return text[from:to]
	}
	must(t, "-q", "embed", "odd.csv", "-m", "m.unfold", "-o", "odd.jsonl", "--explain", "2")
	want := cut(contentsOf(t, "odd.jsonl"))
	if got := cut(must(t, "-q", "explain", "m.unfold", "odd.csv", "--columns", "2", "--json")); got != want {
		t.Errorf("explain says\n%s, embed\n%s", got, want)
	}
	write(t, "odd.lines", `{"a":0,"b":0,"c":900}`+"\n")
	code, out, errs := runInput(t, "odd.lines", "-q", "embed", "--lines", "-m", "m.unfold", "--explain", "2")
	if code != 0 || cut(out) != want {
		t.Errorf("lines: exit %d, %s%s, want %s", code, out, errs, want)
	}
	person := must(t, "-q", "explain", "m.unfold", "odd.csv", "--columns", "1")
	if !strings.HasPrefix(person, "event 0: novelty 100% beyond its neighbours") || !strings.Contains(person, "\n  c ") || !strings.Contains(person, "is 900 (above)") {
		t.Errorf("it prints\n%s", person)
	}
}

// A stage explains events above its percentile, with the ids of its reference events.
func TestExplainingStage(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead")
	write(t, configuration, strings.Replace(contentsOf(t, configuration), "{topic: places}}", "{topic: places}, format: json}", 1)+"explain: {above: 50%, columns: 2}\n")
	produce(t, brokers, 0, 40)
	runUntil(t, configuration, `map version 1 `, func(address string) {
		streamtest.Await(t, "all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_messages_delivered_total 40\n")
		})
	})
	explained, all := 0, 0
	for _, m := range contents(t, brokers, "places") {
		var places []struct {
			Reasons   []struct{ Column string }
			Neighbors []struct{ ID string }
			Local     float64 `json:"novelty_local"`
			Global    float64 `json:"novelty_global"`
		}
		if err := json.Unmarshal(m.Value, &places); err != nil {
			t.Fatalf("%v: %s", err, m.Value)
		}
		for _, p := range places {
			all++
			if (p.Reasons != nil) != (max(p.Local, p.Global) > 0.5) {
				t.Errorf("an event of novelties %v and %v has the reasons %v", p.Local, p.Global, p.Reasons)
			}
			if p.Reasons != nil {
				explained++
				if len(p.Reasons) > 2 || !strings.HasPrefix(p.Reasons[0].Column, "v[") || !strings.HasPrefix(p.Neighbors[0].ID, "e") {
					t.Errorf("reasons %v, neighbours %v", p.Reasons, p.Neighbors)
				}
			}
		}
	}
	if explained == 0 || explained == all {
		t.Errorf("%d of %d events are explained", explained, all)
	}
}
