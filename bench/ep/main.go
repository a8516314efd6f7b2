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
	flags.StringVar(&b.out, "out", filepath.Join("out", "ep"), "folder for results, one file a data set")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in the folder -out")
	flags.StringVar(&b.only, "only", "", "measure one data set alone, such as oil, and write no page")
	flags.BoolVar(&b.small, "small", false, "toy data, in seconds: to see that it works")
	if flags.Parse(args) != nil {
		return 2
	}
	if !b.small && !flags.HasData(b.data) {
		return 2
	}
	return flags.End(b.all(ctx, *page))
}

// bench is one run of all comparisons.
type bench struct {
	data, out, only string
	threads         int
	small, keep     bool
	log             io.Writer
}

// part is one data set of the page.
type part struct {
	key    string
	load   loader
	hybrid bool
}

var parts = []part{{"oil", oil, true}, {"usps", usps, true}, {"kdd", kdd, false}, {"nsl", nsl, false}, {"mnist", mnist, false}}

var toys = []part{{"toy-hybrid", toy, true}, {"toy", toy, false}}

func (b *bench) all(ctx context.Context, page string) error {
	list := parts
	if b.small {
		list = toys
	}
	var done []result
	for _, p := range list {
		if b.only != "" && b.only != p.key {
			continue
		}
		r, err := b.part(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.key, err)
		}
		done = append(done, *r)
	}
	if b.only != "" {
		return nil
	}
	return write(page, done)
}

// part measures one data set, or takes what was measured.
func (b *bench) part(ctx context.Context, p part) (*result, error) {
	path := filepath.Join(b.out, p.key+".json")
	if b.keep {
		r := new(result)
		if text, err := os.ReadFile(path); err == nil {
			return r, json.Unmarshal(text, r)
		}
	}
	fmt.Fprintln(b.log, p.key)
	var r *result
	if p.hybrid {
		t, err := b.shares(ctx, p.load)
		if err != nil {
			return nil, err
		}
		r = t.result()
	} else {
		d, err := p.load(ctx, b.data, 0)
		if err != nil {
			return nil, err
		}
		c, err := b.calibrate(ctx, d)
		if err != nil {
			return nil, err
		}
		r = c.result()
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return nil, err
	}
	return r, harness.WriteJSON(path, r)
}
