package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/relay"
	"unfold/internal/testkit/tier"
)

// The program under test starts itself to measure processes: see harness.Process.
func TestMain(m *testing.M) {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	if code, ok := relay.Main(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// TestSmall measures all rows on toy data, without peers. Every figure of this program must be a
// number, and the peers' figures must be reported as missing by name.
func TestSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	out := t.TempDir()
	unfold := filepath.Join(out, "unfold")
	product, err := harness.Product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("go", "build", "-C", product, "-o", unfold, "./cmd/unfold").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	var log strings.Builder
	args := []string{"-small", "-skip-peers", "-data", "", "-unfold", unfold, "-out", out}
	if code := run(context.Background(), args, &log); code != 0 {
		t.Fatalf("exit code %d\n%s", code, log.String())
	}
	page, err := harness.ReadPage(filepath.Join(out, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range rows() {
		r, err := readRecord(filepath.Join(out, "results", w.key+".json"))
		if err != nil || r == nil {
			t.Fatalf("%s: %v, %v", w.key, r, err)
		}
		if len(r.Series) == 0 {
			t.Errorf("%s has measured nothing", w.key)
		}
		for _, s := range r.Series {
			if !slices.Contains([]string{own, byHand, runOnce, runTwice, freeOnce, freeTwice}, s.Who) {
				t.Errorf("%s: a series of %s without peers", w.key, s.Who)
			}
			for _, v := range s.Samples {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Errorf("%s: %s is %v", w.key, s.What, v)
				}
			}
		}
		for _, text := range r.Missing {
			if !strings.Contains(text, "peers are skipped") && !strings.HasPrefix(text, "the peak of") {
				t.Errorf("%s: missing %s", w.key, text)
			}
		}
		for _, x := range w.targets {
			if v := x.verdict(r, true); v != harness.ToyData && (v != harness.NotMeasured || len(r.Missing) == 0) {
				t.Errorf("%s: %s: %s", w.key, x.what, v)
			}
		}
		if !strings.Contains(page, "## "+w.title+"\n") {
			t.Errorf("the page says nothing of %s", w.title)
		}
	}
	if strings.Contains(page, harness.Met+" |") || strings.Contains(page, harness.Missed) || !strings.Contains(page, "Toy data") {
		t.Errorf("toy data are judged:\n%s", page)
	}
	// With -keep nothing is measured again, and the page stays the same except for the load.
	log.Reset()
	if code := run(context.Background(), append(args, "-keep"), &log); code != 0 {
		t.Fatalf("-keep: exit code %d\n%s", code, log.String())
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("-keep has measured again:\n%s", log.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-only", "nothing"}, {"-nothing"}} {
		if code := run(context.Background(), args, io.Discard); code != 2 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	seen := map[string]bool{}
	for _, w := range rows() {
		if seen[w.key] || w.title == "" || w.about == "" {
			t.Errorf("row %q: seen before, or without title or text", w.key)
		}
		seen[w.key] = true
	}
}

func TestProcess(t *testing.T) {
	b := &bench{out: t.TempDir(), threads: 3}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The measured process is this program, which measures another process.
	inner := b.file("inner.json")
	out, u, err := b.process(context.Background(), self, harness.ProcessVerb, inner, "go", "env", "GOOS")
	if err != nil || strings.TrimSpace(out) == "" {
		t.Fatalf("%q, %v", out, err)
	}
	if u.Wall <= 0 || u.CPU <= 0 || u.CPU > 100*u.Wall || u.Peak < 0 || u.Peak > 0 && u.Peak < 1e6 {
		t.Errorf("%+v", u)
	}
	if _, err := os.Stat(inner); err != nil {
		t.Error(err)
	}
	if _, _, err := b.process(context.Background(), self, harness.ProcessVerb, inner); err == nil || !strings.Contains(err.Error(), "FILE PROGRAM ARGS") {
		t.Errorf("a process that fails: %v", err)
	}
	if got := fmt.Sprint(threadVariables(3)); !strings.Contains(got, "GOMAXPROCS=3 ") || !strings.Contains(got, "NUMBA_NUM_THREADS=3") {
		t.Error(got)
	}
}
