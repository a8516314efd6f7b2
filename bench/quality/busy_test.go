package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
)

// A time is shown on the page if other processes left the machine to the measurement.
func TestBusyTimes(t *testing.T) {
	b, sets := measured(t)
	b.results["usps/umap"].took(.3)
	b.results["usps/umap"].took(.05)
	delete(b.results["mnist/"+byDefault].Figures, others) // from an earlier build
	delete(b.results, "usps/pacmap@3")
	forget(b, mnistName, dreamsMDS)
	text := string(b.page(sets, b.targets(sets), nil))
	for _, want := range []string{
		"**Times of 2 maps of 21 are left out as \"busy\"**: other processes took more than 10 % of", "| busy | busy |", "| 3.0 s | 5.0 s |",
		"| MNIST, EM | <= 8.0 s |  | busy |", ", 1 left to a quiet machine", `ARGS="-only times"`,
		"| PaCMAP (2 seeds) |", "**1 rows of the tables are of fewer than 3 seeds**", "**Not measured: MNIST by unfold with Gaussian tails, DREAMS-MDS; USPS, Isomap faces by unfold --thorough,",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "by unfold --frame geodesic") {
		t.Error("a method lacks a set that it does not take")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A time measured on a busy machine is measured again if it is selected by name.
func TestOnlyTimes(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(out+"/results", 0o777); err != nil {
		t.Fatal(err)
	}
	of := func(only ...string) *bench {
		return &bench{out: out, log: io.Discard, keep: true, only: only, firstSeeds: seedCount, results: map[string]*result{}}
	}
	share, made := .5, 0
	measure := func(r *result) error {
		made++
		r.took(share)
		return nil
	}
	m := methods()[0]
	for _, c := range []struct {
		name  string
		b     *bench
		share float64
		want  int
	}{
		{"nothing was measured before", of(partTimes), .5, 0}, {"measured while busy", of("oil"), .5, 1}, {"kept though busy", of("oil"), .5, 1},
		{"busy again", of(partTimes), .2, 2}, {"quiet now", of(partTimes), harness.Quiet, 3}, {"kept as it is quiet", of(partTimes), .5, 3},
	} {
		share = c.share
		if _, err := c.b.once("oil/unfold", "so", c.b.whenTimed(m, "oil"), measure); err != nil || made != c.want {
			t.Errorf("%s: made %d times, want %d, %v", c.name, made, c.want, err)
		}
	}
	b := of(partTimes)
	if b.peers.Skip = true; b.whenTimed(method{peer: true}, "oil") != unwanted {
		t.Error("peers that are skipped are timed again")
	}
	// The record of a timed program includes the load of other processes.
	r := newResult()
	text, err := of().timed(t.Context(), r, "go", "env", "GOOS")
	if v, known := r.Figures[others]; err != nil || len(text) == 0 || !known || v < 0 || v > 1 {
		t.Errorf("%q, others took %g, %v, %v", text, v, known, err)
	}
}
