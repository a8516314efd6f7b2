package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/pca"
)

// data are rows of one distribution, and of a class that appears later.
type data struct {
	Name string
	// usual are in random order.
	usual, late vec.Matrix[float32]
	what        string // describes late
}

// components is the number of principal components of the digits that are used, as for a map.
const components = 30

// digits are those of MNIST. Nines appear later.
func digits(ctx context.Context, dir string) (*data, error) {
	dir = filepath.Join(dir, "mnist")
	all, err := ingest.ReadAll(ctx, []string{filepath.Join(dir, "train-images-idx3-ubyte.gz")}, ingest.ReadOptions{LabelFiles: []string{filepath.Join(dir, "train-labels-idx1-ubyte.gz")}})
	if err != nil {
		return nil, err
	}
	p, err := pca.Fit(ctx, all.X, components, pca.Settings{Seed: 1, Threads: 2})
	if err != nil {
		return nil, err
	}
	return part("MNIST, 30 principal components", "nines", p.Projector().Apply(all.X, 2), func(i int) string {
		if all.Label[i] == "9" {
			return "late"
		}
		return "usual"
	}), nil
}

// connections are the normal connections of NSL-KDD with their numeric columns. neptune, a flood of
// unfinished connections, appears later.
func connections(_ context.Context, dir string) (*data, error) {
	path := filepath.Join(dir, "nslkdd", "KDDTrain+.txt.gz")
	file, err := harness.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const features = 41
	var rows [][]float32
	var label []string
	for scan := bufio.NewScanner(file); scan.Scan(); {
		fields := strings.Split(scan.Text(), ",")
		var row []float32
		for c, f := range fields[:features] {
			if c == 1 || c == 2 || c == 3 { // protocol, service, flag
				continue
			}
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			row = append(row, float32(math.Log1p(v)))
		}
		rows, label = append(rows, row), append(label, fields[features])
	}
	x := vec.New[float32](len(rows), len(rows[0]))
	for i, row := range rows {
		copy(x.Row(i), row)
	}
	d := part("NSL-KDD, normal connections", "neptune attacks", x, func(i int) string {
		return map[string]string{"normal": "usual", "neptune": "late"}[label[i]]
	})
	standardise(d)
	return d, nil
}

// gaussians are normal rows around five centres. Those around a sixth appear later.
func gaussians(context.Context, string) (*data, error) {
	const dim, centres = 10, 5
	r := rand.New(rand.NewPCG(8, 8))
	centre := normal(r, centres+1, dim)
	about := func(x vec.Matrix[float32], first, of int) vec.Matrix[float32] {
		for i := range x.Rows {
			for c, v := range centre.Row(first + r.IntN(of)) {
				x.Row(i)[c] += 3 * v
			}
		}
		return x
	}
	return &data{
		Name: "Normal rows around five centres", what: "rows around a sixth centre",
		usual: about(normal(r, 60_000, dim), 0, centres), late: about(normal(r, 5000, dim), centres, 1),
	}, nil
}

// part shuffles rows and separates those of a class.
func part(name, what string, x vec.Matrix[float32], class func(i int) string) *data {
	var rows [2][]int32
	for _, i := range rand.New(rand.NewPCG(3, 3)).Perm(x.Rows) {
		switch class(i) {
		case "usual":
			rows[0] = append(rows[0], int32(i))
		case "late":
			rows[1] = append(rows[1], int32(i))
		}
	}
	return &data{Name: name, what: what, usual: vec.Take(x, rows[0]), late: vec.Take(x, rows[1])}
}

// standardise scales every column of the usual rows to mean 0 and variance 1, and the late rows by
// the same factors. Constant columns are unchanged.
func standardise(d *data) {
	mean, deviation := moments(d.usual)
	for _, x := range []vec.Matrix[float32]{d.usual, d.late} {
		for i := range x.Rows {
			for c, v := range x.Row(i) {
				if deviation[c] > 0 {
					x.Row(i)[c] = float32((float64(v) - mean[c]) / deviation[c])
				}
			}
		}
	}
}

// moments returns the mean and the standard deviation of every column, 0 for a constant one.
func moments(x vec.Matrix[float32]) (mean, deviation []float64) {
	mean, deviation = make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			mean[c] += float64(v) / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			deviation[c] += (float64(v) - mean[c]) * (float64(v) - mean[c]) / float64(x.Rows)
		}
	}
	for c, v := range deviation {
		deviation[c] = math.Sqrt(v)
		if deviation[c] <= 1e-6*math.Abs(mean[c]) { // constant except for rounding
			deviation[c] = 0
		}
	}
	return mean, deviation
}
