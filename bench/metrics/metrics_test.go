package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/ingest"
)

const committed = "../../docs/metrics.md"

// The page agrees with its results, which cover every set and every metric.
func TestPageIsOfItsResults(t *testing.T) {
	r, err := readResults(resultsOf(committed))
	if err != nil {
		t.Fatal(err)
	}
	page, err := harness.ReadPage(committed)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(r.page(), harness.Details, "") != page {
		t.Errorf("%s is not what %s says", committed, resultsOf(committed))
	}
	for _, s := range sets {
		lines := r.Sets[s.key]
		if len(lines) != len(s.metrics) {
			t.Errorf("%s: %d metrics, want %d", s.key, len(lines), len(s.metrics))
			continue
		}
		for k, l := range lines {
			if l.Metric != s.metrics[k] || (len(l.Maps) == 2) != s.maps(l.Metric) || !(l.Search > 0) || !(l.Brute > 0) {
				t.Errorf("%s, %s: %+v", s.key, s.metrics[k], l)
			}
		}
	}
}

// Without peers nothing is measured, and the page is made from the results beside it.
func TestPageAlone(t *testing.T) {
	page := filepath.Join(t.TempDir(), "metrics.md")
	r := &results{Versions: map[string]string{"scipy": "9"}, Sets: map[string][]line{"usps": {
		{Metric: ingest.Euclidean, Rows: 10, Cols: 2, Recall: 1, Search: 2},
		{Metric: ingest.Cosine, Rows: 10, Cols: 2, Recall: 0.5, Search: 2.2, Maps: []quality{{Program: umap, RNX: 0.25, CPU: 3}}},
	}}}
	if err := os.MkdirAll(filepath.Dir(resultsOf(page)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := harness.WriteJSON(resultsOf(page), r); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	run(context.Background(), []string{"-skip-peers", "-o", page}, &log)
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err, log.String())
	}
	for _, want := range []string{
		"| USPS digits, grey: cosine, recall | >= 1.0000 | 0.5000 | **missed** |", "| USPS digits, grey: cosine, time of euclidean's | <= 1.05 | 1.10 | **missed** |",
		"| cosine | 0.5000 | 2200 ms | 1.10 |", "| cosine | umap-learn | 0.250 |", "scipy 9",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	if v := r.verdicts(); v[harness.Met] != 1 || v[harness.Missed] != 2 {
		t.Errorf("%v", v)
	}
}

// A search uses its metric, on a file or on columns, and keeps the minimum of the times.
func TestSearch(t *testing.T) {
	b := &bench{out: t.TempDir()}
	text := "lat,lon\n"
	for i := range 40 {
		text += []string{"10,0\n", "-20,179.9\n", "-20,-179.9\n", "89,1\n"}[i%4]
	}
	if err := os.WriteFile(filepath.Join(b.out, "stations.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	l := line{}
	for range 2 {
		nb, err := b.search(t.Context(), sets[2], ingest.Haversine, &l)
		if err != nil {
			t.Fatal(err)
		}
		// The tenth nearest place of a place beside the date line is on the other side of it.
		if _, dist2 := nb.Row(1); math.Abs(math.Sqrt(dist2[10])-20.9) > 0.1 {
			t.Errorf("%v km", math.Sqrt(dist2[10]))
		}
	}
	if l.Metric != ingest.Haversine || l.Rows != 40 || l.Cols != 3 || l.Search < 0 {
		t.Errorf("%+v", l)
	}
}
