package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/simd"
)

// Every figure is measured this number of times, unless its measurements take longer than the
// limit.
const (
	rounds   = 3
	patience = 10 * time.Minute
)

// bench measures rows and stores their records.
type bench struct {
	unfold, data, out string
	peers             harness.Peers

	threads     int
	keep, small bool
	only        []string
	noPeers     bool // their environment could not be made

	log     io.Writer
	run     string // names this run
	version string // of the program
	records map[string]*record
	before  before  // the present page, for rows that are not measured
	digits  *digits // loaded when a row asks
}

// row is one question to measure, with its targets.
type row struct {
	key, title string
	// about describes the measurement.
	about   string
	targets []target
	measure func(ctx context.Context, b *bench, r *record) error
	// asked is true for a row that takes most of an hour and is measured only on request.
	asked bool
}

// rows returns all rows in the order of the page.
func rows() []row {
	return slices.Concat([]row{
		wholeRow(),
		spaceRow(),
		pcaRow(),
		knnRow(),
		bitsRow(),
		textsRow(),
		graphRow(),
		liveRow(),
		clustersRow(),
		hnswRow(),
		treeRow(),
		passRow(),
		systemsRow(),
		eigenRow(),
		gplvmRow(),
		lllvmRow(),
		epRow(),
		textbookRow(),
		placeRow(),
		startRow(),
		deliverRow(),
	}, singleRows(), []row{
		decodeRow(),
		recordsRow(),
		threadsRow(),
		millionRow(),
		tenMillionRow(),
		higgsRow(),
		manyPlacedRow(),
		sizesRow(),
		scalingRow(),
		sparseRow(),
		kernelsRow(),
	})
}

func keys() (out []string) {
	for _, r := range rows() {
		out = append(out, r.key)
	}
	return out
}

// unavailable is the error of a row that cannot be measured here.
type unavailable string

func (u unavailable) Error() string { return string(u) }

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.log, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// measure measures the wanted rows and writes the page. It returns the number of targets by
// verdict.
func (b *bench) measure(ctx context.Context, page string) (map[string]int, error) {
	b.run = time.Now().UTC().Format("20060102T150405")
	b.records = map[string]*record{}
	if err := os.MkdirAll(b.file("results"), 0o777); err != nil {
		return nil, err
	}
	var err error
	if b.version, err = b.ownVersion(ctx); err != nil {
		return nil, err
	}
	if !b.peers.Skip {
		if err := b.environment(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			b.say("no peer is measured: %v", err)
			b.peers.Skip, b.noPeers = true, true
		}
	}
	if b.before, err = readBefore(page); err != nil {
		return nil, err
	}
	if len(b.only) == 0 {
		b.before = b.before.asked()
	}
	machine := thisMachine(b.threads)
	for _, w := range rows() {
		if err := b.one(ctx, w); err != nil {
			return nil, fmt.Errorf("%s: %w", w.key, err)
		}
	}
	text, verdicts := b.page(machine)
	if err := os.MkdirAll(filepath.Dir(page), 0o777); err != nil {
		return nil, err
	}
	if r := b.records[sizesKey]; r != nil && len(r.Series) > 0 {
		if err := drawSizes(r, filepath.Join(filepath.Dir(page), sizesPicture)); err != nil {
			return nil, err
		}
	}
	return verdicts, harness.WritePage(page, text)
}

// one returns the record of a row: an earlier one if that may be used, or a new one.
func (b *bench) one(ctx context.Context, w row) error {
	path := b.file("results", w.key+".json")
	made := fmt.Sprintf("%s; %d threads, small %v, peers %v", b.version, b.threads, b.small, !b.peers.Skip)
	wanted := len(b.only) == 0 && (!w.asked || b.small) || slices.Contains(b.only, w.key)
	if !wanted || b.keep {
		old, err := readRecord(path)
		if err != nil {
			return err
		}
		if old != nil && old.Made == made {
			b.records[w.key] = old
			return nil
		}
	}
	if !wanted {
		return nil
	}
	b.say("%s", w.title)
	r := &record{Run: b.run, Made: made, Versions: map[string]string{own: b.version}}
	begin := time.Now()
	r.When = begin.UTC().Format(time.DateOnly) + ", " + simd.Best().String()
	err := w.measure(ctx, b, r)
	r.Took = time.Since(begin).Seconds()
	var cannot unavailable
	if errors.As(err, &cannot) {
		r.miss("%s", cannot)
	} else if err != nil {
		return err
	}
	b.records[w.key] = r
	return harness.WriteJSON(path, r)
}

// readRecord reads a row's file, nil if there is none.
func readRecord(path string) (*record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := new(record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// timed runs f for the number of rounds and records its seconds.
func (b *bench) timed(r *record, what string, f func() error) error {
	begin := time.Now()
	for range b.size(rounds, 1) {
		runtime.GC()
		clock := time.Now()
		if err := f(); err != nil {
			return err
		}
		r.add(own, what, seconds, time.Since(clock).Seconds())
		if time.Since(begin) > patience {
			break
		}
	}
	return nil
}

// size returns n, or small with -small.
func (b *bench) size(n, small int) int {
	if b.small {
		return small
	}
	return n
}

func (b *bench) file(parts ...string) string {
	return filepath.Join(append([]string{b.out}, parts...)...)
}
