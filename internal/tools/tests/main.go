// Command tests runs the tests of all modules and prints a summary: the failed and skipped tests
// with reasons, and the packages that exceeded their budgets.
//
//	tests                 the quick tier
//	tests -all            every test whose programs and data are available
//	tests -required       every test; a missing program is a failure (UNFOLD_DATA names the data sets)
//	tests ./stream/...    these packages
//
// It continues after a package that fails. With -all and -required it runs up to five failed tests
// once more, alone. When it is stopped, it stops everything that tests have
// started. With -exec, which it uses itself, it runs one test binary and reports its cost (see
// exec.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"unfold/internal/testkit/tier"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-exec" {
		os.Exit(execute(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	set := flag.NewFlagSet("tests", flag.ContinueOnError)
	all := set.Bool("all", false, "run every test whose programs and data are there")
	required := set.Bool("required", false, "run every test; a missing program is a failure")
	count := set.Int("count", 0, "run each test so many times, past the cache; 0: as go test does")
	parallel := set.Int("p", 0, "packages at a time; 0: one more than there are processors, two for each with -all, as those wait for other programs")
	timeout := set.Duration("timeout", 30*time.Minute, "the longest that a package may take")
	listed := set.Int("slowest", 5, "list so many of the slowest packages and tests")
	budgets := set.String("budget", "internal/tools/tests/budget.txt", "file of the packages' budgets; empty: none")
	update := set.Bool("update-budget", false, "write the times of this run to the budget file")
	if err := set.Parse(args); err != nil {
		return 2
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	// make lint runs vet; go test would repeat some of it.
	flags := []string{"-json", "-vet=off", "-timeout", timeout.String(), "-exec", self + " -exec"}
	if *count > 0 {
		flags = append(flags, fmt.Sprintf("-count=%d", *count))
	}
	if *parallel == 0 {
		*parallel = runtime.GOMAXPROCS(0) + 1
		if *all || *required {
			*parallel = 2 * runtime.GOMAXPROCS(0)
		}
	}
	// Parallel tests spend most of their time waiting, so there may be more of them than
	// processors.
	flags = append(flags, fmt.Sprintf("-p=%d", *parallel), fmt.Sprintf("-parallel=%d", 2*runtime.GOMAXPROCS(0)))
	r := &runner{flags: flags, env: environment(*all, *required), packages: set.Args(), all: *all || *required, out: os.Stdout, results: newResults()}
	if *budgets != "" {
		r.budgets, err = readBudgets(*budgets)
		if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
			fmt.Fprintln(os.Stderr, "tests:", err)
			return 1
		}
	}
	begin := time.Now()
	whole := len(r.packages) == 0
	err = r.run(ctx)
	if r.all && err == nil && ctx.Err() == nil {
		err = r.again(ctx)
	}
	s := r.results.summary(time.Since(begin), *listed)
	switch {
	case *budgets == "" || ctx.Err() != nil:
	case !*update:
		s.judge(r.budgets, r.all)
	default:
		if err := s.update(*budgets, r.budgets, r.all, whole); err != nil {
			fmt.Fprintln(os.Stderr, "tests:", err)
			return 1
		}
	}
	s.write(os.Stdout)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stdout, "stopped before the end")
		return 1
	case err != nil:
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	case s.bad():
		return 1
	}
	return 0
}

// environment returns the variables of test processes: the tier, and a fixed seed for all
// properties, so that a run is reproducible.
func environment(all, required bool) []string {
	name := "quick"
	switch {
	case required:
		name = "required"
	case all:
		name = "all"
	}
	env := os.Environ()
	for k, v := range map[string]string{"RAPID_SEED": "20261", "CGO_ENABLED": "0"} {
		if os.Getenv(k) == "" {
			env = append(env, k+"="+v)
		}
	}
	env = append(env, tier.Variable+"="+name)
	return env
}
