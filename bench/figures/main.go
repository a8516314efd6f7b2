// Command figures measures the program's documented figures on MNIST and on the demo's stream,
// through the command line as a user would, and writes docs/figures.md. All figures on the page are
// measured.
//
//	make figures UNFOLD_DATA=DIR
//
// DIR/mnist contains the four files of MNIST. It takes about ten minutes on two cores; a figure
// that misses its target makes the command fail after the page has been written.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("figures", stderr)
	var b bench
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program to measure")
	flags.Data(&b.data, "mnist/")
	page := flags.String("o", "docs/figures.md", "the page to write")
	if flags.Parse(args) != nil {
		return 2
	}
	if !flags.HasData(b.data) {
		return 2
	}
	missed, err := b.measure(ctx, *page, stderr)
	if err != nil {
		return flags.End(err)
	}
	fmt.Fprintf(stderr, "%s is written; %d figures miss their target\n", *page, missed)
	return min(missed, 1)
}
