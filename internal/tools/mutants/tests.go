package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tests is a test binary with its working folder.
type tests struct {
	program, dir string
	limit        time.Duration // minimum timeout of tests with a change
	leastSlow    time.Duration // minimum of slow; 0: 2 s
	all          []test        // fastest first
}

// test is one test function.
type test struct {
	name    string
	time    time.Duration
	reaches map[int]bool // numbers of the changes that it reaches
}

// together is the total duration of fast tests that run in one process. Slower tests run one by
// one.
const together = 2 * time.Second

// look runs each test separately, to find the changes that it reaches and its duration.
func (t *tests) look(ctx context.Context, pattern, folder string) error {
	list, err := exec.CommandContext(ctx, t.program, "-test.list", cmp.Or(pattern, ".")).Output()
	if err != nil {
		return fmt.Errorf("the list of tests: %w", err)
	}
	for i, name := range strings.Fields(string(list)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		hits := filepath.Join(folder, "hits"+strconv.Itoa(i))
		usual, _, text := t.unchanged(ctx, "^"+name+"$", "UNFOLD_MUTANT_HITS="+hits)
		if text != "" {
			return fmt.Errorf("%s fails without any change:\n%s", name, text)
		}
		one := test{name: name, time: usual}
		if one.reaches, err = readHits(hits); err != nil {
			return err
		}
		t.all = append(t.all, one)
	}
	slices.SortStableFunc(t.all, func(a, b test) int { return cmp.Compare(a.time, b.time) })
	return nil
}

// reaching returns the tests that reach change k, the fastest first.
func (t *tests) reaching(k int) (out []test) {
	for _, one := range t.all {
		if one.reaches[k] {
			out = append(out, one)
		}
	}
	return out
}

// verdict is the result of tests with a change.
type verdict int

const (
	survived verdict = iota
	killed
	ended // killed: the tests were stopped by the timeout
)

// notice runs the tests that reach change k, because no others can detect it, and returns their
// verdict.
func (t *tests) notice(ctx context.Context, k int) verdict {
	var batch []string
	var usual time.Duration
	look := func() verdict {
		found := t.judge(ctx, "^("+strings.Join(batch, "|")+")$", usual, "UNFOLD_MUTANT="+strconv.Itoa(k))
		batch, usual = nil, 0
		return found
	}
	for _, one := range t.reaching(k) {
		if len(batch) > 0 && usual+one.time > together {
			if found := look(); found != survived {
				return found
			}
		}
		batch, usual = append(batch, one.name), usual+one.time
	}
	if len(batch) == 0 {
		return survived
	}
	return look()
}

// judge runs tests with a change. usual is their duration without one. A failure after a much
// longer time may be caused by a busy machine. Then the tests must pass quickly without the change
// directly afterwards to confirm it. If they pass as slowly, tests that failed by themselves must
// fail again.
func (t *tests) judge(ctx context.Context, pattern string, usual time.Duration, change string) verdict {
	confirmed := 0
	for limit := max(t.limit, 5*usual); ; limit *= 2 {
		begin := time.Now()
		passed, _, _ := t.run(ctx, pattern, limit, change)
		took := time.Since(begin)
		if passed {
			return survived
		}
		found := killed
		if took >= limit {
			found = ended
		}
		if found == killed && took < t.slow(usual) {
			return found
		}
		begin = time.Now()
		if passed, _, _ := t.run(ctx, pattern, limit); passed {
			if time.Since(begin) < took/3 {
				return found
			}
			if found == killed {
				if confirmed++; confirmed == 2 {
					return found
				}
			}
		}
		if limit > 8*max(t.limit, 5*usual) || ctx.Err() != nil {
			return survived // the cause is unknown
		}
	}
}

// slow returns the minimum duration of tests that fail because they wait in vain.
func (t *tests) slow(usual time.Duration) time.Duration {
	return max(cmp.Or(t.leastSlow, 2*time.Second), 3*usual)
}

// unchanged runs tests without a change. It returns their duration and processor time, or the text
// of their failure. On a busy machine it retries.
func (t *tests) unchanged(ctx context.Context, pattern string, env ...string) (took, busy time.Duration, text string) {
	for range 3 {
		begin := time.Now()
		passed, busy, out := t.run(ctx, pattern, 30*time.Minute, env...)
		if passed {
			return time.Since(begin), busy, ""
		}
		text = out + "\nfailed"
	}
	return 0, 0, text
}

// run runs tests of the quick tier until the first failure; an empty pattern names all. busy is the
// processor time of the tests.
func (t *tests) run(ctx context.Context, pattern string, limit time.Duration, env ...string) (passed bool, busy time.Duration, text string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	scratch, err := os.MkdirTemp("", "mutants-tests-")
	if err != nil {
		return false, 0, err.Error()
	}
	defer os.RemoveAll(scratch)
	c := exec.CommandContext(ctx, t.program, "-test.failfast", "-test.timeout", limit.String(), "-test.parallel", "4", "-test.run", pattern)
	c.Dir = t.dir
	// Failing properties are neither shrunk nor saved.
	c.Env = append(os.Environ(), append(env, "UNFOLD_TESTS=quick", "RAPID_SEED=20261", "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s", "TMPDIR="+scratch)...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if c.ProcessState != nil { // else they were not started
		busy = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return err == nil, busy, string(out)
}
