package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// result is what a package's own tests found.
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
	most    int           // changes tried of each package
	limit   time.Duration // the longest that tests may take with a change; longer is killed
	workers int
	verbose func(format string, args ...any)
}

// try builds the tests of a package with all changes, and runs them with one after the other.
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
	t := tests{program: program, dir: dir}
	hits := filepath.Join(folder, "hits")
	if passed, text := t.run(ctx, 30*time.Minute, "UNFOLD_MUTANT_HITS="+hits); !passed {
		return r, fmt.Errorf("%s fails without any change:\n%s", path, text)
	}
	begin := time.Now()
	if passed, text := t.run(ctx, 30*time.Minute); !passed {
		return r, fmt.Errorf("%s fails without any change:\n%s", path, text)
	}
	usual := time.Since(begin)
	r.Seconds = usual.Seconds()
	reached, err := readHits(hits)
	if err != nil {
		return r, err
	}
	chosen := spread(len(sites), s.most)
	r.Tried = len(chosen)
	chosen = slices.DeleteFunc(chosen, func(k int) bool {
		if reached[k] {
			return false
		}
		r.Missed = append(r.Missed, sites[k])
		s.verbose("%s: not reached: %s", path, sites[k])
		return true
	})
	limit := max(s.limit, 3*usual)
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan int)
	for range s.workers {
		group.Go(func() {
			for k := range next {
				passed, _ := t.run(ctx, limit, "UNFOLD_MUTANT="+strconv.Itoa(k))
				if passed {
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

// tests is a test binary and the folder that it runs in.
type tests struct{ program, dir string }

// run runs the tests of the quick tier until the first failure.
func (t tests) run(ctx context.Context, limit time.Duration, env ...string) (passed bool, text string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	scratch, err := os.MkdirTemp("", "mutants-tests-")
	if err != nil {
		return false, err.Error()
	}
	defer os.RemoveAll(scratch)
	c := exec.CommandContext(ctx, t.program, "-test.failfast", "-test.timeout", limit.String(), "-test.parallel", "4")
	c.Dir = t.dir
	c.Env = append(os.Environ(), append(env, "UNFOLD_TESTS=quick", "RAPID_SEED=20261", "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s", "TMPDIR="+scratch)...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	return err == nil, string(out)
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

// spread returns at most n of the numbers below all, at equal distances; n = 0: all of them.
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
