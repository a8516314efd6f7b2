// Command lllvm repeats the experiments of M. Park et al., "Bayesian manifold learning: the locally
// linear latent variable model" (NIPS 2015) with this program, and writes docs/lllvm.md and its
// figures. All figures on the page are measured.
//
//	make lllvm UNFOLD_DATA=DIR
//
// DIR contains swissroll/, usps/ and climate/. An experiment whose data are missing is omitted.
// -only selects the experiments to repeat. For the others, results of earlier runs in the folder
// -out are used, or those on the page.
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
	unfold, data, out string
	figures           string // folder of the page's figures
	starts            int
	log               io.Writer
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("lllvm", stderr)
	b := &bench{log: stderr}
	flags.StringVar(&b.unfold, "unfold", "bin/unfold", "the program")
	flags.Data(&b.data, "swissroll/, usps/ and climate/")
	flags.StringVar(&b.out, "out", "out/lllvm", "folder for maps, models and results")
	flags.IntVar(&b.starts, "starts", 10, "random starts of each fit")
	page := flags.String("o", "docs/lllvm.md", "the page to write; its figures go to the folder of that name")
	only := flags.String("only", "", "experiments to do, of "+strings.Join(names(), ",")+"; default all")
	if flags.Parse(args) != nil {
		return 2
	}
	if !flags.HasData(b.data) {
		return 2
	}
	chosen, ok := flags.Chosen(*only, names())
	if !ok {
		return 2
	}
	b.figures = strings.TrimSuffix(*page, filepath.Ext(*page))
	return flags.End(b.all(ctx, chosen, *page))
}

func (b *bench) all(ctx context.Context, chosen []string, page string) error {
	for _, dir := range []string{b.out, b.figures} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, e := range experiments {
		if !slices.Contains(chosen, e.name) {
			continue
		}
		if _, err := os.Stat(filepath.Join(b.data, e.folder)); err != nil {
			fmt.Fprintf(b.log, "%s: left out: %v\n", e.name, err)
			continue
		}
		fmt.Fprintln(b.log, e.name)
		section, err := e.do(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if err := os.WriteFile(b.file(e.name+".md"), []byte(section), 0o666); err != nil {
			return err
		}
	}
	return b.page(page)
}

// experiment makes a section of the page.
type experiment struct {
	name, folder, title string
	do                  func(ctx context.Context, b *bench) (string, error)
}

var experiments = []experiment{
	{"roll", "", "The bound chooses the number of neighbours", roll},
	{"shapes", "swissroll", "What unrolls the roll", shapes},
	{"shortcut", "", "A short circuit", shortcut},
	{"dims", "", "The bound chooses the number of dimensions", dims},
	{"digits", "usps", "Handwritten digits", digits},
	{"climate", "climate", "Weather stations", climate},
	{"patches", "swissroll", "Many points, in patches", patches},
}

func names() (list []string) {
	for _, e := range experiments {
		list = append(list, e.name)
	}
	return list
}

const head = `# The locally linear latent variable model

The experiments of M. Park, W. Jitkrittum, A. Qamar, Z. Szabó, L. Buesing and M. Sahani, "Bayesian manifold learning: the locally linear latent
variable model" (NIPS 2015), by package ` + "`models/classic/lllvm`" + `; ` + "`make lllvm`" + ` writes this page. Every point has an uncertain place on the map and an uncertain linear map from the tangent space there into the data. A lower bound of the evidence compares settings.

    unfold fit data.parquet --kind lllvm --neighbors 6:15 --restarts 3 -o data.unfold --map map.parquet --report report.json
    unfold plot --bounds report.json -o bounds.png
    unfold plot map.parquet -o map.png --uncertainty --model data.unfold
    unfold decode map.parquet -m data.unfold -o back.parquet

A fit learns a sample of at most --points rows (1000 by default) and places the others by them. Memory grows with the square and the time of an
iteration with the cube of their number; in patches (below) both grow in proportion to it.
`

// page writes the page from the sections in OUT, or those on the present page.
func (b *bench) page(path string) error {
	earlier, err := harness.Sections(path)
	if err != nil {
		return err
	}
	text := head
	for _, e := range experiments {
		section := earlier[e.title]
		if made, err := os.ReadFile(b.file(e.name + ".md")); err == nil {
			section = string(made)
		}
		if section != "" {
			text += "\n## " + e.title + "\n\n" + section
		}
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

func (b *bench) file(name string) string { return filepath.Join(b.out, name) }

// figure returns the path of a file in the page's folder, and its link on the page.
func (b *bench) figure(name string) (path, link string) {
	return filepath.Join(b.figures, name), filepath.Base(b.figures) + "/" + name
}
