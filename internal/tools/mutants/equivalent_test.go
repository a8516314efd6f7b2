package main

import (
	"strings"
	"testing"
)

// A change is excused by file, function, kind and text. Lines without a reason, and changes that do
// not exist, are errors.
func TestEquivalent(t *testing.T) {
	text := "# a comment\n\nstream a.go f dropped: log(\"#\") # only the log depends on it\nstream/kafka b.go - negated: ok # never false\n"
	e, err := excusesOf("./stream", text)
	if err != nil || len(e) != 1 {
		t.Fatal(e, err)
	}
	own := site{"a.go", 7, "f", "dropped", `log("#")`}
	others := []site{{"a.go", 7, "g", "dropped", `log("#")`}, {"a.go", 7, "f", "negated", `log("#")`}, {"b.go", 9, "", "negated", "ok"}}
	r := result{Tried: 9, Survivors: append([]site{own}, others[:2]...), Missed: others[2:]}
	r.excuse(e)
	if len(r.Equivalent) != 1 || r.Equivalent[0].Reason != "only the log depends on it" || len(r.Survivors) != 2 || len(r.Missed) != 1 || r.killed() != 5 || r.rate() != 62.5 {
		t.Errorf("%+v, %d killed, %.1f %%", r, r.killed(), r.rate())
	}
	if err := e.check("./stream", []site{own}); err != nil {
		t.Error(err)
	}
	if err := e.check("./stream", others); err == nil || !strings.Contains(err.Error(), "a.go f dropped") {
		t.Errorf("a change that does not exist: %v", err)
	}
	if outside, err := excusesOf("./stream/kafka", text); err != nil || outside[others[2].key()] == "" {
		t.Errorf("%v, %v", outside, err)
	}
	for _, bad := range []string{"stream a.go f dropped: x", "stream # why", "stream a.go f dropped: x # "} {
		if _, err := excusesOf("./stream", bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// The table can be read.
func TestEquivalentText(t *testing.T) {
	for _, path := range packages {
		if _, err := excusesOf(path, equivalentText); err != nil {
			t.Error(err)
		}
	}
}
