package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/atomicfile"
)

//go:embed times.py
var timesProgram []byte

//go:embed spark.py
var sparkProgram []byte

func main() {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// lab is the context of all measurements.
type lab struct {
	unfold, data, out, venv string
	threads, rounds         int
	small                   bool
	sparkRows               []int
	say                     func(format string, args ...any)
}

// Figures are the results. Each part keeps its results when another is measured again.
type Figures struct {
	Versions map[string]string
	Times    *Times
	Clusters *Clusters
	Spark    *Spark
	Files    *Spark // by transform_files

	before map[string]string // sections of the page by title, for what has not been measured
}

// parts are the choices of -only.
var parts = []string{"times", "clusters", "spark", "files", "page"}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	c := harness.NewCommand("python", stderr)
	l := &lab{say: c.Say, rounds: 3}
	c.StringVar(&l.unfold, "unfold", "bin/unfold", "the program, for the command line's rate")
	c.Data(&l.data, "mnist/")
	c.StringVar(&l.out, "out", "out/python-times", "folder for data and results")
	c.StringVar(&l.venv, "venv", "out/python/venv", "environment that holds the package, umap-learn and pyspark, as make python makes it")
	c.IntVar(&l.threads, "threads", 2, "threads of everything that is measured")
	c.BoolVar(&l.small, "small", false, "toy sizes, in seconds: to see that it works")
	c.Func("rows", "numbers of rows for Spark (default 1000000,10000000)", func(text string) error {
		return json.Unmarshal([]byte("["+text+"]"), &l.sparkRows)
	})
	only := c.String("only", "", "measure times, clusters, spark or files (Spark's transform_files) alone, or nothing, page; of the others, results of an earlier run or the sections of the page are used")
	page := c.String("o", "docs/python-times.md", "the page to write")
	if c.Parse(args) != nil || !c.HasData(l.data) {
		return 2
	}
	chosen, ok := c.Chosen(*only, parts)
	if !ok {
		return 2
	}
	if l.small {
		l.rounds, l.sparkRows = 1, []int{2000, 4000}
	}
	if len(l.sparkRows) == 0 {
		l.sparkRows = []int{1_000_000, 10_000_000}
	}
	return c.End(l.run(ctx, chosen, *page))
}

func (l *lab) run(ctx context.Context, chosen []string, page string) error {
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return err
	}
	results := filepath.Join(l.out, "figures.json")
	f, err := earlier(results)
	if err != nil {
		return err
	}
	if f.Versions, err = l.versions(ctx); err != nil {
		return err
	}
	if slices.Contains(chosen, "times") {
		if f.Times, err = l.times(ctx); err != nil {
			return err
		}
	}
	if slices.Contains(chosen, "clusters") {
		if f.Clusters, err = l.clusters(ctx); err != nil {
			return err
		}
	}
	if slices.Contains(chosen, "spark") {
		if f.Spark, err = l.spark(ctx); err != nil {
			return err
		}
	}
	if slices.Contains(chosen, "files") {
		if f.Files, err = l.files(ctx); err != nil {
			return err
		}
	}
	if err := harness.WriteJSON(results, f); err != nil {
		return err
	}
	if f.before, err = harness.Sections(page); err != nil {
		return err
	}
	return atomicfile.Write(page, func(w io.Writer) error { _, err := io.WriteString(w, f.page()); return err })
}

// earlier reads the results of an earlier run, empty if there was none.
func earlier(path string) (f Figures, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// python runs one of our Python programs in the environment and decodes its last line of JSON into
// v, unless v is nil.
func (l *lab) python(ctx context.Context, program []byte, v any, args ...string) (harness.Usage, error) {
	file := filepath.Join(l.out, "program.py")
	if err := os.WriteFile(file, program, 0o666); err != nil {
		return harness.Usage{}, err
	}
	out, u, err := harness.Process(ctx, filepath.Join(l.out, "usage.json"), nil, harness.Interpreter(l.venv), append([]string{file}, args...)...)
	if err != nil || v == nil {
		return u, err
	}
	// A progress bar may precede the JSON on the same line.
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := lines[len(lines)-1]
	if err := json.Unmarshal([]byte(last[max(0, strings.Index(last, "{")):]), v); err != nil {
		return u, fmt.Errorf("%s printed %q: %w", strings.Join(args, " "), last, err)
	}
	return u, nil
}

// versions returns the versions of the measured programs.
func (l *lab) versions(ctx context.Context) (v map[string]string, err error) {
	const program = `import json, platform
from importlib.metadata import version
def of(n):
    try: return version(n)
    except Exception: return "none"
print(json.dumps({"python": platform.python_version(), **{n: of(n) for n in ("umap-learn", "numba", "pyspark", "numpy", "unfold-live", "hdbscan", "fast_hdbscan")}}))`
	_, err = l.python(ctx, []byte(program), &v)
	return v, err
}

// where describes the machine and the day of a measurement, and the share of the processors that
// other processes used.
func where(day time.Time, others float64) string {
	return fmt.Sprintf("%s, on %d cores of %s, while other processes took %.0f%% of them", day.Format("2006-01-02"), runtime.NumCPU(), runtime.GOARCH, 100*others)
}
