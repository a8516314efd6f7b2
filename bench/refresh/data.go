package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/models/score"
)

// inputDims is the number of principal components for maps. It was the default of `unfold fit`.
const inputDims = 50

// data are labelled rows in order of arrival.
type data struct {
	name  string
	x     vec.Matrix[float32]
	class []int32
	names []string // of the classes
	late  int32    // the class that appears or leaves
}

// digits loads MNIST: the leading principal components of all digits, shuffled.
func digits(ctx context.Context, dir string, threads int) (*data, error) {
	var images, labels []string
	for _, part := range []string{"train", "t10k"} {
		images = append(images, filepath.Join(dir, "mnist", part+"-images-idx3-ubyte.gz"))
		labels = append(labels, filepath.Join(dir, "mnist", part+"-labels-idx1-ubyte.gz"))
	}
	all, err := ingest.ReadAll(ctx, images, ingest.ReadOptions{LabelFiles: labels})
	if err != nil {
		return nil, err
	}
	p, err := pca.Fit(ctx, all.X, inputDims, pca.Settings{Threads: threads, Seed: 1})
	if err != nil {
		return nil, err
	}
	class, names := score.Classes(all.Label)
	d := &data{name: "MNIST", x: p.Projector().Apply(all.X, threads), class: class, names: names, late: -1}
	for c, name := range names {
		if name == "9" {
			d.late = int32(c)
		}
	}
	if d.late < 0 {
		return nil, fmt.Errorf("there is no digit 9 among the labels %q", names)
	}
	d.shuffle(1)
	return d, nil
}

// toy are rows around five centres, for a run of seconds.
func toy(rows int) *data {
	const dim, classes = 8, 5
	r := rand.New(rand.NewPCG(1, 0x70e))
	centres := vec.New[float32](classes, dim)
	for k := range centres.Data {
		centres.Data[k] = 3 * float32(r.NormFloat64())
	}
	d := &data{name: "toy data", x: vec.New[float32](rows, dim), class: make([]int32, rows), late: classes - 1}
	for c := range classes {
		d.names = append(d.names, strconv.Itoa(c))
	}
	for i := range rows {
		d.class[i] = int32(r.IntN(classes))
		for k, v := range centres.Row(int(d.class[i])) {
			d.x.Row(i)[k] = v + float32(r.NormFloat64())
		}
	}
	return d
}

func (d *data) shuffle(seed uint64) {
	order := rand.New(rand.NewPCG(seed, 0x5417)).Perm(d.x.Rows)
	d.x = vec.Take(d.x, order)
	class := make([]int32, len(order))
	for i, o := range order {
		class[i] = d.class[o]
	}
	d.class = class
}

// split returns the rows of the late class and the others in their order.
func (d *data) split() (late, others []int32) {
	for i, c := range d.class {
		if c == d.late {
			late = append(late, int32(i))
		} else {
			others = append(others, int32(i))
		}
	}
	return late, others
}

// labels are the classes of rows.
func (d *data) labels(rows []int32) []int32 {
	out := make([]int32, len(rows))
	for i, r := range rows {
		out[i] = d.class[r]
	}
	return out
}
