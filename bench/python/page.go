package main

import (
	"fmt"
	"strings"
)

// count formats a number with separators of thousands.
func count(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// page writes docs/python-times.md.
func (f *Figures) page() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# What the Python package takes\n\nWritten by `make python-times`; nothing here is typed by hand. Versions: unfold_live %s, umap-learn %s (numba %s), pyspark %s, NumPy %s, Python %s.\n",
		f.Versions["unfold-live"], f.Versions["umap-learn"], f.Versions["numba"], f.Versions["pyspark"], f.Versions["numpy"], f.Versions["python"])
	if f.Times != nil {
		f.Times.page(p)
	}
	if f.Spark != nil {
		f.Spark.page(p)
		f.Spark.billion(p)
	}
	return b.String()
}

func (t *Times) page(p func(string, ...any)) {
	p("\n## Beside umap-learn\n\nMeasured on %s. Both run with their defaults and `n_jobs=2`. umap-learn has no seed, which would limit it to one thread. Cold is a new process: from its start, with imports and compilation, to the map, and then the first `transform`. Warm is a second run in that process. The number of placed rows equals that of fitted rows. Seconds and memory are the least of all processes. [quality.md](quality.md) compares the maps.\n\n", where(t.Day, t.Others))
	p("| rows | by | fit, cold | fit, warm | transform, cold | transform, warm | memory of the Python process | of its child |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range t.Sets {
		rows := fmt.Sprintf("%s x %d, %s", count(float64(s.Unfold.Rows)), s.Unfold.Dim, s.Name)
		for _, by := range []struct {
			name string
			Timed
		}{{"unfold_live", s.Unfold}, {"umap-learn", s.UMAP}} {
			child := "none"
			if by.Child > 0 {
				child = fmt.Sprintf("%.0f MB", by.Child/1e6)
			}
			p("| %s | %s | %.2f s | %.2f s | %.2f s | %.2f s | %.0f MB | %s |\n", rows, by.name, by.ColdFit, by.WarmFit, by.ColdTransform, by.WarmTransform, by.Memory/1e6, child)
		}
	}
}

// wanted is the target for Spark's rate relative to the command line's.
const wanted = .8

func (s *Spark) page(p func(string, ...any)) {
	p("\n## Spark\n\nMeasured on %s. Rows of %d numbers, from Parquet files to Parquet files, on a map of %s points: `unfold embed --threads %d`, and\n"+
		"`unfold_live.spark.transform` in `local[%d]` as it is configured by default. Spark's own start is listed separately. The target is at least %.0f%% of the rows a second.\n\n",
		where(s.Day, s.Others), sparkDim, count(sparkPoints), s.Workers, s.Workers, 100*wanted)
	p("| rows | command line | Spark | of the command line's rate | by processor time | Spark's start |\n|---|---|---|---|---|---|\n")
	for _, r := range s.Runs {
		p("| %s | %s rows/s | %s rows/s | %.0f%% | %.0f%% | %.1f s |\n", count(float64(r.Rows)), count(float64(r.Rows)/r.Line), count(r.rate()), 100*r.share(), 100*r.LineCPU/r.all(), r.Start)
	}
	p("\nProcessor time for a row, in microseconds, can be compared on a busy machine, too. Java's time includes its compiler, so a row costs\n" +
		"less in larger runs.\n\n")
	p("| rows | command line | Spark in all | unfold | Java | Python |\n|---|---|---|---|---|---|\n")
	for _, r := range s.Runs {
		us := 1e6 / float64(r.Rows)
		p("| %s | %.1f | %.1f | %.1f | %.1f | %.1f |\n", count(float64(r.Rows)), r.LineCPU*us, r.all()*us, r.CPU["unfold"]*us, r.CPU["java"]*us, r.CPU["python"]*us)
	}
}

// billion extrapolates to a large batch: workers are independent.
func (s *Spark) billion(p func(string, ...any)) {
	last := s.Runs[len(s.Runs)-1]
	core := float64(last.Rows) / last.all()
	const rows, cores = 1e9, 8
	p("\n## A billion rows\n\nWorkers share nothing but the model, which each executor gets once. So a job takes rows / (cores x rate of a core) seconds. The rate is that of the\n"+
		"largest run above, by its processor time: %s rows/s for a core; rows and map are the same. An executor has %d cores here. The file system has to keep up: %s bytes\n"+
		"a second for a core, as float32.\n\n", count(core), cores, count(core*4*sparkDim))
	p("| executors | cores | rows/s | a billion rows take |\n|---|---|---|---|\n")
	for _, n := range []int{1, 4, 16, 64} {
		p("| %d | %d | %s | %s |\n", n, n*cores, count(float64(n*cores)*core), took(rows/(float64(n*cores)*core)))
	}
}

// took formats seconds for people.
func took(seconds float64) string {
	if seconds >= 3600 {
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}
