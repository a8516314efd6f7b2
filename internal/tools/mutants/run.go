package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"unfold/internal/par"
)

// result is the outcome for a package.
type result struct {
	Package   string
	Sites     int // number of changes that exist
	Tried     int
	Drawn     string  // how the tried changes were selected
	Ended     int     // killed changes whose tests were stopped by the timeout
	Day       string  // date of the run
	Missed    []site  // tried changes in code that the tests do not run
	Survivors []site  // other tried changes that the tests do not detect
	Seconds   float64 // processor time of the tests without a change
	// Equivalent are tried changes that no test can detect, as equivalent.txt has them.
	Equivalent []equivalent
}

func (r result) killed() int { return r.Tried - len(r.Missed) - len(r.Survivors) - len(r.Equivalent) }

// rate returns the killed percentage of the tried changes that a test could detect.
func (r result) rate() float64 {
	return 100 * float64(r.killed()) / float64(max(r.Tried-len(r.Equivalent), 1))
}

// settings of a run.
type settings struct {
	most    int            // maximum number of tried changes per package; 0: all
	seed    uint64         // seed of the sample; 0: evenly spaced changes
	only    *regexp.Regexp // pattern of the changes to try
	run     string         // pattern of the tests to run; empty: all
	limit   time.Duration  // timeout of the tests with a change
	workers int
	verbose func(format string, args ...any)
}

// try builds the tests of a package with all changes, and runs them with one change after the
// other.
func try(ctx context.Context, path string, s settings) (r result, err error) {
	r.Package = path
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(folder)
	overlay, dir, sites, err := mutate(ctx, path, folder)
	if err != nil {
		return r, err
	}
	r.Sites = len(sites)
	reasons, err := excusesOf(path, equivalentText)
	if err != nil {
		return r, err
	}
	if err := reasons.check(path, sites); err != nil {
		return r, err
	}
	program := filepath.Join(folder, "tests")
	if text, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-overlay", overlay, "-o", program, path).CombinedOutput(); err != nil {
		return r, fmt.Errorf("%s with its changes: %w\n%s", path, err, text)
	}
	t := &tests{program: program, dir: dir, limit: s.limit}
	_, busy, text := t.unchanged(ctx, s.run)
	if text != "" {
		return r, fmt.Errorf("%s fails without any change:\n%s", path, text)
	}
	r.Seconds, r.Day = busy.Seconds(), time.Now().Format(time.DateOnly)
	if err := t.look(ctx, s.run, folder); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	chosen := r.choose(sites, s)
	chosen = slices.DeleteFunc(chosen, func(k int) bool {
		if len(t.reaching(k)) > 0 {
			return false
		}
		r.Missed = append(r.Missed, sites[k])
		s.verbose("%s: not reached%s: %s", path, reasons.note(sites[k]), sites[k])
		return true
	})
	var mu sync.Mutex // guards r
	par.Do(s.workers, len(chosen), func(i int) {
		k := chosen[i]
		found := t.notice(ctx, k)
		mu.Lock()
		defer mu.Unlock()
		switch found {
		case survived:
			r.Survivors = append(r.Survivors, sites[k])
			s.verbose("%s: survived%s: %s", path, reasons.note(sites[k]), sites[k])
		case ended:
			r.Ended++
		}
		if found != survived && reasons[sites[k].key()] != "" {
			s.verbose("%s: killed, although equivalent.txt names it: %s", path, sites[k])
		}
	})
	slices.SortFunc(r.Survivors, func(a, b site) int { return strings.Compare(a.String(), b.String()) })
	r.excuse(reasons)
	return r, ctx.Err()
}

// choose returns the changes to try, by their numbers, and records how they were drawn.
func (r *result) choose(sites []site, s settings) (chosen []int) {
	for k, c := range sites {
		if s.only.MatchString(c.String()) {
			chosen = append(chosen, k)
		}
	}
	all := len(chosen)
	for i, at := range draw(all, s.most, s.seed) {
		chosen[i] = chosen[at] // at is i at least
	}
	chosen = chosen[:min(all, cmp.Or(s.most, all))]
	r.Tried = len(chosen)
	switch {
	case r.Tried == all:
		r.Drawn = fmt.Sprintf("all %d", all)
	case s.seed == 0:
		r.Drawn = fmt.Sprintf("%d at equal distances", r.Tried)
	default:
		r.Drawn = fmt.Sprintf("%d by seed %d", r.Tried, s.seed)
	}
	return chosen
}

// readHits returns the numbers in a file. A missing file has none.
func readHits(name string) (map[int]bool, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[int]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		k, err := strconv.Atoi(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[k] = true
	}
	return all, nil
}

// draw returns at most n of the numbers below all, in ascending order; n = 0 means all. They are
// evenly spaced, or sampled if seed is not 0.
func draw(all, n int, seed uint64) []int {
	if n <= 0 {
		n = all
	}
	if seed != 0 {
		out := rand.New(rand.NewPCG(seed, 0)).Perm(all)[:min(n, all)]
		slices.Sort(out)
		return out
	}
	out := make([]int, min(n, all))
	for i := range out {
		out[i] = i * all / len(out)
	}
	return out
}
