package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/words"
	"unfold/ingest"
	"unfold/internal/vec"
)

// table is a data set: vectors, with labels and known numbers.
type table struct {
	x     vec.Matrix[float32]
	label []string // empty for rows without a label; nil if there are none
	names []string // names of the known numbers
	known [][]float64
}

// lines calls take with the fields of every nonempty line of a text file. Fields are separated by
// commas or, if sep is a blank, by blanks. A line with fewer than least fields is an error.
func lines(path string, sep byte, least int, take func(fields []string) error) error {
	f, err := harness.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 {
			continue
		}
		if sep != ' ' {
			fields = strings.Split(s.Text(), string(sep))
		}
		if len(fields) < least {
			return fmt.Errorf("%s:%d: %d fields, at least %d are needed", path, n, len(fields), least)
		}
		if err := take(fields); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// addRow appends the fields as a vector.
func (t *table) addRow(fields []string) error {
	if t.x.Rows > 0 && len(fields) != t.x.Cols {
		return fmt.Errorf("%d numbers, the rows before have %d", len(fields), t.x.Cols)
	}
	for _, text := range fields {
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return err
		}
		t.x.Data = append(t.x.Data, float32(v))
	}
	t.x.Rows, t.x.Cols = t.x.Rows+1, len(fields)
	return nil
}

// addKnown appends the known numbers of a row, in the order of t.names.
func (t *table) addKnown(fields []string) error {
	row := make([]float64, len(fields))
	for i, text := range fields {
		var err error
		if row[i], err = strconv.ParseFloat(text, 64); err != nil {
			return err
		}
	}
	t.known = append(t.known, row)
	return nil
}

func loadMNIST(ctx context.Context, dir string) (*table, error) {
	var images, labels []string
	for _, part := range []string{"train", "t10k"} {
		images = append(images, filepath.Join(dir, part+"-images-idx3-ubyte.gz"))
		labels = append(labels, filepath.Join(dir, part+"-labels-idx1-ubyte.gz"))
	}
	d, err := ingest.ReadAll(ctx, images, ingest.ReadOptions{LabelFiles: labels})
	if err != nil {
		return nil, err
	}
	return &table{x: d.X, label: d.Label}, nil
}

