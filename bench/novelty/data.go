package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/testdata/kdd"
)

// rows are vectors with their classes.
type rows struct {
	values [][]float32
	class  []string
}

// set is a data set: how it is read from the folder of data, and its normal classes. If there are
// any, only these are learnt.
type set struct {
	key, name, normal string
	read              func(ctx context.Context, dir string) (*rows, error)
}

// bundled needs no folder of data.
var bundled = []set{
	{"kdd", "KDD Cup 1999, the bundled sample", "normal", func(context.Context, string) (*rows, error) { return connections(bytes.NewReader(kdd.CSVGz), 1, true) }},
}

var sets = slices.Concat([]set{
	{"digits", "MNIST digits, the test part", "", digits},
	{"usps", "USPS digits", "", usps},
}, bundled, []set{
	{"nslkdd", "NSL-KDD", "normal", nslkdd},
	{"oil", "Oil flow", "", oil},
	{"glosses", "Glosses, sentence embeddings", "", glosses},
})

func digits(ctx context.Context, dir string) (*rows, error) {
	file := func(name string) string { return filepath.Join(dir, "mnist", name) }
	all, err := ingest.ReadAll(ctx, []string{file("t10k-images-idx3-ubyte.gz")}, ingest.ReadOptions{LabelFiles: []string{file("t10k-labels-idx1-ubyte.gz")}})
	if err != nil {
		return nil, err
	}
	return of(all.X, all.Label), nil
}

func usps(_ context.Context, dir string) (*rows, error) {
	r := &rows{}
	return r, lines(filepath.Join(dir, "usps", "zip.train.gz"), func(f []string) error { return r.add(f[1:], strings.TrimSuffix(f[0], ".0000")) })
}

func oil(_ context.Context, dir string) (*rows, error) {
	r := &rows{}
	for _, part := range []string{"Trn", "Vdn", "Tst"} {
		var class []string
		file := func(what string) string { return filepath.Join(dir, "oil", "Data"+part+what+".txt") }
		if err := lines(file("Lbls"), func(f []string) error { class = append(class, strings.Join(f, "")); return nil }); err != nil {
			return nil, err
		}
		at := 0
		if err := lines(file(""), func(f []string) error { at++; return r.add(f, class[at-1]) }); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func nslkdd(_ context.Context, dir string) (*rows, error) {
	file, err := os.Open(filepath.Join(dir, "nslkdd", "KDDTrain+.txt.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return connections(file, 0, false)
}

// glosses have the parts of speech and topics of WordNet as classes.
func glosses(ctx context.Context, dir string) (*rows, error) {
	all, err := ingest.ReadAll(ctx, []string{filepath.Join(dir, "glosses", "glosses_10000x384_f16.npy")}, ingest.ReadOptions{})
	if err != nil {
		return nil, err
	}
	text, err := os.Open(filepath.Join(dir, "glosses", "glosses.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer text.Close()
	var class []string
	err = scan(text, func(line string) error { class = append(class, line[:strings.IndexByte(line, '\t')]); return nil })
	if err != nil || len(class) != all.X.Rows+1 {
		return nil, fmt.Errorf("%d categories of %d glosses: %w", len(class)-1, all.X.Rows, err)
	}
	return of(all.X, class[1:]), nil
}

// connections reads records of connections: features and a label. Three features are text and are
// left out. Numbers are taken as log(1 + v).
func connections(r io.Reader, first int, header bool) (*rows, error) {
	const features = 41
	out := &rows{}
	return out, scan(r, func(line string) error {
		if header {
			header = false
			return nil
		}
		fields := strings.Split(line, ",")[first:]
		row := make([]float32, 0, features)
		for c, f := range fields[:features] {
			if c >= 1 && c <= 3 { // protocol, service, flag
				continue
			}
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return err
			}
			row = append(row, float32(math.Log1p(v)))
		}
		out.values, out.class = append(out.values, row), append(out.class, fields[features])
		return nil
	})
}

func of(x vec.Matrix[float32], class []string) *rows {
	r := &rows{class: class}
	for i := range x.Rows {
		r.values = append(r.values, x.Row(i))
	}
	return r
}

func (r *rows) add(fields []string, class string) error {
	row := make([]float32, len(fields))
	for c, f := range fields {
		v, err := strconv.ParseFloat(f, 32)
		if err != nil {
			return err
		}
		row[c] = float32(v)
	}
	r.values, r.class = append(r.values, row), append(r.class, class)
	return nil
}

// lines calls f with the fields of each line of a file, which may be compressed.
func lines(path string, f func(fields []string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	err = scan(file, func(line string) error {
		if fields := strings.Fields(line); len(fields) > 0 {
			return f(fields)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func scan(r io.Reader, f func(line string) error) error {
	b := bufio.NewReader(r)
	r = b
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return err
		}
		r = z
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if err := f(s.Text()); err != nil {
			return err
		}
	}
	return s.Err()
}

// fold has the rows of one map, and two sets of other rows.
type fold struct{ learnt, seen, unseen vec.Matrix[float32] }

// folds returns three divisions of the classes, or one that separates normal rows from all others.
// In each, rows of the classes that are not learnt are unseen. Equal rows are taken once.
func (r *rows) folds(s set, most, each int) (out []fold) {
	classes := slices.Clone(r.class)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	for f := range 3 {
		hidden := map[string]bool{}
		for c, name := range classes {
			hidden[name] = c%3 == f
			if s.normal != "" {
				hidden[name] = name != s.normal
			}
		}
		out = append(out, r.fold(hidden, uint64(f), most, each))
	}
	return out
}

func (r *rows) fold(hidden map[string]bool, seed uint64, most, each int) fold {
	var lots [3][]int // learnt, seen, unseen
	room := [3]int{most, each, each}
	known := map[string]bool{}
	for _, i := range rand.New(rand.NewPCG(seed, 0x10f)).Perm(len(r.class)) {
		lot := 0
		switch {
		case hidden[r.class[i]]:
			lot = 2
		case len(lots[0]) == room[0]:
			lot = 1
		}
		if key := fmt.Sprint(r.values[i]); len(lots[lot]) < room[lot] && !known[key] {
			known[key] = true
			lots[lot] = append(lots[lot], i)
		}
	}
	take := func(lot []int) vec.Matrix[float32] {
		x := vec.New[float32](len(lot), len(r.values[0]))
		for k, i := range lot {
			copy(x.Row(k), r.values[i])
		}
		return x
	}
	out := fold{take(lots[0]), take(lots[1]), take(lots[2])}
	return out
}

// standardise brings the columns of what is learnt to mean 0 and variance 1, and all others by the
// same numbers. Columns that do not vary there are left as they are.
func (f fold) standardise() {
	n := float64(f.learnt.Rows)
	for c := range f.learnt.Cols {
		var mean, square float64
		for i := range f.learnt.Rows {
			v := float64(f.learnt.Row(i)[c])
			mean += v / n
			square += v * v / n
		}
		scale := 1.0
		if variance := square - mean*mean; variance > 1e-9 {
			scale = math.Sqrt(variance)
		}
		for _, x := range []vec.Matrix[float32]{f.learnt, f.seen, f.unseen} {
			for i := range x.Rows {
				x.Row(i)[c] = float32((float64(x.Row(i)[c]) - mean) / scale)
			}
		}
	}
}
