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

// tests is a test binary and its working folder.
type tests struct {
	program, dir string
	limit        time.Duration // the least at which tests with a change are ended
	all          []test        // the quickest first
}

// test is one test function.
type test struct {
	name    string
	time    time.Duration
	reaches map[int]bool // numbers of changes
}

// together is the total time of quick tests that are run as one program; slower ones are run one by
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
		hits, begin := filepath.Join(folder, "hits"+strconv.Itoa(i)), time.Now()
		if passed, text := t.run(ctx, "^"+name+"$", 30*time.Minute, "UNFOLD_MUTANT_HITS="+hits); !passed {
			return fmt.Errorf("%s fails without any change:\n%s", name, text)
		}
		one := test{name: name, time: time.Since(begin)}
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

// notice reports whether a test fails or times out with change k. It only runs tests that reach the
// change.
func (t *tests) notice(ctx context.Context, k int) bool {
	var batch []string
	var sum time.Duration
	fails := func() bool {
		passed, _ := t.run(ctx, "^("+strings.Join(batch, "|")+")$", max(t.limit, 5*sum), "UNFOLD_MUTANT="+strconv.Itoa(k))
		batch, sum = nil, 0
		return !passed
	}
	for _, one := range t.reaching(k) {
		if len(batch) > 0 && sum+one.time > together {
			if fails() {
				return true
			}
		}
		batch, sum = append(batch, one.name), sum+one.time
	}
	return len(batch) > 0 && fails()
}

// run runs tests of the quick tier until the first failure; an empty pattern names all.
func (t *tests) run(ctx context.Context, pattern string, limit time.Duration, env ...string) (passed bool, text string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	scratch, err := os.MkdirTemp("", "mutants-tests-")
	if err != nil {
		return false, err.Error()
	}
	defer os.RemoveAll(scratch)
	c := exec.CommandContext(ctx, t.program, "-test.failfast", "-test.timeout", limit.String(), "-test.parallel", "4", "-test.run", pattern)
	c.Dir = t.dir
	// Failing properties are neither shrunk nor saved.
	c.Env = append(os.Environ(), append(env, "UNFOLD_TESTS=quick", "RAPID_SEED=20261", "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s", "TMPDIR="+scratch)...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	return err == nil, string(out)
}
