package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// bench is a run of this command.
type bench struct {
	data   string
	small  bool
	rounds int
	resume bool
	say    func(format string, args ...any)

	digits map[int]vec.Matrix[float32] // by dimension
}

// smallRows is the largest number of rows of a small run, whose figures have no meaning.
const smallRows = 600

// neighbors is the number of neighbours per search.
const neighbors = 15

// part is a group of cases that the page shows in one table.
type part struct {
	key     string
	cases   []set
	methods []string
	measure func(b *bench, ctx context.Context, s set, l *line, method string) error
}

func parts() []part {
	return []part{graphs(), indexes(), changes()}
}

func keys() (out []string) {
	for _, p := range parts() {
		out = append(out, p.key)
	}
	return out
}

// line are the results of one method in one case.
type line struct {
	Part   string `json:"part"`
	Data   string `json:"data"`
	N      int    `json:"n"`
	Dim    int    `json:"dim"`
	Method string `json:"method"`
	// Chosen is true if the program chooses this method by default.
	Chosen bool `json:"chosen"`
	// Figures are the least values of all rounds.
	Figures map[string]float64 `json:"figures"`
}

// of reports whether the line belongs to a data set.
func (l line) of(s set) bool { return l.Data == s.data && l.N == s.n && l.Dim == s.dim }

// least keeps the smaller of two measurements.
func (l *line) least(name string, v float64) {
	if old, ok := l.Figures[name]; !ok || v < old {
		l.Figures[name] = v
	}
}

// results of a run.
type results struct {
	Machine string `json:"machine"`
	// Small is true for a small run, which may lack figures that the page's text needs.
	Small  bool   `json:"small,omitempty"`
	Rounds int    `json:"rounds"`
	Lines  []line `json:"lines"`
}

// measure replaces the chosen parts of the results in a file.
func (b *bench) measure(ctx context.Context, path string, chosen []string) (*results, error) {
	res := &results{}
	switch text, err := os.ReadFile(path); {
	case err == nil:
		if err := json.Unmarshal(text, res); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for _, p := range parts() {
		if !slices.Contains(chosen, p.key) {
			continue
		}
		res.Machine = fmt.Sprintf("%s/%s, %s, %v", runtime.GOOS, runtime.GOARCH, runtime.Version(), simd.Best())
		res.Rounds, res.Small = b.rounds, b.small
		if !b.resume {
			res.Lines = slices.DeleteFunc(res.Lines, func(l line) bool { return l.Part == p.key })
		}
		methods := p.methods
		for _, s := range p.cases {
			p.methods = slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
				return slices.ContainsFunc(res.Lines, func(l line) bool { return l.Part == p.key && l.of(s) && l.Method == m })
			})
			lines, err := b.one(ctx, p, s)
			if err != nil {
				return nil, fmt.Errorf("%s, %v: %w", p.key, s, err)
			}
			res.Lines = append(res.Lines, lines...)
			if err := harness.WriteJSON(path, res); err != nil {
				return nil, err
			}
		}
	}
	return res, nil
}

// one measures all methods of a case, interleaved.
func (b *bench) one(ctx context.Context, p part, s set) ([]line, error) {
	lines := make([]line, len(p.methods))
	for m, method := range p.methods {
		lines[m] = line{Part: p.key, Data: s.data, N: s.n, Dim: s.dim, Method: method, Figures: map[string]float64{}}
	}
	if b.small {
		s.n, s.dim = min(s.n, smallRows), min(s.dim, 50)
	}
	began := time.Now()
	for round := range b.rounds {
		if round > 0 && s.once {
			break
		}
		for m := range lines {
			if err := p.measure(b, ctx, s, &lines[m], lines[m].Method); err != nil {
				return nil, fmt.Errorf("%s: %w", lines[m].Method, err)
			}
		}
	}
	b.say("%s, %v: %.0f s", p.key, s, time.Since(began).Seconds())
	return slices.DeleteFunc(lines, func(l line) bool { return len(l.Figures) == 0 }), nil
}

// timed returns the processor and wall-clock time of f in seconds. It first collects the garbage of
// earlier work.
func timed(f func() error) (cpu, wall float64, err error) {
	runtime.GC()
	clock, before := time.Now(), harness.CPUSeconds()
	err = f()
	return harness.CPUSeconds() - before, time.Since(clock).Seconds(), err
}

// oneThread is for measuring processor time, twoThreads for wall-clock time.
var oneThread, twoThreads = knn.Settings{Threads: 1}, knn.Settings{Threads: 2}
