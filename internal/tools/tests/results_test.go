package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/internal/testkit/tier"
)

// stream is the output of go test -json for four packages: one passes, one has a failing test and
// two skipped ones, one does not build, and one stops in the middle of a test.
const stream = `
{"Action":"run","Package":"p/good","Test":"TestA"}
{"Action":"output","Package":"p/good","Test":"TestA","Output":"hidden\n"}
{"Action":"pass","Package":"p/good","Test":"TestA","Elapsed":2}
{"Action":"output","Package":"p/good","Output":"unfold-test-cost: 3.50\n"}
{"Action":"output","Package":"p/good","Output":"ok  \tp/good\t2.5s\n"}
{"Action":"pass","Package":"p/good","Elapsed":2.5}
{"Action":"output","Package":"p/bad","Test":"TestB/one","Output":"    b_test.go:7: it is wrong\n"}
{"Action":"fail","Package":"p/bad","Test":"TestB/one","Elapsed":0}
{"Action":"fail","Package":"p/bad","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"p/bad","Test":"TestC","Output":"    c_test.go:5: something was logged\n"}
{"Action":"output","Package":"p/bad","Test":"TestC","Output":"    c_test.go:9: left out, make test-all runs it: it sleeps\n"}
{"Action":"skip","Package":"p/bad","Test":"TestC","Elapsed":0}
{"Action":"output","Package":"p/bad","Test":"TestD","Output":"    d_test.go:9: not possible here: no java\n"}
{"Action":"skip","Package":"p/bad","Test":"TestD","Elapsed":0}
{"Action":"fail","Package":"p/bad","Elapsed":1}
{"Action":"build-output","ImportPath":"p/broken [p/broken.test]","Output":"x.go:1: syntax error\n"}
{"Action":"build-fail","ImportPath":"p/broken [p/broken.test]"}
{"Action":"fail","Package":"p/broken","Elapsed":0,"FailedBuild":"p/broken [p/broken.test]"}
{"Action":"run","Package":"p/dead","Test":"TestE"}
{"Action":"output","Package":"p/dead","Test":"TestE","Output":"panic: oh\n"}
{"Action":"fail","Package":"p/dead","Elapsed":0.5}
{"Action":"start","Package":"p/stopped"}`

func taken(t *testing.T) (*results, string) {
	t.Helper()
	r, out := newResults(), new(strings.Builder)
	for line := range strings.SplitSeq(strings.TrimSpace(stream), "\n") {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		r.take(e, out)
	}
	return r, out.String()
}

func TestResults(t *testing.T) {
	r, printed := taken(t)
	for _, want := range []string{"ok    p/good", "processors    3.5 s", "it is wrong", "syntax error", "panic: oh"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not printed:\n%s", want, printed)
		}
	}
	for _, hidden := range []string{"hidden", costMark} {
		if strings.Contains(printed, hidden) {
			t.Errorf("%q is printed:\n%s", hidden, printed)
		}
	}
	s := r.summary(time.Minute, 5)
	want := []string{"p/bad TestB/one", "p/bad TestB", "p/broken [p/broken.test], which does not build", "p/dead, outside of a test", "p/stopped, which did not end"}
	if !slices.Equal(s.failures, want) {
		t.Errorf("failures %q, want %q", s.failures, want)
	}
	if r.reasons[tier.LeftOut+"it sleeps"] != 1 || r.reasons[tier.Unavailable+"no java"] != 1 {
		t.Errorf("reasons %v", r.reasons)
	}
	var out strings.Builder
	s.write(&out)
	for _, want := range []string{"   1  it sleeps", "   1  no java", "   2.0 s  p/good TestA", "\n1 passed, 4 failed, 2 skipped\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the summary:\n%s", want, &out)
		}
	}
	if !s.bad() {
		t.Error("the run counts as good")
	}
}

func TestBudget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "budget.txt")
	judge := func(seconds, cpu float64, all bool) []string {
		budgets, err := readBudgets(file)
		if err != nil {
			t.Fatal(err)
		}
		r := newResults()
		for _, name := range []string{"p/known", "p/new"} {
			r.packages[name] = &packageResult{name: name, ended: true, wall: seconds, cpu: cpu}
			r.order = append(r.order, name)
		}
		s := r.summary(0, 0)
		s.judge(budgets, all)
		return s.budget
	}
	if err := os.WriteFile(file, []byte("# head\np/known 10 30\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wall, cpu float64
		all       bool
		over      int
	}{
		{1, 1, false, 0},
		{20, 6, false, 0},  // both within their allowances
		{25, 1, false, 1},  // the new one waits too long
		{10, 8, false, 1},  // the new one needs too much processor time
		{20, 26, false, 2}, // the known one as well
		{61, 1, false, 2},
		{61, 1, true, 1}, // allowed with all tests
		{20, 66, true, 2},
	} {
		if over := judge(c.wall, c.cpu, c.all); len(over) != c.over {
			t.Errorf("%+v: %q", c, over)
		}
	}
	r := newResults()
	r.packages["p/known"] = &packageResult{name: "p/known", ended: true, wall: 3.2, cpu: 4.1}
	budgets, err := readBudgets(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.summary(0, 0).update(file, budgets, true, false); err != nil {
		t.Fatal(err)
	}
	if b, err := readBudgets(file); err != nil || b["p/known"] != (budget{10, 5}) {
		t.Errorf("%v, %v", b, err)
	}
	if err := os.WriteFile(file, []byte("p/known ten\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readBudgets(file); err == nil || !strings.Contains(err.Error(), ":1:") {
		t.Errorf("a line that is none: %v", err)
	}
}

// The longest packages begin first, by their modules, and packages that are gone are left out.
func TestLongest(t *testing.T) {
	t.Chdir("../../..")
	budgets := map[string]budget{
		"unfold": {5, 6}, "unfold/ingest": {9, 3}, "unfold/stream": {2, 50},
		"unfold/bench/speed": {1, 82}, "unfold/bench/ep": {3, 42}, "unfold/gone": {99, 99}, "unfold/internal/asm/a64": {1, 1},
	}
	for all, want := range map[bool][3]string{
		false: {"unfold/ingest unfold unfold/stream", "unfold/bench/ep unfold/bench/speed", "unfold/internal/asm/a64"},
		true:  {"unfold/stream unfold unfold/ingest", "unfold/bench/speed unfold/bench/ep", "unfold/internal/asm/a64"},
	} {
		var got [3]string
		for dir, names := range longest(budgets, all) {
			got[slices.Index(modules, dir)] = strings.Join(names, " ")
		}
		if got != want {
			t.Errorf("all tests %v: %q, want %q", all, got, want)
		}
	}
}
