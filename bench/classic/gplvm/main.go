// Command gplvm repeats the experiments of N. Lawrence (JMLR 2005) with package models/classic/gplvm and
// writes docs/gplvm.md with its figures. All numbers on the page are measured.
//
//	make gplvm UNFOLD_DATA=DIR
//
// A section is an experiment in a file of its own. It leaves its text in OUT, so that with -only
// one can be made again. Sections that are not there stay as the page has them; those that it does
// not have are named as missing.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/bench/internal/harness"
)

// bench is the context of the experiments.
type bench struct {
	data, oil, out, figures string
	threads                 int
	again                   bool
	log                     io.Writer
}

// section is one experiment. It returns its Markdown text.
type section struct {
	key, title string
	run        func(ctx context.Context, b *bench) (string, error)
	needs      []string // files in the folder of data that it needs
}

func sections() []section {
	return []section{
		{"oil", "Oil flow", oilFlow, nil},
		{"sparse", "Oil flow, sparse", oilSparse, nil},
		{"hundred", "Oil flow, a hundred points", oilHundred, nil},
		{"roll", "Swiss roll", swissRoll, []string{rollFile}},
		{"digits", "Digits", digits, []string{digitsFile}},
		{"usps", "Digits, sparse", digitsSparse, []string{digitsFile}},
		{"others", "Other methods", otherMethods, []string{digitsFile}},
		{"twos", "Twos with missing pixels", binaryTwos, []string{digitsFile, moreDigitsFile}},
		{"maps", "Twos: the maps", twosMaps, []string{digitsFile, moreDigitsFile}},
		{"order", "Twos: the order of the noises", twosOrder, []string{digitsFile, moreDigitsFile}},
		{"faces", "Frey faces", faces, []string{facesFile}},
		{"placing", "Placing", placings, []string{freshOil}},
	}
}

func keys() (list []string) {
	for _, s := range sections() {
		list = append(list, s.key)
	}
	return list
}

func main() {
	harness.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stderr) })
}

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := harness.NewCommand("gplvm", stderr)
	b := &bench{log: stderr}
	flags.Data(&b.data, "swissroll/, usps/, frey_faces/ and oil/")
	flags.StringVar(&b.oil, "oil", "testdata/oil", "folder of the oil-flow data")
	flags.StringVar(&b.out, "out", "out/gplvm", "folder for the sections")
	page := flags.String("o", "docs/gplvm.md", "the page to write; figures go into a folder of that name")
	only := flags.String("only", "", "make these sections alone, such as oil,roll")
	flags.BoolVar(&b.again, "again", false, "learn again what is kept in the folder of the sections")
	flags.IntVar(&b.threads, "threads", 0, "threads; 0 is one a core")
	if flags.Parse(args) != nil {
		return 2
	}
	b.figures = strings.TrimSuffix(*page, filepath.Ext(*page))
	chosen, ok := flags.Chosen(*only, keys())
	if !ok {
		return 2
	}
	return flags.End(b.all(ctx, chosen, *page))
}

// all runs the wanted sections and writes the page of all results.
func (b *bench) all(ctx context.Context, chosen []string, page string) error {
	for _, dir := range []string{b.out, b.figures} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, s := range sections() {
		if !slices.Contains(chosen, s.key) {
			continue
		}
		fmt.Fprintln(b.log, s.title)
		text, err := b.section(ctx, s)
		if err == nil {
			err = os.WriteFile(filepath.Join(b.out, s.key+".md"), []byte(text), 0o666)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	return b.page(page)
}

// page writes the page from the sections in OUT, or those on the present page.
func (b *bench) page(page string) error {
	earlier, err := harness.Sections(page)
	if err != nil {
		return err
	}
	var out strings.Builder
	out.WriteString(intro)
	for _, s := range sections() {
		text, err := os.ReadFile(filepath.Join(b.out, s.key+".md"))
		if errors.Is(err, fs.ErrNotExist) {
			text = []byte(cmp.Or(earlier[s.title], "Not measured.\n"))
		} else if err != nil {
			return err
		}
		fmt.Fprintf(&out, "\n## %s\n\n%s", s.title, text)
	}
	return os.WriteFile(page, []byte(out.String()), 0o666)
}

// Files in the folder of data.
const (
	rollFile       = "swissroll/swiss_roll.csv.gz"
	digitsFile     = "usps/zip.train.gz"
	moreDigitsFile = "usps/zip.test.gz"
	facesFile      = "frey_faces/frey-images-idx3-ubyte.gz"
	freshOil       = "oil/DataTst.txt"
)

func (b *bench) dataFile(name string) string { return filepath.Join(b.data, filepath.FromSlash(name)) }

// section runs one experiment, or reports which data are missing.
func (b *bench) section(ctx context.Context, s section) (string, error) {
	for _, name := range s.needs {
		if _, err := os.Stat(b.dataFile(name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("Not measured: there is no %s.\n", name), nil
		}
	}
	return s.run(ctx, b)
}

const intro = `# Gaussian process latent variable model

The experiments of N. Lawrence, *Probabilistic non-linear principal component analysis with Gaussian process latent variable models* (JMLR 2005), by
package ` + "`models/classic/gplvm`" + `; ` + "`make gplvm`" + ` writes this page. Errors are points whose nearest other point on the map has another class. Times are of this
run, on a machine that may have had other work.

The model is ` + "`--kind gplvm`" + `. It learns a sample of ` + "`--points`" + ` rows (1000), with the kernel ` + "`rbf+bias+white`" + ` by default:

- ` + "`--start`" + `: principal components, ` + "`isomap`" + ` or ` + "`graph`" + `; ` + "`--optimizer lbfgs`" + ` instead of scaled conjugate gradients;
- ` + "`--restarts`" + `: the most likely of several starts; ` + "`--jumps N`" + `: single points jump to likelier places of others, N times;
- ` + "`--active N`" + `: the sparse model; ` + "`--noise probit`" + `: for columns of 0 and 1.

Missing values are left out of the likelihood. Events are placed where they are most likely, or with ` + "`--smooth`" + ` by a smooth map. ` + "`unfold decode`" + ` maps places back to vectors.
`

// table is a Markdown table.
type table struct{ strings.Builder }

func newTable(head ...string) *table {
	t := &table{}
	t.row(head...)
	t.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	return t
}

func (t *table) row(cells ...string) { t.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// seconds formats the time since begin.
func seconds(begin time.Time) string { return fmt.Sprintf("%.1f s", time.Since(begin).Seconds()) }
