package main

import (
	"context"
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
	data         string
	threads      int
	seeds, nulls int
	small        bool
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
	flags.BoolVar(&b.small, "small", false, "normal rows and few streams, in seconds: to see that it works")
	if flags.Parse(args) != nil || *bounds == "" && !b.small && !flags.HasData(b.data) {
		return 2
	}
	if *bounds != "" {
		return flags.End(b.calibrate(ctx, *bounds))
	}
	sets := []func(context.Context, string) (*data, error){digits, connections, gaussians}
	if b.small {
		sets, b.seeds = sets[2:], 3
		b.sizes = sizes{
			Window: 50, Reference: 500, Step: 10, Coarse: 50, FalseAlarm: 2500,
			NullOwn: 2, NullOwnEvents: 1000, Null: 2, NullEvents: 1000, Change: 200, After: 400, Looks: 6, Changed: 3, Rounds: 39, Level: .05,
		}
	}
	var all []*result
	for _, open := range sets {
		d, err := open(ctx, b.data)
		if err != nil {
			return flags.End(err)
		}
		r, err := b.measure(ctx, d)
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

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
