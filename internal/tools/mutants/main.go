// Command mutants measures the tests of packages by mutation. It makes one small change in a
// package at a time and counts the changes that the package's own quick tests detect.
//
// A change negates a condition, moves a comparison to its edge (< for <=), swaps && and ||,
// replaces an added 1 by 0, or drops a statement. Preallocation is not changed, because it does not
// affect results. One build contains all changes of a package; package mutant switches one on.
//
//	mutants                      the packages of the table below
//	mutants -most 40 ./stream    at most 40 changes, at equal distances, of this package
//	mutants -only tree.go ./sparse/graph/live
//	                             changes of one file
//	mutants -o docs/mutants.md   writes the page
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

// packages are those whose errors would lose events or make wrong maps.
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
	most := set.Int("most", 60, "changes tried of each package, at equal distances; 0: all")
	limit := set.Duration("limit", 20*time.Second, "the longest that tests may take with a change, or five times their usual time if that is longer; beyond it they are ended, which counts as noticed")
	which := set.String("run", "", "run only tests whose names match this regular expression: fewer changes are noticed then")
	workers := set.Int("workers", 2, "changes tried at a time")
	only := set.String("only", "", "try only changes that match this regular expression, as they are written: file:line: kind: text")
	page := set.String("o", "", "write a page of the results to this file")
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
	s := settings{*most, match, *which, *limit, *workers, func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }}
	var all []result
	for _, path := range paths {
		r, err := try(ctx, path, s)
		if err != nil {
			fmt.Fprintln(stderr, "mutants:", err)
			return 1
		}
		fmt.Fprintf(stdout, "%-24s %3d of %3d killed (%d are not reached, of %d in all), tests %.1f s\n", path, r.killed(), r.Tried, len(r.Missed), r.Sites, r.Seconds)
		all = append(all, r)
	}
	if *page == "" {
		return 0
	}
	if err := os.WriteFile(*page, []byte(format(all, *most)), 0o644); err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		return 1
	}
	return 0
}
