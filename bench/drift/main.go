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

// bench is one run of the command.
type bench struct {
	data, out    string
	threads      int
	seeds, nulls int
	small, keep  bool
	sizes        sizes
	log          io.Writer
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("drift", stderr)
	b := &bench{log: stderr, sizes: sizes{
		Window: 200, Reference: 2000, Step: 20, Coarse: 100, FalseAlarm: 10_000,
		NullOwn: 60, NullOwnEvents: 10_000, Null: 12, NullEvents: 10_000, Change: 1000, After: 3000,
		Looks: 60, Changed: 20, Rounds: 199, Level: .05,
	}}
	flags.Data(&b.data, "mnist/ and nslkdd/")
	page := flags.String("o", filepath.Join("docs", "drift.md"), "the page to write")
	bounds := flags.String("bounds", "", "make the table of bounds, this file, instead of the page")
	flags.IntVar(&b.threads, "threads", 2, "streams at a time")
	flags.IntVar(&b.seeds, "seeds", 7, "streams of each change")
	flags.IntVar(&b.nulls, "nulls", 60, "streams without a change, of each number of dimensions, for -bounds")
	flags.StringVar(&b.out, "out", filepath.Join("out", "drift"), "folder for results, one file per data set")
	flags.BoolVar(&b.keep, "keep", false, "use the results of earlier runs in the folder -out")
	flags.BoolVar(&b.small, "small", false, "normal rows and few streams, in seconds: to see that it works")
	if flags.Parse(args) != nil || *bounds == "" && !b.small && !flags.HasData(b.data) {
		return 2
	}
	if *bounds != "" {
		return flags.End(b.calibrate(ctx, *bounds))
	}
	sets := openers
	if b.small {
		sets, b.seeds = sets[2:], 3
		b.sizes = sizes{
			Window: 50, Reference: 500, Step: 10, Coarse: 50, FalseAlarm: 2500,
			NullOwn: 2, NullOwnEvents: 1000, Null: 2, NullEvents: 1000, Change: 200, After: 400, Looks: 6, Changed: 3, Rounds: 39, Level: .05,
		}
	}
	var all []*result
	for _, open := range sets {
		r, err := b.kept(ctx, open)
		if err != nil {
			return flags.End(err)
		}
		all = append(all, r)
	}
	verdicts, err := b.write(*page, all)
	if err != nil {
		return flags.End(err)
	}
	return flags.Written(*page, "figures", verdicts)
}

// opener opens a data set. Its results are stored under key.
type opener struct {
	key  string
	open func(ctx context.Context, dir string) (*data, error)
}

var openers = []opener{{"mnist", digits}, {"nslkdd", connections}, {"normal", gaussians}}

// kept returns the result of a data set, from an earlier run if that is wanted, or measured and
// stored.
func (b *bench) kept(ctx context.Context, o opener) (*result, error) {
	path := filepath.Join(b.out, o.key+".json")
	if text, err := os.ReadFile(path); b.keep && err == nil {
		r := new(result)
		return r, json.Unmarshal(text, r)
	}
	d, err := o.open(ctx, b.data)
	if err != nil {
		return nil, err
	}
	r, err := b.measure(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return nil, err
	}
	return r, harness.WriteJSON(path, r)
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
