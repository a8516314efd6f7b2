package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageKeepsOthers: a package that is tried again gets a new line and list, and the others keep theirs.
func TestPageKeepsOthers(t *testing.T) {
	p := page{}
	p.add(result{Package: "./stream", Sites: 90, Tried: 20, Drawn: "20 at equal distances", Seconds: 2.5, Day: "2026-01-02", Ended: 1,
		Survivors: []site{{"a.go", 7, "f", "negated", "ok"}}, Missed: []site{{"b.go", 8, "f", "dropped", "x = `y`"}}, Equivalent: []equivalent{{site{"d.go", 3, "f", "dropped", "log(x)"}, "only the log depends on it"}}})
	p.add(result{Package: "./models/live", Sites: 50, Tried: 50, Drawn: "all 50", Day: "2026-01-02", Survivors: []site{{"c.go", 9, "f", "negated", "a | b"}}})
	first := p.String()
	for _, want := range []string{"| stream | 90 | 20 at equal distances | 1 | 17 (89.5 %) | 1 | 1 | 2.5 cpu | 2026-01-02 |", "### stream\n\n- `a.go:7`: negated: `ok`\n- `b.go:8`: dropped, not reached: `x = 'y'`\n- `d.go:3`: dropped, equivalent (only the log depends on it): `log(x)`\n",
		"| models/live | 50 | all 50 | 0 | 49 (98.0 %) | 0 | 0 | 0.0 cpu | 2026-01-02 |"} {
		if !strings.Contains(first, want) {
			t.Errorf("%s\nlacks %s", first, want)
		}
	}
	if again := readPage(first).String(); again != first {
		t.Errorf("read and written again:\n%s\nit was\n%s", again, first)
	}
	later := readPage(first)
	later.add(result{Package: "./stream", Sites: 91, Tried: 91, Drawn: "all 91", Day: "2026-01-03"})
	got := later.String()
	if strings.Contains(got, "a.go") || !strings.Contains(got, "| stream | 91 | all 91 | 0 | 91 (100.0 %) | 0 | 0 | 0.0 cpu | 2026-01-03 |") || !strings.Contains(got, "- `c.go:9`: negated: `a | b`") {
		t.Errorf("stream was tried again:\n%s", got)
	}
	if len(readPage("")) != 0 {
		t.Error("a new page has packages")
	}
	name := filepath.Join(t.TempDir(), "page.md")
	for _, r := range []result{{Package: "./b", Drawn: "all 0"}, {Package: "./a", Drawn: "all 0"}} {
		if err := write(name, r); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), "| a | 0 | all 0") || strings.Index(string(text), "| b |") < strings.Index(string(text), "| a |") {
		t.Errorf("%s, %v", text, err)
	}
}
