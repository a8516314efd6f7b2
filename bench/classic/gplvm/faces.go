package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

const (
	faceSteps = 150
	faceRows  = 28
	faceCols  = 20
	// The number of pictures on a path between two frames of the film.
	facePath = 14
)

// faceEnds are the frames between which paths lead, as shares of the film.
var faceEnds = [][2]float64{{0.02, 0.5}, {0.15, 0.8}, {0.3, 0.95}, {0.45, 0.1}}

// film reads the Frey faces: frames of 28 x 20 bytes.
func (b *bench) film() (vec.Matrix[float64], error) {
	var y vec.Matrix[float64]
	path := b.dataFile(facesFile)
	f, err := harness.Open(path)
	if err != nil {
		return y, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		return y, err
	}
	head := []byte{0, 0, 8, 3}
	if len(raw) < 16 || !bytes.Equal(raw[:4], head) || binary.BigEndian.Uint32(raw[8:]) != faceRows || binary.BigEndian.Uint32(raw[12:]) != faceCols {
		return y, fmt.Errorf("%s: want frames of %d x %d bytes", path, faceRows, faceCols)
	}
	y = vec.New[float64](int(binary.BigEndian.Uint32(raw[4:])), faceRows*faceCols)
	if len(raw) != 16+len(y.Data) {
		return y, fmt.Errorf("%s: %d bytes for %d frames", path, len(raw), y.Rows)
	}
	for i, v := range raw[16:] {
		y.Data[i] = float64(v)
	}
	return y, nil
}

// faces is section 7.3.2: a film of one face, and generated faces between its frames.
func faces(ctx context.Context, b *bench) (string, error) {
	y, err := b.film()
	if err != nil {
		return "", err
	}
	scaled := standardized(y)
	c, err := b.kept(ctx, "faces", scaled, task{kernel: rbf, start: gplvm.StartPCA, steps: faceSteps})
	if err != nil {
		return "", err
	}
	a, err := c.predictor()
	if err != nil {
		return "", err
	}
	fifth := make([]int, y.Rows)
	for i := range fifth {
		fifth[i] = 5 * i / y.Rows
	}
	if err := shade(filepath.Join(b.figures, "faces.png"), a, y.Cols, c.point.X, fifth); err != nil {
		return "", err
	}
	path := vec.New[float64](len(faceEnds)*facePath, 2)
	for r, ends := range faceEnds {
		from, to := c.point.X.Row(int(ends[0]*float64(y.Rows))), c.point.X.Row(int(ends[1]*float64(y.Rows)))
		for s := range facePath {
			share := float64(s) / (facePath - 1)
			for k := range 2 {
				path.Row(r*facePath + s)[k] = from[k] + share*(to[k]-from[k])
			}
		}
	}
	// Two deviations around the overall mean are mapped to grey values from black to white.
	tone := func(v float64) float64 { return 0.5 + v/4 }
	mean := make([]float64, y.Cols)
	for i := range y.Rows {
		vec.Axpy(1/float64(y.Rows), y.Row(i), mean)
	}
	overall := 0.0
	for _, v := range mean {
		overall += v / float64(len(mean))
	}
	scale := 1 / deviation(y)
	at := decoded(a, path, faceCols, len(mean), nil, math.Inf(1), func(v float64) float64 { return v })
	for _, p := range at {
		for k, v := range p.Level {
			p.Level[k] = tone(v + (mean[k]-overall)*scale)
		}
	}
	if err := sheet.Write(filepath.Join(b.figures, "fantasies.png"), facePath, 2, at); err != nil {
		return "", err
	}
	return fmt.Sprintf(`%d frames of a film of one face, %d x %d grey values, learnt by the full model: %d iterations in %s, log-likelihood %.0f.

![Places of the frames on the precision of the model](gplvm/faces.png) ![Faces along straight lines of the map](gplvm/fantasies.png)

Left: fifths of the film by colour. Right: the model's predictions on straight lines between the places of two frames, which are at both ends of each row.
`, y.Rows, faceRows, faceCols, c.Iterations, c.time(), c.LogLik), nil
}
