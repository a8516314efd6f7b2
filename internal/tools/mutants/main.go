// Command mutants measures the tests of packages by mutation. It makes one small change in a
// package at a time and counts the changes that the package's own quick tests detect.
//
// A change negates a condition, moves a comparison to its edge (< for <=), exchanges || and &&,
// adds or subtracts 0 instead of 1, or drops a statement. Preallocation is never changed, because
// it has no effect on results. One build holds all changes of a package; package mutant switches
// one on.
//
//	mutants                      the packages of the table below
//	mutants -most 40 ./stream    at most 40 changes, at equal distances, of this package
//	mutants -most 40 -seed 7 ./stream
//	                             40 others, drawn by a seed
//	mutants -only tree.go ./sparse/graph/live
//	                             changes of one file
//	mutants -o docs/reference/mutants.md   writes the page; other packages keep their lines
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

// packages are the packages whose errors would lose events or lead to wrong maps.
var packages = []string{"./stream", "./stream/kafka", "./ingest/table", "./models/placing", "./models/student", "./models/clusters", "./sparse/graph/live", "./models/live"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("mutants", flag.ContinueOnError)
	set.SetOutput(stderr)
	most := set.Int("most", 60, "changes tried of each package; 0: all")
	seed := set.Uint64("seed", 0, "draw the changes by this seed; 0: they are at equal distances in the sources")
	limit := set.Duration("limit", 20*time.Second, "the longest that tests may take with a change, or five times their usual time if that is longer; beyond it they are ended, which counts as noticed if they are quick without the change")
	which := set.String("run", "", "run only tests whose names match this regular expression: fewer changes are noticed then")
	workers := set.Int("workers", 2, "changes tried at a time")
	only := set.String("only", "", "try only changes that match this regular expression, as they are written: file:line: kind: text")
	to := set.String("o", "", "write the results to this page; packages that are not tried keep their lines")
	if err := set.Parse(args); err != nil {
		return 2
	}
	paths := set.Args()
	if len(paths) == 0 {
		paths = packages
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(stderr, "mutants: -only:", err)
		return 2
	}
	s := settings{*most, *seed, match, *which, *limit, *workers, func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }}
	for _, path := range paths {
		r, err := try(ctx, path, s)
		if err != nil {
			fmt.Fprintln(stderr, "mutants:", err)
			return 1
		}
		fmt.Fprintf(stdout, "%-24s %3d of %3d killed, %d of them ended (%d are equivalent, %d are not reached; %s of %d changes), processor time of the tests %.1f s\n", path, r.killed(), r.Tried, r.Ended, len(r.Equivalent), len(r.Missed), r.Drawn, r.Sites, r.Seconds)
		if *to == "" {
			continue
		}
		if err := write(*to, r); err != nil {
			fmt.Fprintln(stderr, "mutants:", err)
			return 1
		}
	}
	return 0
}

// write adds a result to a page, which may not exist yet.
func write(name string, r result) error {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	p := readPage(string(text))
	p.add(r)
	return os.WriteFile(name, []byte(p.String()), 0o644)
}
