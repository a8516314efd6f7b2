package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

func main() {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := harness.NewCommand("quality", stderr)
	b := &bench{log: stderr}
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program to measure")
	flags.StringVar(&b.before, "before", "", "an earlier build of the program, beside which the time of MNIST's fit is measured")
	flags.Data(&b.data, "mnist/, usps/, ...")
	flags.StringVar(&b.out, "out", "out/quality", "folder for data, maps and results")
	flags.Peers(&b.peers, "; earlier results of theirs are used")
	flags.IntVar(&b.threads, "threads", 2, "threads of every method")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in OUT that were made by the same settings, measure only what is missing")
	flags.BoolVar(&b.untimed, "untimed", false, "peers without rehearsals, in half the time; the page then has no times of theirs")
	flags.IntVar(&b.firstSeeds, "seeds", seedCount, "make maps from the first so many seeds; of the others those are used that are there")
	only := flags.String("only", "", "measure these data sets and parts alone, such as mnist,usps or split,dims,seeds,cost; times are those maps whose times were taken while the machine was busy")
	by := flags.String("methods", "", "measure maps by these methods alone, such as unfold,umap")
	page := flags.String("o", "", "the page to write; its pictures go to a folder beside it; default docs/quality.md, with -small OUT/small/quality.md")
	flags.BoolVar(&b.small, "small", false, "toy data, in seconds: to see that it works")
	flags.BoolVar(&b.quick, "quick", false, "samples of the large sets, one seed and a table of figures instead of a page: to tune by, with -fit, -try or -skip-peers")
	flags.Func("try", "NAME=FLAGS: measure `unfold fit FLAGS` and print a table of it beside earlier results, instead of a page (again and again)", func(text string) error {
		name, options, ok := strings.Cut(text, "=")
		if !ok || name == "" || name != filepath.Base(name) {
			return fmt.Errorf("%q is not NAME=FLAGS", text)
		}
		b.tried = append(b.tried, method{key: tryPrefix + name, title: name, flags: strings.Fields(options)})
		return nil
	})
	flags.Func("fit", "FLAGS: the same as -try with FLAGS as its name", func(options string) error {
		b.tried = append(b.tried, method{key: fmt.Sprintf("%sfit%d", tryPrefix, len(b.tried)), title: cmp.Or(options, "defaults"), flags: strings.Fields(options)})
		return nil
	})
	if flags.Parse(args) != nil {
		return 2
	}
	if !b.small && !flags.HasData(b.data) {
		return 2
	}
	if *page == "" {
		*page = filepath.Join("docs", "quality.md")
		if b.small {
			*page = b.file("quality.md")
		}
	}
	if *only != "" {
		var ok bool
		if b.only, ok = flags.Chosen(*only, b.parts()); !ok {
			return 2
		}
	}
	if *by != "" {
		b.by = strings.Split(*by, ",")
		for _, key := range b.by {
			if !slices.ContainsFunc(methods(), func(m method) bool { return m.key == key }) {
				flags.Say("-methods: there is no %q", key)
				return 2
			}
		}
	}
	verdicts, err := b.measure(ctx, stdout, *page)
	if err != nil {
		return flags.End(err)
	}
	if len(b.tried) > 0 || b.quick {
		return min(verdicts[harness.Missed], 1)
	}
	return flags.Written(*page, "targets", verdicts)
}
