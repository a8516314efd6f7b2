package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/relay"
)

func main() {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	if code, ok := relay.Main(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("speed", stderr)
	b := &bench{log: stderr}
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program to measure")
	flags.Data(&b.data, "mnist/; without it rows that need it are not measured")
	flags.StringVar(&b.out, "out", "out/speed", "folder for data, maps and results")
	flags.Peers(&b.peers, "")
	flags.IntVar(&b.threads, "threads", 2, "threads of everything that is measured")
	flags.BoolVar(&b.keep, "keep", false, "use results of earlier runs in OUT by the same settings, measure only what is missing")
	flags.BoolVar(&b.small, "small", false, "toy data, in seconds: to see that it works")
	only := flags.String("only", "", "measure these rows alone, such as knn,place; of the others, results of earlier runs are used, or else what the page says as it stands")
	page := flags.String("o", "", "the page to write; default docs/benchmarks.md, with -small OUT/benchmarks.md")
	if flags.Parse(args) != nil {
		return 2
	}
	if *page == "" {
		*page = filepath.Join("docs", "benchmarks.md")
		if b.small {
			*page = filepath.Join(b.out, "benchmarks.md")
		}
	}
	if *only != "" {
		var ok bool
		if b.only, ok = flags.Chosen(*only, keys()); !ok {
			return 2
		}
	}
	verdicts, err := b.measure(ctx, *page)
	if err != nil {
		return flags.End(err)
	}
	return flags.Written(*page, "figures", verdicts)
}
