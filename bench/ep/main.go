package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("ep", stderr)
	b := &bench{log: stderr}
	flags.Data(&b.data, "a folder for each data set")
	page := flags.String("o", filepath.Join("docs", "ep.md"), "the page to write; its figures go to a folder beside it, of its name")
	flags.IntVar(&b.threads, "threads", 2, "threads")
	flags.StringVar(&b.out, "out", filepath.Join("out", "ep"), "folder for results, one file per data set")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in the folder -out")
	flags.StringVar(&b.only, "only", "", "measure one data set alone, such as oil, and write no page")
	flags.Peers(&b.peers, "; so with -small unless -venv is given")
	flags.BoolVar(&b.small, "small", false, "toy data, in seconds: to see that it works")
	supervision := flags.Bool("supervision", false, "measure labels that take part in learning instead; with -o docs/decisions/supervision.md -out out/supervision")
	if flags.Parse(args) != nil {
		return 2
	}
	if !b.small && !flags.HasData(b.data) {
		return 2
	}
	if *supervision {
		return flags.End(b.supervision(ctx, *page))
	}
	return flags.End(b.all(ctx, *page))
}

// bench is one run of all comparisons.
type bench struct {
	data, out, only string
	threads         int
	small, keep     bool
	peers           harness.Peers
	log             io.Writer
}

// part is the part of the page about one data set.
type part struct {
	key    string
	load   loader
	hybrid bool
}

var parts = []part{
	{"oil-hybrid", oil, true}, {"usps-hybrid", usps, true},
	{"oil", oil, false}, {"usps", usps, false}, {"kdd", kdd, false}, {"nsl", nsl, false}, {"mnist", mnist, false},
	{"cost", nil, false},
}

var toys = []part{{"toy-hybrid", toy, true}, {"toy", toy, false}, {"cost", nil, false}}

func (b *bench) all(ctx context.Context, page string) error {
	list := parts
	if b.small {
		list = toys
	}
	if err := b.makePeers(ctx, requirements); err != nil {
		return err
	}
	done := new(results)
	for _, p := range list {
		if b.only != "" && b.only != p.key {
			continue
		}
		if err := b.part(ctx, p, done); err != nil {
			return fmt.Errorf("%s: %w", p.key, err)
		}
	}
	if b.only != "" {
		return nil
	}
	return write(page, done)
}

// results are the results that the page shows.
type results struct {
	hybrid []shareTable
	maps   []comparison
	cost   cost
}

// part measures one data set, or reads earlier results, and stores them in done.
func (b *bench) part(ctx context.Context, p part, done *results) error {
	path := filepath.Join(b.out, p.key+".json")
	switch {
	case p.load == nil:
		r, err := once(b, path, func() (*cost, error) { return b.cost(ctx) })
		if err == nil {
			done.cost = *r
		}
		return err
	case p.hybrid:
		r, err := once(b, path, func() (*shareTable, error) { return b.shares(ctx, p.load) })
		if err == nil {
			done.hybrid = append(done.hybrid, *r)
		}
		return err
	}
	r, err := once(b, path, func() (*comparison, error) { return b.compare(ctx, p.load) })
	if err == nil {
		done.maps = append(done.maps, *r)
	}
	return err
}

// once returns the content of a file if that is wanted and exists, or measures and stores it.
func once[T any](b *bench, path string, measure func() (*T, error)) (*T, error) {
	if b.keep {
		r := new(T)
		if text, err := os.ReadFile(path); err == nil {
			return r, json.Unmarshal(text, r)
		}
	}
	fmt.Fprintln(b.log, filepath.Base(path))
	r, err := measure()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return nil, err
	}
	return r, harness.WriteJSON(path, r)
}
