package main

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
)

func TestParsePeer(t *testing.T) {
	const line = `{"series": [{"who": "peer", "what": "wall", "unit": "s", "samples": [2, 3]}], "versions": {"peer": "1.2"}, "missing": ["x is not installed"], "notes": ["n"]}`
	got, err := parsePeer("a library's warning\n" + line + "\n")
	if err != nil {
		t.Fatal(err)
	}
	r := &record{}
	r.add(own, wall, seconds, 1)
	r.merge(got)
	r.merge(got)
	if v, ok := r.best("peer", wall); !ok || v != 2 || len(r.Series) != 2 || len(r.Series[1].Samples) != 4 || r.Versions["peer"] != "1.2" || len(r.Missing) != 1 || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{"", "Traceback", `{"series": [{"who": "unfold", "what": "wall", "samples": [1]}]}`,
		`{"series": [{"who": "peer", "what": "wall", "samples": []}]}`, `{"series": [{"what": "wall", "samples": [1]}]}`} {
		if r, err := parsePeer(text); err == nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestPage(t *testing.T) {
	first := rows()[0]
	r := &record{Run: "a", When: "2026-01-02, avx2", Took: 120, Versions: map[string]string{own: "v9", "peer": "1.2"}}
	r.add(own, wall, seconds, 2, 2.5)
	r.add(own, rss, inBytes, 3e8)
	r.add(pacmap, wall, seconds, 16)
	r.miss("umap-learn: not installed")
	r.note("a fact")
	b := &bench{records: map[string]*record{first.key: r}}
	text, verdicts := b.page(machine{cores: 2, threads: 2, processor: "Chip", load: "0.10"})
	page := string(text)
	targets := 0
	for _, w := range rows() {
		targets += len(w.targets)
	}
	if verdicts[harness.Met] != 2 || verdicts[harness.Missed] != 0 || verdicts[harness.NotMeasured] != targets-2 {
		t.Errorf("%v", verdicts)
	}
	for _, want := range []string{
		"All figures are of one run, which took 2 minutes.", "2 cores of Chip", "Load when it began: 0.10",
		"| From files to a map: wall, of PaCMAP's | <= 0.200 | 0.125 | met |",
		"| From files to a map: wall, of umap-learn's | <= 0.080 |  | not measured |",
		"| From files to a map: peak memory | <= 0.33 GB | 0.30 GB | met |",
		"**Missing: umap-learn: not installed.**", "| unfold | wall | 2.00 s | 25% | 2 |", "| PaCMAP | wall | 16.0 s |  | 1 |",
		"- a fact\n\nMeasured 2026-01-02, avx2.\n", "| peer | 1.2 |", "| unfold | v9 |", "Not measured.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	b.records[rows()[1].key] = &record{Run: "b"}
	if text, _ := b.page(machine{}); !strings.Contains(string(text), "of 2 runs") {
		t.Error("the page does not say that it is of two runs")
	}
}

// A run of some rows keeps the others on the page: sections, targets, verdicts and versions.
func TestPageKeepsOtherRows(t *testing.T) {
	first, second := rows()[0], rows()[1]
	r := &record{Run: "a", Versions: map[string]string{"peer": "1.2"}}
	r.add(own, rss, inBytes, 3e8)
	r.add(own, wall, seconds, 2)
	r.add(pacmap, wall, seconds, 16)
	b := &bench{records: map[string]*record{first.key: r}}
	old, _ := b.page(machine{})
	b = &bench{records: map[string]*record{second.key: {Run: "b", Versions: map[string]string{"peer": "1.3"}}}, before: parseBefore(string(old))}
	text, verdicts := b.page(machine{})
	if verdicts[harness.Met] != 2 || verdicts[harness.Missed] != 0 {
		t.Errorf("%v", verdicts)
	}
	for _, want := range []string{
		"**Of the last run are: " + second.title + ".** All else is of earlier ones", "| From files to a map: peak memory | <= 0.33 GB | 0.30 GB | met |",
		"## From files to a map\n\nThe 70,000 digits", "| PaCMAP | wall | 16.0 s |  | 1 |", "| peer | 1.2, 1.3 |",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	again := &bench{records: b.records, before: parseBefore(string(text))}
	if twice, _ := again.page(machine{}); string(twice) != string(text) {
		t.Errorf("the page of the page is another one:\n%s", twice)
	}
}

func TestLineOf(t *testing.T) {
	const text = "processor\t: 0\nmodel name\t: A Chip @ 3\nmodel name\t: B\n"
	if got := lineOf(text, "model name"); got != "A Chip @ 3" {
		t.Errorf("%q", got)
	}
	if got := lineOf(text, "model"); got != "" {
		t.Errorf("%q", got)
	}
}

// Rates are collected by package and benchmark; several runs of one are its samples.
func TestParseBench(t *testing.T) {
	const out = `goos: linux
pkg: unfold/internal/simd/tile
BenchmarkPeak/avx512-2   	     100	  1000 ns/op	       150.5 GFLOP/s
BenchmarkPeak/avx512-2   	     100	  1000 ns/op	       149 GFLOP/s
BenchmarkScanRow/avx2-2  	     100	  1000 ns/op	12000.5 MB/s	       6.5 GFLOP/s
PASS
pkg: unfold/internal/simd/dist
BenchmarkRows/avx2/50    	     100	  1000 ns/op	8000 MB/s	 0 B/op
BenchmarkOther           	     100	  1000 ns/op
ok  	unfold/internal/simd/dist	1.0s
`
	r, err := parseBench(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []series{
		{own, "tile Peak/avx512", gflops, []float64{150.5, 149}}, {own, "tile ScanRow/avx2", gflops, []float64{6.5}},
		{own, "dist Rows/avx2/50", gbytes, []float64{8}},
	}
	if !reflect.DeepEqual(r.Series, want) {
		t.Errorf("%+v", r.Series)
	}
	for _, text := range []string{"", "PASS\n", "BenchmarkX 1 12x ns/op\n"} {
		if r, err := parseBench(text); err == nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// The growth of n log n relative to itself is 1.
func TestGrowth(t *testing.T) {
	r := &record{}
	for _, n := range []int{10, 1000} {
		r.add(own, passOf(n), seconds, 3*float64(n)*math.Log(float64(n)))
	}
	if v, ok := growth(10, 1000, 1, 2)(r); !ok || math.Abs(v-1) > 1e-12 {
		t.Errorf("%v, %v", v, ok)
	}
	if v, ok := growth(1, 2, 10, 1000)(r); !ok || math.Abs(v-1) > 1e-12 {
		t.Errorf("toy data: %v, %v", v, ok)
	}
	if _, ok := growth(1, 2, 3, 4)(r); ok {
		t.Error("growth of what was not measured")
	}
}

// A machine with too little memory for the peers still measures the rest, and reports it.
func TestNoEnvironment(t *testing.T) {
	b := &bench{out: t.TempDir(), noPeers: true, peers: harness.Peers{Skip: true}}
	r := &record{}
	if _, err := b.peer(t.Context(), r, "scipy", "tree"); err != nil || len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "scipy: the peers' environment") {
		t.Errorf("%v, %v", r.Missing, err)
	}
}
