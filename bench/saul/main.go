// Command saul repeats the experiments of L. K. Saul, "A tractable latent variable model for
// nonlinear dimensionality reduction" (PNAS 2020) with the model as published, through the command
// line, and writes docs/saul.md and its figures.
//
//	make saul UNFOLD_DATA=DIR
//
// DIR contains mnist/, swissroll/ and wordvec/. Results are stored in the page's folder, one file
// per experiment. -only selects those to measure again, and the page is made from all.
package main

import (
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
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

// bench is the context that the experiments share.
type bench struct {
	unfold, data string
	figures      string // folder of the page's figures and results
	dir          string // temporary folder of maps and models
	digits       int    // number of digits of MNIST, training digits first
	log          io.Writer
}

// experiment measures one or several sections of the page.
type experiment struct {
	name string
	do   func(ctx context.Context, b *bench) (section, error)
}

// section is a result that writes itself as Markdown.
type section interface{ markdown(b *bench) string }

var experiments = []experiment{
	{"map", measured(wholeMap)}, {"dims", measured(byDims)}, {"words", measured(ofWords)},
	{"graph", measured(byGraph)}, {"levels", measured(byLevel)}, {"roll", measured(ofRoll)},
}

// measured adapts a measurement to an experiment.
func measured[T section](f func(ctx context.Context, b *bench) (T, error)) func(ctx context.Context, b *bench) (section, error) {
	return func(ctx context.Context, b *bench) (section, error) { return f(ctx, b) }
}

// sections returns empty results for decoding.
func sections() []section {
	return []section{new(mapResult), new(dimsResult), new(wordsResult), new(graphResult), new(levelsResult), new(rollResult)}
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("saul", stderr)
	b := &bench{log: stderr}
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program")
	flags.Data(&b.data, "mnist/, swissroll/ and wordvec/")
	flags.IntVar(&b.digits, "digits", allDigits, "how many digits of MNIST, six of seven of them for training")
	page := flags.String("o", "docs/saul.md", "the page to write; its figures and results go to the folder of that name")
	only := flags.String("only", "", "experiments to do, of "+strings.Join(names(), ",")+"; default all")
	if flags.Parse(args) != nil {
		return 2
	}
	if !flags.HasData(b.data) {
		return 2
	}
	if b.digits < leastDigits || b.digits > allDigits {
		flags.Say("-digits: %d; there can be %d to %d", b.digits, leastDigits, allDigits)
		return 2
	}
	chosen, ok := flags.Chosen(*only, names())
	if !ok {
		return 2
	}
	b.figures = strings.TrimSuffix(*page, filepath.Ext(*page))
	return flags.End(b.all(ctx, chosen, *page))
}

func names() (list []string) {
	for _, e := range experiments {
		list = append(list, e.name)
	}
	return list
}

// all runs the chosen experiments and writes the page from all results.
func (b *bench) all(ctx context.Context, chosen []string, page string) (err error) {
	if err := os.MkdirAll(b.figures, 0o777); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "unfold-saul-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for _, e := range experiments {
		if !slices.Contains(chosen, e.name) {
			continue
		}
		fmt.Fprintln(b.log, e.name)
		r, err := e.do(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if err := harness.WriteJSON(b.result(e.name), r); err != nil {
			return err
		}
	}
	return b.page(page)
}

// result is the file of an experiment's results.
func (b *bench) result(name string) string { return filepath.Join(b.figures, name+".json") }

// figure returns the path of a file in the page's folder, link its link on the page.
func (b *bench) figure(name string) string { return filepath.Join(b.figures, name) }

func (b *bench) link(name string) string { return filepath.Base(b.figures) + "/" + name }

// file is a temporary file.
func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }
