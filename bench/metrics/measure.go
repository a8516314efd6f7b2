package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/internal/simd"
	"unfold/sparse/knn"
)

//go:embed requirements.txt
var requirements []byte

//go:embed peers.py
var program []byte

const (
	// neighbors is the number of neighbours per search, sampled the number of rows for which they
	// are compared.
	neighbors = 15
	sampled   = 1000
	// scored is the number of points whose neighbourhoods on the map are compared with the data.
	scored = 2000

	own  = "unfold"
	umap = "umap-learn"
)

// bench is a run of this command.
type bench struct {
	unfold, data, out string
	peers             harness.Peers
	threads, rounds   int
	say               func(format string, args ...any)
	log               io.Writer
}

// set is a data set with the metrics to measure. The first is the Euclidean one.
type set struct {
	key, title, file string
	metrics          []ingest.Metric
	// bits is the file of the same rows as bits.
	bits string
	// columns are the columns of a table's vector, or "".
	columns string
}

var sets = []set{
	{
		key: "usps", title: "USPS digits, grey", file: "usps.npy",
		metrics: []ingest.Metric{ingest.Euclidean, ingest.Cosine, ingest.Correlation, ingest.Hellinger, ingest.Manhattan, ingest.Chebyshev},
	},
	{
		key: "mnist", title: "MNIST digits, grey, and of 0 and 1 for hamming and jaccard", file: "mnist.npy", bits: "mnist-bits.npy",
		metrics: []ingest.Metric{ingest.Euclidean, ingest.Cosine, ingest.Hamming, ingest.Jaccard},
	},
	{
		key: "stations", title: "Weather stations, latitude and longitude", file: "stations.csv", columns: "lat,lon",
		metrics: []ingest.Metric{ingest.Euclidean, ingest.Haversine},
	},
}

func keys() (out []string) {
	for _, s := range sets {
		out = append(out, s.key)
	}
	return out
}

// maps reports whether maps of the set for a metric are made, unless an earlier set has them.
func (s set) maps(m ingest.Metric) bool {
	for _, earlier := range sets {
		if earlier.key == s.key {
			break
		}
		if slices.Contains(earlier.metrics, m) {
			return false
		}
	}
	return true
}

// path returns the file of the set's rows for a metric.
func (b *bench) path(s set, m ingest.Metric) string {
	if s.bits != "" && (m == ingest.Hamming || m == ingest.Jaccard) {
		return filepath.Join(b.out, s.bits)
	}
	return filepath.Join(b.out, s.file)
}

// results are the content of the page.
type results struct {
	Machine  string            `json:"machine"`
	Rounds   int               `json:"rounds"`
	Threads  int               `json:"threads"`
	Versions map[string]string `json:"versions"`
	Sets     map[string][]line `json:"sets"`
}

// line are the results of a set for a metric.
type line struct {
	Metric     ingest.Metric `json:"metric"`
	Rows, Cols int
	// Recall is the share of listed rows that are as near as the true last neighbour.
	Recall float64 `json:"recall"`
	// Read and Search are processor seconds of one thread: from the file to rows prepared for the
	// metric, and for all lists. Brute is scipy's time per list.
	Read   float64 `json:"read"`
	Search float64 `json:"search"`
	Brute  float64 `json:"brute"`
	// Maps are ours and umap-learn's.
	Maps []quality `json:"maps"`
}

// quality is the cost and the quality of a map.
type quality struct {
	Program string `json:"program"`
	// CPU is the processor time in seconds: of our whole process, or of umap-learn's call that
	// makes the map.
	CPU   float64 `json:"cpu"`
	RNX   float64 `json:"rnx"`
	Trust float64 `json:"trustworthiness"`
	One   float64 `json:"one"`
	Nine  float64 `json:"nine"`
}

