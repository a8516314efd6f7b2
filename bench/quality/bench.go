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

// bench runs programs on data and keeps their figures.
type bench struct {
	unfold, data, out string
	before            string // an earlier build of the program, or ""
	peers             harness.Peers

	threads int
	keep    bool
	// untimed leaves out the peers' rehearsals, which only their times need.
	untimed bool
	// firstSeeds are how many maps of a method this run makes of a set, the first.
	firstSeeds int
	// quick takes samples of the large sets, our own defaults and a table instead of
	// the page; small takes toy data.
	quick, small bool
	only, by     []string // parts and methods that are measured; nil is all
	tried        []method
	missing      []dataset // whose data are not there

	log    io.Writer
	run    string // names this run
	folder string // of the page's pictures, beside it
	// beside is the folder beside the page that holds the results it was made of: those of
	// machines that had an OUT of their own. None for tables and toys.
	beside  string
	results map[string]*result
}

// result is one measurement, as its file holds it.
type result struct {
	// Run names the run that measured it, Version and Python the program's.
	Run     string `json:"run"`
	Version string `json:"version"`
	Python  string `json:"python,omitempty"`
	// Made says of what, by which settings: see bench.made.
	Made string `json:"made"`
	// Figures by the names below, and the standard errors of those that are of samples.
	Figures map[string]float64 `json:"figures"`
	Errors  map[string]float64 `json:"errors,omitempty"`
}

func newResult() *result {
	return &result{Figures: map[string]float64{}, Errors: map[string]float64{}}
}

// Names of figures. Accuracies and errors are shares, times seconds.
const (
	nn1       = "nn1" // accuracy, or the error of known numbers
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
	embed     = "embed"  // seconds of the embedding alone, everything loaded and compiled
	whole     = "whole"  // seconds from the start of the process to the written map
	em        = "em"     // seconds of EM
	place     = "place"  // seconds of placing the test rows
	differ    = "differ" // bytes of two maps that are not the same
	others    = "others" // the share of the processors that other processes took while it was timed, the most
)

// Parts that are no data sets.
const (
	partSplit      = "split"
	partDims       = "dims"
	partSeeds      = "seeds"
	partLikelihood = "likelihood"
	partCost       = "cost"
	partTimes      = "times" // all that was timed while the machine was busy
)

// parts names all that -only can choose.
func (b *bench) parts() []string {
	var names []string
	for _, d := range b.datasets() {
		names = append(names, d.name)
	}
	return append(names, partSplit, partDims, partSeeds, partLikelihood, partCost, partTimes)
}

func (b *bench) wants(part string) bool { return len(b.only) == 0 || slices.Contains(b.only, part) }

// skips reports whether this run measures nothing of a method.
func (b *bench) skips(m method) bool {
	return m.peer && b.peers.Skip || b.by != nil && !slices.Contains(b.by, m.key)
}

// when reports whether a method is to be measured that belongs to any of the parts.
func (b *bench) when(m method, parts ...string) when {
	if !slices.ContainsFunc(parts, b.wants) || b.skips(m) {
		return unwanted
	}
	return wanted
}

// whenTimed is when for a measurement whose times the page shows.
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

// measure measures all parts that are wanted and writes the page, or the table of
// what was tried. It returns the number of targets by verdict.
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
	if err := b.study(ctx, sets); err != nil {
		return nil, err
	}
	return b.writePage(ctx, page, sets)
}

// prepareAll prepares the data sets that are there. One that is missing is left
// out, unless -only names it.
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

// named returns the data set of a name, nil if it is not there.
func named(sets []*prepared, name string) *prepared {
	for _, p := range sets {
		if p.name == name {
			return p
		}
	}
	return nil
}

// when says whether a measurement is to be made.
type when int

const (
	unwanted when = iota // not in this run; an earlier one is used
	retimed              // not in this run, unless an earlier one has times of a busy machine
	wanted               // yes, unless -keep allows an earlier one
	always               // yes
)

// once returns a measurement: one of this run, one that an earlier run left if it
// may be used and was made in the same way, or else what measuring gives, which it
// keeps. It is nil if there is none and none is to be made.
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

// resultName is the name of the file that holds a result.
func resultName(name string) string { return strings.ReplaceAll(name, "/", "-") + ".json" }

// earlierResult reads a result that was made in this way; it is nil if there is none.
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

// quiet reports whether other processes took so little while it was timed that the
// times say something.
func (r *result) quiet() bool {
	v, known := r.Figures[others]
	return known && v <= harness.Quiet
}

// took notes how much others took of the processors while it was timed.
func (r *result) took(share float64) { r.Figures[others] = max(r.Figures[others], share) }

// timed runs a program as command does and notes in r what others took meanwhile.
func (b *bench) timed(ctx context.Context, r *result, name string, args ...string) ([]byte, error) {
	watch := harness.Others()
	out, own, err := b.started(ctx, name, args...)
	r.took(watch(own))
	return out, err
}

// command runs a program and returns what it prints.
func (b *bench) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, _, err := b.started(ctx, name, args...)
	return out, err
}

// started runs a program and returns what it prints and the processor time that it took.
func (b *bench) started(ctx context.Context, name string, args ...string) (printed []byte, own time.Duration, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// file is a path in OUT, or in the folder there of quick or small runs, which leave
// those of the page alone.
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
