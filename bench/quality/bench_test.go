package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
)

// A measurement is made once. With -keep it is used again if it was made in the same way, and it is
// skipped if it is not selected.
func TestOnce(t *testing.T) {
	b := &bench{out: t.TempDir(), log: io.Discard, run: "first", results: map[string]*result{}}
	if err := os.Mkdir(b.file("results"), 0o777); err != nil {
		t.Fatal(err)
	}
	times := 0
	measure := func(r *result) error {
		times++
		r.Figures[nn1] = float64(times)
		return nil
	}
	if r, err := b.once("set/a", "so", unwanted, measure); r != nil || err != nil || times > 0 {
		t.Fatalf("unwanted: %v, %v", r, err)
	}
	for range 2 {
		if _, err := b.once("set/a", "so", wanted, measure); err != nil {
			t.Fatal(err)
		}
	}
	if times != 2 || b.results["set/a"].Figures[nn1] != 2 {
		t.Errorf("made %d times", times)
	}
	again := &bench{out: b.out, log: io.Discard, run: "second", keep: true, results: map[string]*result{}}
	for _, when := range []when{wanted, unwanted} {
		r, err := again.once("set/a", "so", when, measure)
		if err != nil || times != 2 || r.Run != "first" || r.Figures[nn1] != 2 || again.results["set/a"] != r {
			t.Errorf("kept: %+v, %v, made %d times", r, err, times)
		}
	}
	if r, err := again.once("set/a", "otherwise", unwanted, measure); r != nil || err != nil {
		t.Errorf("a result of other settings is used: %+v, %v", r, err)
	}
	if r, err := again.once("set/a", "otherwise", wanted, measure); err != nil || times != 3 || r.Run != "second" || r.Made != "otherwise" {
		t.Errorf("other settings: %+v, %v, made %d times", r, err, times)
	}
	if _, err := again.once("set/a", "otherwise", always, measure); err != nil || times != 4 {
		t.Errorf("always: %v, made %d times", err, times)
	}
	fails := errors.New("no")
	if _, err := again.once("set/b", "so", wanted, func(*result) error { return fails }); !errors.Is(err, fails) {
		t.Errorf("a failure gives %v", err)
	}
	if _, err := os.Stat(b.file("results", "set-b.json")); err == nil {
		t.Error("a failure has left a result")
	}
}

// The data behind a page are stored beside it, for users without a folder of earlier runs.
func TestResultsBeside(t *testing.T) {
	dir := t.TempDir()
	first := &bench{out: t.TempDir(), beside: filepath.Join(dir, "results"), log: io.Discard, run: "first", results: map[string]*result{}}
	if err := os.Mkdir(first.file("results"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := first.once("set/a", "so", wanted, func(r *result) error { r.Figures[nn1] = 7; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := first.writeResults(); err != nil {
		t.Fatal(err)
	}
	other := &bench{out: t.TempDir(), beside: first.beside, log: io.Discard, run: "second", keep: true, results: map[string]*result{}}
	never := func(*result) error { return errors.New("measured again") }
	if r, err := other.once("set/a", "so", wanted, never); err != nil || r.Run != "first" || r.Figures[nn1] != 7 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := other.once("set/a", "otherwise", unwanted, never); r != nil || err != nil {
		t.Errorf("a result of other settings is used: %+v, %v", r, err)
	}
}

// The key of a map contains everything that the map depends on.
func TestMadeTellsSettingsApart(t *testing.T) {
	m, j, p := method{key: "a", flags: []string{"--theta", ".4"}}, job{}, &prepared{Stamp: "x"}
	b := &bench{threads: 2}
	first := b.made(m, j, p)
	if same := b.made(method{key: "b", flags: m.flags}, job{dims: 2, seed: 1, timed: true}, p); same != first {
		t.Errorf("%q and %q", same, first)
	}
	for what, other := range map[string]string{
		"flags": b.made(method{flags: []string{"--theta", ".2"}}, j, p), "dimensions": b.made(m, job{dims: 3}, p), "seed": b.made(m, job{seed: 2}, p),
		"data": b.made(m, j, &prepared{Stamp: "y"}), "threads": (&bench{threads: 1}).made(m, j, p), "peer": b.made(method{key: "a", peer: true}, j, p),
	} {
		if other == first {
			t.Errorf("other %s are the same: %q", what, other)
		}
	}
}

// -skip-peers skips the peers, and -only skips everything else.
func TestWhen(t *testing.T) {
	own, peer := method{}, method{peer: true}
	for _, c := range []struct {
		b    bench
		m    method
		want when
	}{
		{bench{}, peer, wanted}, {bench{peers: harness.Peers{Skip: true}}, peer, unwanted}, {bench{peers: harness.Peers{Skip: true}}, own, wanted},
		{bench{only: []string{"a"}}, own, wanted}, {bench{only: []string{"b", "c"}}, own, wanted}, {bench{only: []string{"c"}}, own, unwanted},
		{bench{by: []string{"c"}}, own, unwanted}, {bench{by: []string{"c"}}, method{key: "c"}, wanted},
	} {
		if got := c.b.when(c.m, "a", "b"); got != c.want {
			t.Errorf("%+v, %+v: %v", c.b, c.m, got)
		}
	}
}

// Data sets with missing files are skipped and named. A missing set named by -only is an error, and
// so is having no set at all.
func TestMissingData(t *testing.T) {
	var log strings.Builder
	data := t.TempDir()
	for _, part := range []string{"Trn", "Vdn", "Tst"} {
		for name, text := range map[string]string{".txt": "1 2\n3 4\n", "Lbls.txt": "1 0 0\n0 1 0\n"} {
			path := filepath.Join(data, "oil", "Data"+part+name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := &bench{out: t.TempDir(), peers: harness.Peers{Venv: t.TempDir()}, data: data, log: &log}
	sets, err := b.prepareAll(t.Context())
	if err != nil || len(sets) != 1 || named(sets, "oil") == nil || named(sets, mnistName) != nil {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	if want := len(datasets("")) - 1; len(b.missing) != want || strings.Count(log.String(), "left out") != want || !strings.Contains(log.String(), "optdigits: ") {
		t.Errorf("%d are missing, of %d:\n%s", len(b.missing), want, &log)
	}
	b.only = []string{"faces"}
	if _, err := b.prepareAll(t.Context()); err == nil || !strings.Contains(err.Error(), "faces") {
		t.Errorf("a set that is asked for is missing: %v", err)
	}
	b.only, b.data = nil, t.TempDir()
	if _, err := b.prepareAll(t.Context()); err == nil {
		t.Error("no data are enough")
	}
}

func TestDiffering(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := file("a", "abcdef")
	for text, want := range map[string]int{"abcdef": 0, "abXdeX": 2, "abc": 3, "": 6, "Xbcdefgh": 3} {
		b := file("b", text)
		if n, err := differing(a, b); n != want || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
		if err := sameBytes(a, b); (err == nil) != (want == 0) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := differing(a, filepath.Join(dir, "none")); err == nil {
		t.Error("a missing file differs in nothing")
	}
}
