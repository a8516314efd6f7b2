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
	p("# What the Python package takes\n\nWritten by `make python-times`; nothing here is typed by hand. Versions: unfold_live %s, umap-learn %s (numba %s), hdbscan %s, fast_hdbscan %s, pyspark %s, NumPy %s, Python %s.\n",
		f.Versions["unfold-live"], f.Versions["umap-learn"], f.Versions["numba"], f.Versions["hdbscan"], f.Versions["fast_hdbscan"], f.Versions["pyspark"], f.Versions["numpy"], f.Versions["python"])
	for _, section := range []struct {
		title    string
		measured bool
		write    func(func(string, ...any))
	}{
		{"Beside umap-learn", f.Times != nil, f.Times.page},
		{"Clusters", f.Clusters != nil, f.Clusters.page},
		{"Spark", f.Spark != nil, f.Spark.page},
		{"A billion rows", f.Spark != nil, f.Spark.billion},
		{"Spark over files", f.Files != nil, f.Files.files},
	} {
		switch before, known := f.before[section.title]; {
		case section.measured:
			p("\n## %s\n\n", section.title)
			section.write(p)
		case known:
			p("\n## %s\n\n%s", section.title, before)
		}
	}
	return b.String()
}

func (t *Times) page(p func(string, ...any)) {
	p("Measured on %s. Both run with their defaults and `n_jobs=2`. umap-learn has no seed, which would limit it to one thread. Cold is a new process: from its start, with imports and compilation, to the map, and then the first `transform`. Warm is a second run in that process. The number of placed rows equals that of fitted rows. Processes of both take turns; seconds and memory are medians of %d. [quality.md](quality.md) compares the maps.\n\n", where(t.Day, t.Others), len(t.Sets[0].Unfold))
	p("| rows | by | fit, cold | fit, warm | transform, cold | transform, warm | memory of the Python process | of its child |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range t.Sets {
		rows := s.rows()
		for _, by := range []struct {
			name string
			Timed
		}{{"unfold_live", medians(s.Unfold)}, {"umap-learn", medians(s.UMAP)}} {
			child := "none"
			if by.Child > 0 {
				child = fmt.Sprintf("%.0f MB", by.Child/1e6)
			}
			p("| %s | %s | %.2f s | %.2f s | %.2f s | %.2f s | %.0f MB | %s |\n", rows, by.name, by.ColdFit, by.WarmFit, by.ColdTransform, by.WarmTransform, by.Memory/1e6, child)
		}
	}
	p("\numap-learn's time over ours, for a fit. Processor time, of all threads and of the child, can be compared on a busy machine, too.\n\n")
	p("| rows | cold | warm | cold, by processor time | warm, by processor time | wanted: cold, warm |\n|---|---|---|---|---|---|\n")
	for _, s := range t.Sets {
		wanted := ""
		if s.ColdWanted > 0 {
			wanted = fmt.Sprintf(">= %g, %g", s.ColdWanted, s.WarmWanted)
		}
		cold, warm, coldCPU, warmCPU := s.ratios()
		p("| %s | %.1f | %.1f | %.1f | %.1f | %s |\n", s.rows(), cold, warm, coldCPU, warmCPU, wanted)
	}
}

// rows describes the rows of a set.
func (s TimedSet) rows() string {
	m := medians(s.Unfold)
	return fmt.Sprintf("%s x %d, %s", count(float64(m.Rows)), m.Dim, s.Name)
}

// wanted is the target for Spark's rate relative to the command line's.
const wanted = .8

func (s *Spark) page(p func(string, ...any)) {
	p("Measured on %s. Rows of %d numbers, from Parquet files to Parquet files, on a map of %s points: `unfold embed --threads %d`, and\n"+
		"`unfold_live.spark.transform` in `local[%d]` as it is configured by default. Spark's own start is listed separately. The target is at least %.0f%% of the rows a second.\n\n",
		where(s.Day, s.Others), sparkDim, count(sparkPoints), s.Workers, s.Workers, 100*wanted)
	s.rates(p)
	p("\nProcessor time for a row, in microseconds, can be compared on a busy machine, too. Java's time includes its compiler, so a row costs\n" +
		"less in larger runs.\n\n")
	p("| rows | command line | Spark in all | unfold | Java | Python |\n|---|---|---|---|---|---|\n")
	for _, r := range s.Runs {
		us := 1e6 / float64(r.Rows)
		p("| %s | %.1f | %.1f | %.1f | %.1f | %.1f |\n", count(float64(r.Rows)), r.LineCPU*us, r.all()*us, r.CPU["unfold"]*us, r.CPU["java"]*us, r.CPU["python"]*us)
	}
}

// rates writes the table of rows a second.
func (s *Spark) rates(p func(string, ...any)) {
	p("| rows | command line | Spark | of the command line's rate | by processor time | Spark's start |\n|---|---|---|---|---|---|\n")
	for _, r := range s.Runs {
		p("| %s | %s rows/s | %s rows/s | %.0f%% | %.0f%% | %.1f s |\n", count(float64(r.Rows)), count(float64(r.Rows)/r.Line), count(r.rate()), 100*r.share(), 100*r.LineCPU/r.all(), r.Start)
	}
}

func (s *Spark) files(p func(string, ...any)) {
	p("Measured on %s. The same rows by `unfold_live.spark.transform_files`: Spark distributes the files, which the program reads and writes itself, so rows do not pass through Java and Python. The target is at least %.0f%% of the rows a second at a million rows.\n\n",
		where(s.Day, s.Others), 100*wanted)
	s.rates(p)
}

// billion extrapolates to a large batch: workers are independent.
func (s *Spark) billion(p func(string, ...any)) {
	last := s.Runs[len(s.Runs)-1]
	core := float64(last.Rows) / last.all()
	const rows, cores = 1e9, 8
	p("Workers share nothing but the model, which each executor gets once. So a job takes rows / (cores x rate of a core) seconds. The rate is that of the\n"+
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
