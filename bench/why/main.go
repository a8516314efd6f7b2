// Command why draws the figures of docs/why.md from the program's functions and, through the
// command line, from the bundled digits.
//
//	make why
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"unfold/bench/internal/harness"
)

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("why", stderr)
	unfold := flags.String("unfold", "bin/unfold", "the program that learns and draws the maps")
	digits := flags.String("digits", "testdata/digits", "folder of the digits")
	out := flags.String("o", "docs/why", "folder of the figures")
	if flags.Parse(args) != nil {
		return 2
	}
	err := os.MkdirAll(*out, 0o777)
	if err == nil {
		err = curves(*out)
	}
	if err == nil {
		err = maps(ctx, *unfold, *digits, *out)
	}
	return flags.End(err)
}

// maps draws the maps of the training digits by both models.
func maps(ctx context.Context, unfold, digits, out string) error {
	dir, err := os.MkdirTemp("", "unfold-why-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, tails := range []string{"gaussian", "student"} {
		table := filepath.Join(dir, tails+".parquet")
		for _, args := range [][]string{
			{"fit", "-q", filepath.Join(digits, "train-images-idx3-ubyte.gz"), "--label-file", filepath.Join(digits, "train-labels-idx1-ubyte.gz"),
				"--tails", tails, "-o", filepath.Join(dir, tails+".unfold"), "--map", table},
			{"plot", "-q", table, "-o", filepath.Join(out, tails+".png"), "--title", tails + " tails"},
		} {
			if text, err := exec.CommandContext(ctx, unfold, args...).CombinedOutput(); err != nil {
				return fmt.Errorf("%s %s: %w\n%s", unfold, args[0], err, text)
			}
		}
	}
	return nil
}
