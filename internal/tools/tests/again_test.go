package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// failing is the output of go test -json for a package where two tests failed.
const failing = `
{"Action":"fail","Package":"p","Test":"TestA/one","Elapsed":0}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"fail","Package":"p","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":2}`

func TestForgive(t *testing.T) {
	for name, c := range map[string]struct {
		second         string
		failed, passed []string
	}{
		"one passes": {
			second: `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"fail","Package":"p","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":2}`,
			failed: []string{"p TestB"}, passed: []string{"p TestA"},
		},
		"both pass": {
			second: `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"p","Test":"TestB","Elapsed":1}
{"Action":"pass","Package":"p","Elapsed":2}`,
			passed: []string{"p TestA", "p TestB"},
		},
		"one is skipped": {
			second: `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":1}
{"Action":"pass","Package":"p","Elapsed":2}`,
			failed: []string{"p TestA/one", "p TestA", "p TestB"},
		},
		"a panic": {
			second: `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":2}`,
			failed: []string{"p TestA/one", "p TestA", "p TestB"},
		},
		"no tests": {
			second: `{"Action":"pass","Package":"p","Elapsed":2}`,
			failed: []string{"p TestA/one", "p TestA", "p TestB"},
		},
	} {
		first, second := resultsOf(t, failing), resultsOf(t, c.second)
		first.forgive("p", first.failedTests()["p"], second)
		if !slices.Equal(first.failures, c.failed) || !slices.Equal(first.doubtful, c.passed) {
			t.Errorf("%s: failed %q, passed %q", name, first.failures, first.doubtful)
		}
	}
}

func resultsOf(t *testing.T, stream string) *results {
	t.Helper()
	r := newResults()
	for line := range strings.SplitSeq(strings.TrimSpace(stream), "\n") {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		r.take(e, new(strings.Builder))
	}
	return r
}

// A package that does not build, or ends outside of a test, is not run once more.
func TestOnlyTestsAgain(t *testing.T) {
	r, _ := taken(t)
	if failed := r.failedTests(); len(failed) > 0 {
		t.Errorf("%q would run once more", failed)
	}
}

// Of two tests that fail at first, the one that passes the second time does not fail the run.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module chance\n\ngo 1.26\n",
		"chance_test.go": `package chance

import (
	"os"
	"testing"
)

func TestChance(t *testing.T) {
	if _, err := os.Stat("seen"); err != nil {
		os.WriteFile("seen", nil, 0o600)
		t.Error("the first time")
	}
}

func TestWrong(t *testing.T) { t.Error("each time") }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	out := new(strings.Builder)
	r := &runner{flags: []string{"-json"}, env: append(os.Environ(), "GOWORK=off"), packages: []string{"."}, out: out, results: newResults()}
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.again(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.results.doubtful, []string{"chance TestChance"}) || !slices.Equal(r.results.failures, []string{"chance TestWrong"}) {
		t.Errorf("failed %q, passed %q:\n%s", r.results.failures, r.results.doubtful, out)
	}
	if s := r.results.summary(0, 0); !s.bad() {
		t.Error("the run counts as passed")
	}
}
