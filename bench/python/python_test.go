package main

import (
	"strings"
	"testing"
	"time"
)

// The text of the page follows from the figures.
func TestPage(t *testing.T) {
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	f := Figures{
		Versions: map[string]string{"unfold-live": "1.2", "umap-learn": "0.5", "pyspark": "4"},
		Times: &Times{Day: day, Others: .05, Sets: []TimedSet{{Key: "images", Name: "images", ColdWanted: 10, WarmWanted: 4,
			Unfold: []Timed{{Rows: 5000, Dim: 50, ColdFit: 1.25, WarmFit: 1, ColdFitCPU: 2, WarmFitCPU: 1.5, ColdTransform: .5, WarmTransform: .25, Memory: 50e6, Child: 100e6}},
			UMAP:   []Timed{{Rows: 5000, Dim: 50, ColdFit: 20, WarmFit: 5, ColdFitCPU: 30, WarmFitCPU: 9, ColdTransform: 4, WarmTransform: 2, Memory: 400e6}}}}},
		Clusters: &Clusters{Day: day, Rows: 50_000, Dim: 10, By: map[string]ClusterRuns{
			"unfold": {Wall: []float64{2, 4, 9}, CPU: []float64{3, 3, 3}, Clusters: 7}, "hdbscan": {Wall: []float64{40, 50, 40}, CPU: []float64{30, 30, 30}, Clusters: 8}}},
		Spark: &Spark{Day: day, Others: .5, Workers: 2, Runs: []SparkRun{
			{Rows: 1_000_000, Start: 3, Spark: 12.5, Line: 10, LineCPU: 20, CPU: map[string]float64{"unfold": 18, "java": 6, "python": 1}},
		}},
	}
	page := f.page()
	for _, want := range []string{
		"unfold_live 1.2, umap-learn 0.5", "on 2026-01-02", "took 5% of them", "took 50% of them",
		"| 5,000 x 50, images | unfold_live | 1.25 s | 1.00 s | 0.50 s | 0.25 s | 50 MB | 100 MB |",
		"| 5,000 x 50, images | umap-learn | 20.00 s | 5.00 s | 4.00 s | 2.00 s | 400 MB | none |",
		"| 5,000 x 50, images | 16.0 | 5.0 | 15.0 | 6.0 | >= 10, 4 |",
		"| unfold_live | 4.00 | 3.00 | 7 | | | |", "| hdbscan | 40.00 | 30.00 | 8 | 0.10 | 0.10 | <= 0.2 |",
		"| 1,000,000 | 100,000 rows/s | 80,000 rows/s | 80% | 80% | 3.0 s |",
		"| 1,000,000 | 20.0 | 25.0 | 18.0 | 6.0 | 1.0 |",
		"40,000 rows/s for a core", "8,000,000 bytes", "| 1 | 8 | 320,000 | 52.1 min |", "| 64 | 512 | 20,480,000 | 0.8 min |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	f.Files, f.Spark = f.Spark, nil
	page = f.page()
	if strings.Contains(page, "billion") {
		t.Error("a billion rows are reckoned without a rate")
	}
	if !strings.Contains(page, "## Spark over files\n\nMeasured on 2026-01-02") {
		t.Errorf("the page lacks files:\n%s", page)
	}
	f.Times, f.before = nil, map[string]string{"Beside umap-learn": "As before.\n"}
	if page = f.page(); !strings.Contains(page, "\n## Beside umap-learn\n\nAs before.\n\n## Clusters\n") {
		t.Errorf("a section is not kept:\n%s", page)
	}
}

// The median over several processes counts, for each figure.
func TestMedians(t *testing.T) {
	got := medians([]Timed{{Rows: 3, ColdFit: 2, WarmFit: 1, Memory: 7}, {Rows: 3, ColdFit: 1, WarmFit: 4, Memory: 9}, {Rows: 3, ColdFit: 5, WarmFit: 2, Memory: 8}})
	if want := (Timed{Rows: 3, ColdFit: 2, WarmFit: 2, Memory: 8}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
