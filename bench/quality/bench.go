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
)

// bench runs programs on data and keeps their figures.
type bench struct {
	unfold, data, out, python, venv string

	threads         int
	keep, skipPeers bool
	only            []string
	tried           []method

	log     io.Writer
	run     string // names this run
	folder  string // of the page's pictures, beside it
	results map[string]*result
}

// result is one measurement, as its file holds it.
type result struct {
	// Run names the run that measured it, Version the program's.
	Run     string `json:"run"`
	Version string `json:"version"`
	// Figures by the names below.
	Figures map[string]float64 `json:"figures"`
}

// Names of figures. Accuracies and errors are shares, times seconds.
const (
	nn1       = "nn1" // accuracy, or the error of known numbers
	nn9       = "nn9"
	trust     = "trustworthiness"
	cont      = "continuity"
	shepard   = "shepard"
	triplets  = "triplets"
	centroids = "centroids"
	truth     = "truth"
	embed     = "embed" // seconds of the embedding alone, everything loaded and compiled
	whole     = "whole" // seconds from the start of the process to the written map
	em        = "em"    // seconds of EM
	place     = "place" // seconds of placing the test rows
)

// Parts that are no data sets.
const (
	partSplit      = "split"
	partDims       = "dims"
	partSeeds      = "seeds"
	partLikelihood = "likelihood"
)

// parts names all that -only can choose.
func (b *bench) parts() []string {
	var names []string
	for _, d := range datasets(b.venv) {
		names = append(names, d.name)
	}
	return append(names, partSplit, partDims, partSeeds, partLikelihood)
}

func (b *bench) wants(part string) bool { return len(b.only) == 0 || slices.Contains(b.only, part) }

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.log, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// measure measures all parts that are wanted and writes the page, or the table of
// what was tried. It returns how many bars are missed.
func (b *bench) measure(ctx context.Context, stdout io.Writer, page string) (missed int, err error) {
	b.run = time.Now().UTC().Format("20060102T150405")
	b.results = map[string]*result{}
	if err := os.MkdirAll(filepath.Join(b.out, "results"), 0o777); err != nil {
		return 0, err
	}
	if err := b.environment(ctx); err != nil {
		return 0, err
	}
	var sets []*prepared
	for _, d := range datasets(b.venv) {
		p, err := b.prepare(ctx, d)
		if err != nil {
			return 0, err
		}
		sets = append(sets, p)
	}
	for _, p := range sets {
		if err := b.maps(ctx, p); err != nil {
			return 0, err
		}
	}
	if len(b.tried) > 0 {
		return 0, b.writeTried(stdout, sets)
	}
	if err := b.further(ctx, sets[0]); err != nil {
		return 0, err
	}
	if err := b.study(ctx, sets); err != nil {
		return 0, err
	}
	return b.writePage(ctx, page, sets)
}

// once returns a measurement: one of this run, one that an earlier run left if it
// may be used, or else what measuring gives, which it keeps. It is nil if there is
// none and the part is not wanted.
func (b *bench) once(name string, wanted bool, measure func(r *result) error) (*result, error) {
	path := filepath.Join(b.out, "results", strings.ReplaceAll(name, "/", "-")+".json")
	if b.keep || !wanted {
		text, err := os.ReadFile(path)
		if err == nil {
			r := new(result)
			if err := json.Unmarshal(text, r); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			b.results[name] = r
			return r, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if !wanted {
		return nil, nil
	}
	b.say("%s", name)
	r := &result{Run: b.run, Figures: map[string]float64{}}
	if err := measure(r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.results[name] = r
	return r, writeJSON(path, r)
}

// command runs a program and returns what it prints.
func (b *bench) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	return out.Bytes(), nil
}

func (b *bench) file(parts ...string) string {
	return filepath.Join(append([]string{b.out}, parts...)...)
}