// readResults reads earlier results, empty if the file does not exist.
func readResults(path string) (*results, error) {
	r := &results{Versions: map[string]string{}, Sets: map[string][]line{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// measure replaces the results of the chosen sets and stores them in the file path.
func (b *bench) measure(ctx context.Context, r *results, chosen []string, path string) error {
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err := b.peers.Make(ctx, b.out, requirements, b.say, func(ctx context.Context, name string, args ...string) error {
		_, err := harness.Output(ctx, b.log, name, args...)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.out, "peers.py"), program, 0o666); err != nil {
		return err
	}
	if _, _, err := b.ask(ctx, r, "sets", b.data, b.out); err != nil {
		return err
	}
	r.Machine = fmt.Sprintf("%s/%s, %s, %v, %d cores", runtime.GOOS, runtime.GOARCH, runtime.Version(), simd.Best(), runtime.NumCPU())
	r.Rounds, r.Threads = b.rounds, b.threads
	for _, s := range sets {
		if !slices.Contains(chosen, s.key) {
			continue
		}
		lines, err := b.set(ctx, r, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.key, err)
		}
		r.Sets[s.key] = lines
		if err := harness.WriteJSON(path, r); err != nil {
			return err
		}
	}
	return nil
}

// set measures a set for all its metrics: interleaved searches, then maps.
func (b *bench) set(ctx context.Context, r *results, s set) ([]line, error) {
	lines, lists := make([]line, len(s.metrics)), make([]*knn.Neighbors, len(s.metrics))
	for range b.rounds {
		for k, m := range s.metrics {
			var err error
			if lists[k], err = b.search(ctx, s, m, &lines[k]); err != nil {
				return nil, fmt.Errorf("%s: %w", m, err)
			}
		}
	}
	for k, m := range s.metrics {
		if err := b.judge(ctx, r, s, m, lists[k], &lines[k]); err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
	}
	return lines, b.maps(ctx, r, s, lines)
}

// search finds the lists of all rows and keeps the least times.
func (b *bench) search(ctx context.Context, s set, m ingest.Metric, l *line) (nb *knn.Neighbors, err error) {
	mapping := ingest.Mapping{Metric: m}
	if s.columns != "" {
		for name := range strings.SplitSeq(s.columns, ",") {
			mapping.Columns = append(mapping.Columns, ingest.ColumnSpec{Name: name})
		}
	}
	var d *ingest.Dataset
	read, err := timed(func() (err error) {
		d, err = ingest.ReadAll(ctx, []string{b.path(s, m)}, ingest.ReadOptions{Mapping: mapping})
		return err
	})
	if err != nil {
		return nil, err
	}
	search, err := timed(func() (err error) {
		nb, err = knn.Graph(ctx, d.X, neighbors, knn.Settings{Threads: 1, Distance: m.Distance()})
		return err
	})
	if l.Metric == "" {
		*l = line{Metric: m, Rows: d.X.Rows, Cols: d.X.Cols, Read: read, Search: search}
	}
	l.Read, l.Search = min(l.Read, read), min(l.Search, search)
	return nb, err
}

// timed returns the processor time of f in seconds. It first collects the garbage of earlier work.
func timed(f func() error) (float64, error) {
	runtime.GC()
	before := harness.CPUSeconds()
	err := f()
	return harness.CPUSeconds() - before, err
}

// judge lets scipy compare some lists with all distances.
func (b *bench) judge(ctx context.Context, r *results, s set, m ingest.Metric, nb *knn.Neighbors, l *line) error {
	var q struct {
		Rows  []int     `json:"rows"`
		Lists [][]int32 `json:"lists"`
	}
	for i := range min(sampled, nb.N) {
		row := i * nb.N / min(sampled, nb.N)
		index, _ := nb.Row(row)
		q.Rows, q.Lists = append(q.Rows, row), append(q.Lists, index)
	}
	path := filepath.Join(b.out, "lists.json")
	if err := harness.WriteJSON(path, q); err != nil {
		return err
	}
	a, _, err := b.ask(ctx, r, "lists", b.path(s, m), string(m), path)
	l.Recall, l.Brute = a.Recall, a.Seconds
	return err
}

// answer is the output of peers.py.
type answer struct {
	Recall, Seconds float64
	Maps            []float64
	Versions        map[string]string
}

// ask runs a task of peers.py in a process.
func (b *bench) ask(ctx context.Context, r *results, args ...string) (a answer, u harness.Usage, err error) {
	args = append([]string{filepath.Join(b.out, "peers.py")}, args...)
	out, u, err := b.process(ctx, harness.Interpreter(b.peers.Dir(b.out)), args...)
	if err != nil {
		return a, u, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &a); err != nil {
		return a, u, fmt.Errorf("peers.py printed %q: %w", out, err)
	}
	maps.Copy(r.Versions, a.Versions)
	return a, u, nil
}

func (b *bench) process(ctx context.Context, name string, args ...string) (string, harness.Usage, error) {
	b.say("%s %s %s", time.Now().Format("15:04:05"), filepath.Base(name), strings.Join(args, " "))
	return harness.Process(ctx, filepath.Join(b.out, "usage.json"), nil, name, args...)
}
