package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// result is the outcome for a package.
type result struct {
	Package   string
	Sites     int // changes that there are
	Tried     int
	Missed    []site  // tried changes at places that the tests do not run
	Survivors []site  // other tried changes that the tests do not notice
	Seconds   float64 // of a run of the tests without a change
}

func (r result) killed() int { return r.Tried - len(r.Missed) - len(r.Survivors) }

// settings of a run.
type settings struct {
	most    int            // changes tried of each package
	only    *regexp.Regexp // changes that may be tried
	run     string         // pattern of the tests that are run; empty: all
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
	program := filepath.Join(folder, "tests")
	if text, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-c", "-overlay", overlay, "-o", program, path).CombinedOutput(); err != nil {
		return r, fmt.Errorf("%s with its changes: %w\n%s", path, err, text)
	}
	t := &tests{program: program, dir: dir, limit: s.limit}
	begin := time.Now()
	if passed, text := t.run(ctx, s.run, 30*time.Minute); !passed {
		return r, fmt.Errorf("%s fails without any change:\n%s", path, text)
	}
	r.Seconds = time.Since(begin).Seconds()
	if err := t.look(ctx, s.run, folder); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	var chosen []int
	for k, c := range sites {
		if s.only.MatchString(c.String()) {
			chosen = append(chosen, k)
		}
	}
	for i, at := range spread(len(chosen), s.most) {
		chosen[i] = chosen[at]
	}
	chosen = chosen[:min(len(chosen), cmp.Or(s.most, len(chosen)))]
	r.Tried = len(chosen)
	chosen = slices.DeleteFunc(chosen, func(k int) bool {
		if len(t.reaching(k)) > 0 {
			return false
		}
		r.Missed = append(r.Missed, sites[k])
		s.verbose("%s: not reached: %s", path, sites[k])
		return true
	})
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan int)
	for range s.workers {
		group.Go(func() {
			for k := range next {
				if !t.notice(ctx, k) {
					mu.Lock()
					r.Survivors = append(r.Survivors, sites[k])
					s.verbose("%s: survived: %s", path, sites[k])
					mu.Unlock()
				}
			}
		})
	}
	for _, k := range chosen {
		next <- k
	}
	close(next)
	group.Wait()
	slices.SortFunc(r.Survivors, func(a, b site) int { return strings.Compare(a.String(), b.String()) })
	return r, ctx.Err()
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

// spread returns at most n evenly spaced numbers below all; n = 0 means all of them.
func spread(all, n int) []int {
	if n <= 0 {
		n = all
	}
	out := make([]int, min(n, all))
	for i := range out {
		out[i] = i * all / len(out)
	}
	return out
}
