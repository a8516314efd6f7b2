package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// runner runs go test in all modules.
type runner struct {
	flags, env, packages []string
	budgets              map[string]budget
	all                  bool // the full tier
	out                  io.Writer
	results              *results
}

// event is a line of go test -json (go doc test2json, and go help buildjson for builds).
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string
	Elapsed                       float64
}

// run returns an error if go test itself could not be run; failing tests are in the results.
func (r *runner) run(ctx context.Context) error {
	if len(r.packages) > 0 {
		return r.module(ctx, ".", r.packages)
	}
	first := longest(r.budgets, r.all)
	var err error
	for _, dir := range modules {
		if ctx.Err() == nil {
			err = errors.Join(err, r.module(ctx, dir, append(first[dir], "./...")))
		}
	}
	return err
}

// modules are the folders of the modules, in the order in which they are tested.
var modules = []string{".", "bench", "internal/asm"}

// moduleOf returns the folder of the module that a package belongs to.
func moduleOf(pkg string) string {
	for _, dir := range modules[1:] {
		if strings.Contains(pkg+"/", "/"+dir+"/") { // whatever the path of the module is (make module-path)
			return dir
		}
	}
	return "."
}

// longest returns the packages that have budgets, the longest first, by the folder of their module.
// go test begins packages in the order of its arguments, so that no long one is left to run alone at
// the end.
func longest(budgets map[string]budget, all bool) map[string][]string {
	seconds := func(name string) float64 {
		if all {
			return budgets[name].all
		}
		return budgets[name].quick
	}
	names := slices.SortedFunc(maps.Keys(budgets), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds(b), seconds(a)), cmp.Compare(a, b))
	})
	out := map[string][]string{}
	for _, name := range names {
		path := strings.TrimPrefix(strings.TrimPrefix(name, "unfold"), "/")
		if info, err := os.Stat(path); path != "" && (err != nil || !info.IsDir()) {
			continue // the package is gone, and go test would stop at its name
		}
		out[moduleOf(name)] = append(out[moduleOf(name)], name)
	}
	return out
}

// module runs the tests of packages of one module.
func (r *runner) module(ctx context.Context, dir string, packages []string) error {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"test"}, r.flags...), packages...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, r.env, os.Stderr
	stoppable(cmd)
	cmd.WaitDelay = 20 * time.Second // for test processes to stop those that they have started
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				r.results.take(e, r.out)
			} else {
				r.out.Write(line)
			}
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && r.results.failed() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("go test in %s: %w", dir, err)
	}
	return nil
}
