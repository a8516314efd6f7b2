// Command figures measures what this program promises on MNIST and on the
// demo's stream, through the command line as a user would, and writes
// docs/figures.md. Nothing on that page is typed by hand.
//
//	make figures UNFOLD_DATA=DIR
//
// DIR/mnist holds the four files of MNIST. It takes about ten minutes on two
// cores; a figure that misses its bar makes the command fail after the page has
// been written.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var b bench
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program to measure")
	flags.StringVar(&b.data, "data", os.Getenv("UNFOLD_DATA"), "folder that holds mnist/")
	page := flags.String("o", "docs/figures.md", "the page to write")
	if flags.Parse(args) != nil {
		return 2
	}
	if b.data == "" {
		fmt.Fprintln(stderr, "figures: name the data folder: -data DIR or UNFOLD_DATA=DIR")
		return 2
	}
	missed, err := b.measure(ctx, *page, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "figures:", err)
		return 1
	}
	fmt.Fprintf(stderr, "%s is written; %d figures miss their bar\n", *page, missed)
	return min(missed, 1)
}
