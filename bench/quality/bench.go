package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/bench/internal/harness"
)

// bench runs programs on data and stores their figures.
type bench struct {
	unfold, data, out string
	before            string // an earlier build of the program, or ""
	peers             harness.Peers

	threads int
	keep    bool
	// untimed omits the peers' warm-up runs, which are only needed for timings.
	untimed bool
	// firstSeeds is the number of maps, from the first seeds, that this run makes of a set with
	// each method.
	firstSeeds int
	// quick uses samples of the large sets and our own defaults only, and prints a table instead of
	// the page. small uses toy data.
	quick, small bool
	only, by     []string // parts and methods to measure; nil means all
	tried        []method
	missing      []dataset // data sets that are missing

	log    io.Writer
	run    string // the name of this run
	folder string // of the page's pictures
	// beside is the folder next to the page with the results from which it was made, including
	// those of other machines. It is empty for tables and toy data.
	beside  string
	results map[string]*result
}

// result is the content of a result file: one measurement.
type result struct {
	// Run is the run that made the measurement. Version and Python are those of the program.
	Run     string `json:"run"`
	Version string `json:"version"`
	Python  string `json:"python,omitempty"`
	// Input names what the map was made from, "" for the data as given.
	Input string `json:"input,omitempty"`
	// Made describes the data and the settings: see bench.made.
	Made string `json:"made"`
	// Figures are the figures by name, Errors the standard errors of those that come from samples.
	Figures map[string]float64 `json:"figures"`
	Errors  map[string]float64 `json:"errors,omitempty"`
}

func newResult() *result {
	return &result{Figures: map[string]float64{}, Errors: map[string]float64{}}
}

// Names of figures. Accuracies and errors are shares, times are in seconds.
const (
	nn1       = "nn1" // accuracy, or error for numeric targets
	nn9       = "nn9"
	test1     = "test1" // error of test rows by the training rows
	test9     = "test9"
	rnx       = "rnx"
	recall10  = "recall10"
	recall30  = "recall30"
	recall100 = "recall100"
	trust     = "trustworthiness"
	cont      = "continuity"
	shepard   = "shepard"
	triplets  = "triplets"
	centroids = "centroids"
	density   = "density"
	truth     = "truth"
	embed     = "embed"  // seconds of the embedding alone, without loading and compiling
	whole     = "whole"  // seconds from the start of the process to the written map
	em        = "em"     // seconds of EM
	place     = "place"  // seconds of placing the test rows
	differ    = "differ" // bytes of two maps that are not the same
	others    = "others" // the largest share of the processors used by other processes during the timing
)

// Parts that are not data sets.
const (
	partSplit = "split"
	partDims  = "dims"
	partSeeds = "seeds"
	partCost  = "cost"
	partTimes = "times" // everything that was timed while the machine was busy
)

// parts lists the choices of -only.
func (b *bench) parts() []string {
	var names []string
	for _, d := range b.datasets() {
		names = append(names, d.name)
	}
	return append(names, partSplit, partDims, partSeeds, partCost, partTimes)
}

func (b *bench) wants(part string) bool { return len(b.only) == 0 || slices.Contains(b.only, part) }

// skips reports whether this run skips a method.
func (b *bench) skips(m method) bool {
	return m.peer && b.peers.Skip || b.by != nil && !slices.Contains(b.by, m.key)
}

// when decides whether to measure a method that belongs to the given parts.
func (b *bench) when(m method, parts ...string) when {
	if !slices.ContainsFunc(parts, b.wants) || b.skips(m) {
		return unwanted
	}
	return wanted
}

