package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/relay"
	"unfold/internal/atomicfile"
)

func main() {
	if code, ok := relay.Main(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// lab is the context of all measurements.
type lab struct {
	unfold, out string
	small       bool
	say         func(format string, args ...any)
	// points are the numbers of reference points, and dims the dimensions of events, for measuring
	// placing. The fleet uses the last of points and Dim.
	points, dims []int
	// messages is the number of messages that the embedders read, reading the number for the
	// learner. Offsets are committed twice a second, so a short run would not be accurate.
	messages, reading int
	fleets            []int
	span              time.Duration // processor time for which one kind of placing is measured
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	c := harness.NewCommand("capacity", stderr)
	l := &lab{say: c.Say}
	var page string
	c.StringVar(&l.unfold, "unfold", "bin/unfold", "the program")
	c.StringVar(&l.out, "out", "out/capacity", "folder for results")
	c.StringVar(&page, "o", "docs/capacity.md", "the page to write")
	c.BoolVar(&l.small, "small", false, "toy sizes and a broker of its own, in seconds: to see that it works")
	if c.Parse(args) != nil {
		return 2
	}
	l.points, l.dims, l.messages, l.reading, l.fleets, l.span = []int{2000, 5000, 20_000}, []int{10, Dim, 200}, 4000, 20_000, []int{1, 2, 4}, 3*time.Second
	if l.small {
		l.points, l.dims, l.messages, l.reading, l.fleets, l.span = []int{100, 200}, []int{4, Dim}, 4000, 4000, []int{1, 2}, 10*time.Millisecond
	}
	return c.End(l.run(ctx, page))
}

func (l *lab) run(ctx context.Context, page string) error {
	if err := os.RemoveAll(l.out); err != nil {
		return err
	}
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return err
	}
	f, err := l.measure(ctx)
	if err != nil {
		return err
	}
	if err := harness.WriteJSON(filepath.Join(l.out, "figures.json"), f); err != nil {
		return err
	}
	return atomicfile.Write(page, func(w io.Writer) error { _, err := io.WriteString(w, f.page()); return err })
}
