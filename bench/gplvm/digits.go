package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"unfold/models/gplvm"
	"unfold/sparse/vec"
)

const (
	digitRows   = 600 // of each digit
	digitRounds = 2
	fullRows    = 500
	fullSteps   = 60
)

// zip reads the digits 0 to 4 of the USPS training data, some of each.
func (b *bench) zip() (y vec.Matrix[float64], label []int, err error) {
	all, err := numbers(filepath.Join(b.data, "usps", "zip.train.gz"))
	if err != nil {
		return y, nil, err
	}
	var rows []int32
	count := make([]int, 10)
	for i := range all.Rows {
		if d := int(all.Row(i)[0]); d <= 4 && count[d] < digitRows {
			count[d]++
			rows, label = append(rows, int32(i)), append(label, d)
		}
	}
	return columns(vec.Take(all, rows), 1, 257), label, nil
}

// digits is section 7.2.2 for the full model: some handwritten digits 0 to 4.
func digits(ctx context.Context, b *bench) (string, error) {
	all, labels, err := b.zip()
	if errors.Is(err, fs.ErrNotExist) {
		return "Not measured: there is no usps/zip.train.gz.\n", nil
	}
	if err != nil {
		return "", err
	}
	var rows []int32
	var label []int
	for i := 0; i < all.Rows && len(rows) < fullRows; i += all.Rows / fullRows {
		rows, label = append(rows, int32(i)), append(label, labels[i])
	}
	y, pixels := varied(vec.Take(all, rows))
	begin := time.Now()
	m, err := b.full(ctx, rbf, y, vec.Matrix[float64]{}, fullSteps)
	if err != nil {
		return "", err
	}
	took := seconds(begin)
	start, err := m.model.PCA(2)
	if err != nil {
		return "", err
	}
	t := newTable(fmt.Sprintf("%d digits", y.Rows), "errors", "time")
	t.row("principal components, whitened", fmt.Sprint(mistakes(start, label)), "")
	t.row(fmt.Sprintf("full, rbf, %d iterations", fullSteps), fmt.Sprint(mistakes(m.point.X, label)), took)
	a, err := m.model.Predictor(m.point.Theta, m.point.X, gplvm.Gaussian{Variance: gplvm.DefaultVariance})
	if err != nil {
		return "", err
	}
	if err := shade(filepath.Join(b.figures, "digits.png"), a, y.Cols, m.point.X, label); err != nil {
		return "", err
	}
	if err := grid(filepath.Join(b.figures, "decoded.png"), a, m.model.Mean(), pixels); err != nil {
		return "", err
	}
	return fmt.Sprintf(`USPS digits 0 to 4, 16 x 16 grey values, %d of them.

%s
![Places of the full model on its precision](gplvm/digits.png) ![What the model says lies there](gplvm/decoded.png)

Left: places of the full model, on the precision of its predictions. Right: its means on a grid over the same part of the map.
`, y.Rows, t.String()), nil
}

// digitsSparse is section 7.2.2: 3000 digits.
func digitsSparse(ctx context.Context, b *bench) (string, error) {
	y, label, err := b.zip()
	if errors.Is(err, fs.ErrNotExist) {
		return "Not measured: there is no usps/zip.train.gz.\n", nil
	}
	if err != nil {
		return "", err
	}
	y, _ = varied(y)
	begin := time.Now()
	x, err := b.sparse(ctx, rbf, y, 100, digitRounds)
	if err != nil {
		return "", err
	}
	t := newTable(fmt.Sprintf("%d digits", y.Rows), "errors", "paper, 15 rounds", "time")
	t.row(fmt.Sprintf("100 active, rbf, %d rounds", digitRounds), fmt.Sprint(mistakes(x, label)), "208", seconds(begin))
	return t.String(), nil
}

// varied returns the columns of y that are not constant, and which they are.
func varied(y vec.Matrix[float64]) (out vec.Matrix[float64], which []int) {
	for c := range y.Cols {
		for i := 1; i < y.Rows; i++ {
			if y.Row(i)[c] != y.Row(0)[c] {
				which = append(which, c)
				break
			}
		}
	}
	out = vec.New[float64](y.Rows, len(which))
	for i := range y.Rows {
		for p, c := range which {
			out.Row(i)[p] = y.Row(i)[c]
		}
	}
	return out, which
}