// whenTimed is when for a measurement with times on the page.
func (b *bench) whenTimed(m method, parts ...string) when {
	when := b.when(m, parts...)
	if when == unwanted && slices.Contains(b.only, partTimes) && !b.skips(m) {
		return retimed
	}
	return when
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.log, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// measure measures the wanted parts and writes the page, or the table of what was tried. It returns
// the number of targets by verdict.
func (b *bench) measure(ctx context.Context, stdout io.Writer, page string) (map[string]int, error) {
	b.run = time.Now().UTC().Format("20060102T150405")
	if page != "" && !b.small && !b.quick && len(b.tried) == 0 {
		b.beside = filepath.Join(strings.TrimSuffix(page, ".md"), "results")
	}
	b.results = map[string]*result{}
	if err := os.MkdirAll(b.file("results"), 0o777); err != nil {
		return nil, err
	}
	if !b.peers.Skip && len(b.tried) == 0 {
		if err := b.environment(ctx); err != nil {
			return nil, err
		}
	}
	sets, err := b.prepareAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range sets {
		if err := b.maps(ctx, p); err != nil {
			return nil, err
		}
	}
	if len(b.tried) > 0 || b.quick {
		return nil, b.writeTried(stdout, sets)
	}
	if mnist := named(sets, mnistName); mnist != nil {
		if err := b.further(ctx, mnist); err != nil {
			return nil, err
		}
	}
	return b.writePage(ctx, page, sets)
}

// prepareAll prepares the existing data sets. A missing one is omitted unless -only names it.
func (b *bench) prepareAll(ctx context.Context) (sets []*prepared, err error) {
	for _, d := range b.datasets() {
		if b.quick && !b.wants(d.name) {
			continue
		}
		p, err := b.prepare(ctx, d)
		switch {
		case err == nil:
			sets = append(sets, p)
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(b.only, d.name):
			b.say("left out: %v", err)
			b.missing = append(b.missing, d)
		default:
			return nil, err
		}
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("none of the data sets is in %s", b.data)
	}
	return sets, nil
}

// named returns the data set of the given name, nil if it is missing.
func named(sets []*prepared, name string) *prepared {
	for _, p := range sets {
		if p.name == name {
			return p
		}
	}
	return nil
}

// when is a decision whether to measure.
type when int

const (
	unwanted when = iota // not measured; an earlier result is used
	retimed              // measured only if an earlier result has times of a busy machine
	wanted               // measured unless -keep allows an earlier result
	always               // always measured
)

// once returns a measurement: of this run, of an earlier run if it may be used and was made in the
// same way, or a new one, which it stores. It returns nil if there is none and none must be made.
func (b *bench) once(name, made string, when when, measure func(r *result) error) (*result, error) {
	path := b.file("results", resultName(name))
	if when < wanted || when == wanted && b.keep {
		r, err := earlierResult(path, made)
		if err == nil && r == nil && b.beside != "" {
			r, err = earlierResult(filepath.Join(b.beside, resultName(name)), made)
		}
		if err != nil || r == nil && when < wanted {
			return nil, err
		}
		if r != nil && (when != retimed || r.quiet()) {
			b.results[name] = r
			return r, nil
		}
	}
	b.say("%s", name)
	r := newResult()
	r.Run, r.Made = b.run, made
	if err := measure(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.results[name] = r
	return r, harness.WriteJSON(path, r)
}

// resultName returns the name of a result file.
func resultName(name string) string { return strings.ReplaceAll(name, "/", "-") + ".json" }

// earlierResult reads a result that was made in the given way, nil if there is none.
func earlierResult(path, made string) (*result, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	r := new(result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Made != made {
		return nil, nil
	}
	return r, nil
}

// quiet reports whether other processes used so little of the processors that the times are valid.
func (r *result) quiet() bool {
	v, known := r.Figures[others]
	return known && v <= harness.Quiet
}

// took records the share of the processors that others used during a timing.
func (r *result) took(share float64) { r.Figures[others] = max(r.Figures[others], share) }

// timed runs a program as command does and records the others' share in r.
func (b *bench) timed(ctx context.Context, r *result, name string, args ...string) ([]byte, error) {
	watch := harness.Others()
	out, own, err := b.started(ctx, name, args...)
	r.took(watch(own))
	return out, err
}

// command runs a program and returns its output.
func (b *bench) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, _, err := b.started(ctx, name, args...)
	return out, err
}

// started runs a program and returns its output and its processor time.
func (b *bench) started(ctx context.Context, name string, args ...string) (printed []byte, own time.Duration, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// file returns a path in OUT, or in the folder for quick or small runs, which must not change the
// page's results.
func (b *bench) file(parts ...string) string {
	folder := ""
	switch {
	case b.small:
		folder = "small"
	case b.quick:
		folder = "quick"
	}
	return filepath.Join(append([]string{b.out, folder}, parts...)...)
}