// loadUSPS reads lines of a digit and 256 grey values.
func loadUSPS(_ context.Context, dir string) (*table, error) {
	t := new(table)
	for _, part := range []string{"zip.train.gz", "zip.test.gz"} {
		err := lines(filepath.Join(dir, part), ' ', 2, func(f []string) error {
			t.label = append(t.label, strings.TrimSuffix(f[0], ".0000"))
			return t.addRow(f[1:])
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// loadDigits reads scikit-learn's digits: lines of 64 counts and the digit.
func loadDigits(_ context.Context, path string) (*table, error) {
	t := new(table)
	return t, lines(path, ',', 2, func(f []string) error {
		last := len(f) - 1
		digit, err := strconv.ParseFloat(f[last], 64)
		if err != nil {
			return err
		}
		t.label = append(t.label, strconv.FormatFloat(digit, 'f', -1, 64))
		return t.addRow(f[:last])
	})
}

// loadOil reads the three parts of 1,000; the class is one of three columns.
func loadOil(_ context.Context, dir string) (*table, error) {
	t := new(table)
	for _, part := range []string{"Trn", "Vdn", "Tst"} {
		if err := lines(filepath.Join(dir, "Data"+part+".txt"), ' ', 1, t.addRow); err != nil {
			return nil, err
		}
		err := lines(filepath.Join(dir, "Data"+part+"Lbls.txt"), ' ', 3, func(f []string) error {
			class := slices.Index(f, "1")
			if class < 0 {
				return fmt.Errorf("no column of %v is 1", f)
			}
			t.label = append(t.label, "class "+strconv.Itoa(class+1))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// loadFaces reads the rendered faces and the light, pan and tilt that made them.
func loadFaces(ctx context.Context, dir string) (*table, error) {
	x, err := readVectors(ctx, filepath.Join(dir, "faces_698x1024_f64.npy.gz"))
	if err != nil {
		return nil, err
	}
	t := &table{x: x}
	return t, lines(filepath.Join(dir, "faces_latent.csv"), ',', 1, func(f []string) error {
		if t.names == nil {
			t.names = slices.Clone(f)
			return nil
		}
		return t.addKnown(f)
	})
}

// loadFrey reads the frames of a film. The known number of a frame is its time.
func loadFrey(ctx context.Context, dir string) (*table, error) {
	x, err := readVectors(ctx, filepath.Join(dir, "frey-images-idx3-ubyte.gz"))
	t := &table{x: x, names: []string{"frame"}}
	for i := range x.Rows {
		t.known = append(t.known, []float64{float64(i)})
	}
	return t, err
}

// connections is the number of NSL-KDD's training records to use: the part that its authors publish
// as KDDTrain+_20Percent.
const connections = 25_192

// loadConnections reads network connections. Each value of a text column becomes a column of 0 and
// 1. Numbers v become log(1+v), standardised. The label is normal or the name of the attack.
func loadConnections(_ context.Context, dir string) (*table, error) {
	const features, label = 41, 41 // columns before the label, and its index
	words := map[int][]string{1: nil, 2: nil, 3: nil}
	var records [][]string
	err := lines(filepath.Join(dir, "KDDTrain+.txt.gz"), ',', label+1, func(f []string) error {
		if len(records) == connections {
			return nil
		}
		for c, seen := range words {
			if !slices.Contains(seen, f[c]) {
				words[c] = append(seen, f[c])
			}
		}
		records = append(records, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := new(table)
	var columns [][]float64
	for c := range features {
		for _, word := range words[c] {
			column := make([]float64, len(records))
			for i, r := range records {
				if r[c] == word {
					column[i] = 1
				}
			}
			columns = append(columns, column)
		}
		if len(words[c]) > 0 {
			continue
		}
		column := make([]float64, len(records))
		for i, r := range records {
			v, err := strconv.ParseFloat(r[c], 64)
			if err != nil {
				return nil, fmt.Errorf("record %d: %w", i+1, err)
			}
			column[i] = math.Log1p(v)
		}
		standardise(column)
		columns = append(columns, column)
	}
	t.x = vec.New[float32](len(records), len(columns))
	for i, r := range records {
		t.label = append(t.label, r[label])
		for c := range columns {
			t.x.Row(i)[c] = float32(columns[c][i])
		}
	}
	return t, nil
}

// standardise scales a column to mean 0 and deviation 1. A constant one becomes 0.
func standardise(v []float64) {
	var mean, square float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for i := range v {
		v[i] -= mean
		square += v[i] * v[i] / float64(len(v))
	}
	if square < 1e-24 {
		clear(v)
		return
	}
	for i := range v {
		v[i] /= math.Sqrt(square)
	}
}

// loadGloVe reads a word and its vector a line.
func loadGloVe(_ context.Context, dir string) (*table, error) {
	t := new(table)
	var names []string
	err := lines(filepath.Join(dir, "glove_twitter_11925x25.txt.gz"), ' ', 2, func(f []string) error {
		names = append(names, f[0])
		return t.addRow(f[1:])
	})
	if err != nil {
		return nil, err
	}
	return t, t.asWords(names)
}

// loadWord2vec reads the words in word2vec's binary format.
func loadWord2vec(_ context.Context, dir string) (*table, error) {
	names, x, err := words.Read(words.File(filepath.Dir(dir)))
	if err != nil {
		return nil, err
	}
	t := &table{x: x}
	return t, t.asWords(names)
}

// categories is a short list of words with their categories: "word,category".
//
//go:embed words.csv
var categories []byte

// asWords labels the words in categories, ignoring case.
func (t *table) asWords(words []string) error {
	rows, err := csv.NewReader(bytes.NewReader(categories)).ReadAll()
	if err != nil {
		return err
	}
	category := map[string]string{}
	for _, r := range rows[1:] {
		category[r[0]] = r[1]
	}
	for _, w := range words {
		t.label = append(t.label, category[strings.ToLower(w)])
	}
	return nil
}

// loadGlosses reads the vectors of sentences, and their categories from a table with a header.
func loadGlosses(ctx context.Context, dir string) (*table, error) {
	x, err := readVectors(ctx, filepath.Join(dir, "glosses_10000x384_f16.npy"))
	if err != nil {
		return nil, err
	}
	t := &table{x: x}
	category := -1
	return t, lines(filepath.Join(dir, "glosses.tsv.gz"), '\t', 2, func(f []string) error {
		if category >= 0 {
			t.label = append(t.label, f[category])
			return nil
		}
		if category = slices.Index(f, "category"); category < 0 {
			return fmt.Errorf("there is no column category in %q", f)
		}
		return nil
	})
}
