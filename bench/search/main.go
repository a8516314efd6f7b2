// Command search compares the methods of neighbour search at the sizes where the program chooses
// between them, and writes docs/decisions/search.md. The page's text is in page.md; all its figures
// are measured.
package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("search", stderr)
	b := &bench{say: flags.Say}
	flags.Data(&b.data, "mnist/")
	flags.BoolVar(&b.small, "small", false, "measure few rows, to see that everything works")
	flags.IntVar(&b.rounds, "rounds", 3, "how often everything is measured; the least time counts")
	only := flags.String("only", "", "measure these parts alone, such as graph,index; of the others, results of the last run are used")
	flags.BoolVar(&b.resume, "resume", false, "measure what the last run left out")
	out := flags.String("out", filepath.Join("out", "search"), "folder for results")
	page := flags.String("o", filepath.Join("docs", "decisions", "search.md"), "the page to write")
	render := flags.Bool("page", false, "measure nothing: write the page from the results of the last run")
	if flags.Parse(args) != nil {
		return 2
	}
	chosen, ok := flags.Chosen(*only, keys())
	if !ok || !*render && !b.small && !flags.HasData(b.data) {
		return 2
	}
	if *render {
		chosen = nil
	}
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return flags.End(err)
	}
	res, err := b.measure(ctx, filepath.Join(*out, "results.json"), chosen)
	if err != nil {
		return flags.End(err)
	}
	return flags.End(res.write(*page))
}
