package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/score"
)

// data are labelled rows, training rows first.
type data struct {
	name  string
	x     vec.Matrix[float32]
	class []int32
	names []string
	train int
}

// loader draws rows of a data set in dir with the given seed.
type loader func(ctx context.Context, dir string, n sizes, seed uint64) (*data, error)

// sizes are the numbers of training and test rows.
type sizes struct{ train, test int }

// Sizes by experiment.
var (
	hybridSizes = sizes{300, 300}
	mapSizes    = sizes{4000, 4000}
)

// rare is the least size of a class. Smaller ones are merged to the class "other".
const rare = 40

// lines calls take with the fields of every line of a file.
func lines(path string, split func(string) []string, take func(fields []string) error) error {
	file, err := harness.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if err := take(split(scan.Text())); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return scan.Err()
}

func numbers(fields []string) ([]float32, error) {
	out := make([]float32, len(fields))
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 32)
		if err != nil {
			return nil, err
		}
		out[i] = float32(v)
	}
	return out, nil
}

// rows is a table under construction.
type rows struct {
	x     [][]float32
	label []string
}

// sample returns n random rows as data.
func (r *rows) sample(name string, n sizes, seed uint64) *data {
	rnd := rand.New(rand.NewPCG(7, 11+seed))
	order := rnd.Perm(len(r.x))[:min(len(r.x), n.train+n.test)]
	d := &data{name: name, x: vec.New[float32](len(order), len(r.x[0])), train: min(n.train, len(order)/2)}
	label, count := make([]string, len(order)), map[string]int{}
	for i, k := range order {
		copy(d.x.Row(i), r.x[k])
		label[i] = r.label[k]
		count[label[i]]++
	}
	for i, l := range label {
		if count[l] < min(rare, len(order)/10) {
			label[i] = "other"
		}
	}
	d.class, d.names = score.Classes(label)
	return d
}

func oil(_ context.Context, dir string, n sizes, seed uint64) (*data, error) {
	var r rows
	for _, part := range []string{"Trn", "Vdn"} {
		err := lines(filepath.Join(dir, "oil", "Data"+part+".txt"), strings.Fields, func(f []string) error {
			x, err := numbers(f)
			r.x = append(r.x, x)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = lines(filepath.Join(dir, "oil", "Data"+part+"Lbls.txt"), strings.Fields, func(f []string) error {
			r.label = append(r.label, strconv.Itoa(slices.IndexFunc(f, func(s string) bool { return s[0] == '1' })))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(r.label) != len(r.x) {
		return nil, fmt.Errorf("oil: %d rows and %d labels", len(r.x), len(r.label))
	}
	return r.sample("Oil flow", n, seed), nil
}

func usps(_ context.Context, dir string, n sizes, seed uint64) (*data, error) {
	var r rows
	err := lines(filepath.Join(dir, "usps", "zip.train.gz"), strings.Fields, func(f []string) error {
		x, err := numbers(f)
		if err != nil {
			return err
		}
		r.x, r.label = append(r.x, x[1:]), append(r.label, strconv.Itoa(int(x[0])))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.sample("USPS digits", n, seed), nil
}

func kdd(_ context.Context, dir string, n sizes, seed uint64) (*data, error) {
	return connections("KDD Cup 1999", filepath.Join(dir, "kddcup99", "kddcup.data_10_percent.gz"), n, seed)
}

func nsl(_ context.Context, dir string, n sizes, seed uint64) (*data, error) {
	return connections("NSL-KDD", filepath.Join(dir, "nslkdd", "KDDTrain+.txt.gz"), n, seed)
}

// connections reads network connections. Three text columns become columns of 0 and 1, and numbers
// v become log(1 + v). All are standardised.
func connections(name, path string, n sizes, seed uint64) (*data, error) {
	const columns = 41
	var records [][]string
	seen, rnd := 0, rand.New(rand.NewPCG(1, 2+seed))
	err := lines(path, func(s string) []string { return strings.Split(s, ",") }, func(f []string) error {
		if len(f) <= columns {
			return fmt.Errorf("a line of %d fields", len(f))
		}
		seen++
		if len(records) < n.train+n.test {
			records = append(records, f)
		} else if k := rnd.IntN(seen); k < len(records) {
			records[k] = f
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &rows{x: make([][]float32, len(records))}
	for _, f := range records {
		r.label = append(r.label, strings.TrimSuffix(f[columns], "."))
	}
	for c := range columns {
		if c >= 1 && c <= 3 {
			values := make([]string, len(records))
			for i, f := range records {
				values[i] = f[c]
			}
			_, words := score.Classes(values)
			for _, w := range words {
				r.add(func(i int) float64 { return float64(b2i(values[i] == w)) })
			}
			continue
		}
		r.add(func(i int) float64 {
			v, err := strconv.ParseFloat(records[i][c], 64)
			if err != nil {
				return math.NaN()
			}
			return math.Log1p(v)
		})
	}
	return r.sample(name, n, seed), nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add adds a standardised column, unless it is constant.
func (r *rows) add(value func(i int) float64) {
	v, mean, variance := make([]float64, len(r.x)), 0.0, 0.0
	for i := range v {
		v[i] = value(i)
		mean += v[i] / float64(len(v))
	}
	for _, t := range v {
		variance += (t - mean) * (t - mean) / float64(len(v))
	}
	if !(variance > 0) {
		return
	}
	for i, t := range v {
		r.x[i] = append(r.x[i], float32((t-mean)/math.Sqrt(variance)))
	}
}

func mnist(ctx context.Context, dir string, n sizes, seed uint64) (*data, error) {
	dir = filepath.Join(dir, "mnist")
	all, err := ingest.ReadAll(ctx, []string{filepath.Join(dir, "train-images-idx3-ubyte.gz")},
		ingest.ReadOptions{LabelFiles: []string{filepath.Join(dir, "train-labels-idx1-ubyte.gz")}})
	if err != nil {
		return nil, err
	}
	r := &rows{label: all.Label}
	for i := range all.X.Rows {
		r.x = append(r.x, all.X.Row(i))
	}
	return r.sample("MNIST", n, seed), nil
}

// toy are rows around three centres.
func toy(_ context.Context, _ string, n sizes, seed uint64) (*data, error) {
	rnd, r := rand.New(rand.NewPCG(1, 5+seed)), new(rows)
	for range 120 {
		c := rnd.IntN(3)
		x := make([]float32, 6)
		for j := range x {
			x[j] = float32(rnd.NormFloat64()) / 2
		}
		x[c] += 2
		r.x, r.label = append(r.x, x), append(r.label, strconv.Itoa(c))
	}
	return r.sample("Toy", sizes{60, 60}, seed), nil
}
