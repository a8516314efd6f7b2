package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := harness.NewCommand("quality", stderr)
	b := &bench{log: stderr}
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program to measure")
	flags.Data(&b.data, "mnist/, usps/, ...")
	flags.StringVar(&b.out, "out", "out/quality", "folder for data, maps and results")
	flags.Peers(&b.peers, "; earlier results of theirs are used")
	flags.IntVar(&b.threads, "threads", 2, "threads of every method")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in OUT that were made by the same settings, measure only what is missing")
	only := flags.String("only", "", "measure these data sets and parts alone, such as mnist,usps or split,dims,seeds,likelihood")
	page := flags.String("o", "docs/quality.md", "the page to write; its pictures go to a folder beside it")
	flags.Func("try", "NAME=FLAGS: measure `unfold fit FLAGS` and print a table of it beside earlier results, instead of a page (again and again)", func(text string) error {
		name, options, ok := strings.Cut(text, "=")
		if !ok || name == "" || name != filepath.Base(name) {
			return fmt.Errorf("%q is not NAME=FLAGS", text)
		}
		b.tried = append(b.tried, method{key: tryPrefix + name, title: name, flags: strings.Fields(options)})
		return nil
	})
	if flags.Parse(args) != nil {
		return 2
	}
	if !flags.HasData(b.data) {
		return 2
	}
	if *only != "" {
		var ok bool
		if b.only, ok = flags.Chosen(*only, b.parts()); !ok {
			return 2
		}
	}
	verdicts, err := b.measure(ctx, stdout, *page)
	if err != nil {
		return flags.End(err)
	}
	if len(b.tried) > 0 {
		return min(verdicts[harness.Missed], 1)
	}
	return flags.Written(*page, "targets", verdicts)
}
