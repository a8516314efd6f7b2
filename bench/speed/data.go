package main

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/pca"
)

// inputDims is the number of principal components of images for all programs, which is the default
// of `unfold fit`.
const inputDims = 50

// digits are the images of MNIST or, with -small, toy images in the same files.
type digits struct {
	train, test             string // images, idx.gz
	trainLabels, testLabels string
	// raw are all images, training images first. z are their principal components, also in the file
	// components.
	raw, z vec.Matrix[float32]
	zFile  string
	first  int // number of training images
}

// images loads MNIST, once.
func (b *bench) images(ctx context.Context) (*digits, error) {
	if b.digits != nil {
		return b.digits, nil
	}
	dir := filepath.Join(b.data, "mnist")
	if b.small {
		dir = b.file("data", "toy")
		if err := toyImages(dir, 2000, 400); err != nil {
			return nil, err
		}
	} else if b.data == "" {
		return nil, unavailable("MNIST: no folder of data was named")
	}
	d := &digits{
		train: filepath.Join(dir, "train-images-idx3-ubyte.gz"), trainLabels: filepath.Join(dir, "train-labels-idx1-ubyte.gz"),
		test: filepath.Join(dir, "t10k-images-idx3-ubyte.gz"), testLabels: filepath.Join(dir, "t10k-labels-idx1-ubyte.gz"),
		zFile: b.file("data", "components.npy"),
	}
	if _, err := os.Stat(d.train); errors.Is(err, fs.ErrNotExist) {
		return nil, unavailable("MNIST: its files are missing")
	}
	all, err := ingest.ReadAll(ctx, []string{d.train, d.test}, ingest.ReadOptions{})
	if err != nil {
		return nil, err
	}
	d.raw, d.first = all.X, all.Files[0].Rows
	if d.z, err = b.components(ctx, d.raw); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.file("data"), 0o777); err != nil {
		return nil, err
	}
	b.digits = d
	return d, writeNPY(d.zFile, d.z)
}

// components returns the leading principal components of the rows of x.
func (b *bench) components(ctx context.Context, x vec.Matrix[float32]) (vec.Matrix[float32], error) {
	pca, err := pca.Fit(ctx, x, inputDims, pca.Settings{Threads: b.threads, Seed: 1})
	if err != nil {
		return x, err
	}
	return pca.Projector().Apply(x, b.threads), nil
}

// toyImages writes four files like MNIST's, with images of ten noisy patterns.
func toyImages(dir string, train, test int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const side, classes = 28, 10
	patterns := make([]byte, classes*side*side)
	for i := range patterns {
		patterns[i] = byte(rng.IntN(200))
	}
	for _, part := range []struct {
		name string
		n    int
	}{{"train", train}, {"t10k", test}} {
		name, n := part.name, part.n
		var images, labels []byte
		for range n {
			class := rng.IntN(classes)
			labels = append(labels, byte(class))
			for k, v := range patterns[class*side*side:][:side*side] {
				// Noise decreases along the pixels, so that there are principal components.
				images = append(images, v+byte(rng.IntN(max(1, 56-k/2))))
			}
		}
		if err := writeIDX(filepath.Join(dir, name+"-images-idx3-ubyte.gz"), images, n, side, side); err != nil {
			return err
		}
		if err := writeIDX(filepath.Join(dir, name+"-labels-idx1-ubyte.gz"), labels, n); err != nil {
			return err
		}
	}
	return nil
}

// writeIDX writes bytes as an idx file of a shape, through gzip.
func writeIDX(path string, data []byte, shape ...int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	head := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	if _, err := z.Write(append(head, data...)); err != nil {
		return err
	}
	return errors.Join(z.Close(), f.Close())
}

// writeNPY writes x as NumPy's format 1.0, rows by columns.
func writeNPY(path string, x vec.Matrix[float32]) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := writeArray(w, x.Data, x.Rows, x.Cols); err != nil {
		return err
	}
	return errors.Join(w.Flush(), f.Close())
}

// array is a member of an npz file: numbers with their shape.
type array struct {
	name  string
	data  any
	shape []int
}

// writeNPZ writes arrays as an npz file, not compressed.
func writeNPZ(path string, arrays ...array) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, a := range arrays {
		w, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := writeArray(w, a.data, a.shape...); err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), f.Close())
}

// writeArray writes numbers in NumPy's format 1.0, with a header padded so that they begin at a
// multiple of 64 bytes.
func writeArray(w io.Writer, data any, shape ...int) error {
	kind := ""
	switch data := data.(type) {
	case []byte: // a text
		kind = fmt.Sprintf("|S%d", len(data))
	case []float32:
		kind = "<f4"
	case []float64:
		kind = "<f8"
	case []int32:
		kind = "<i4"
	default:
		return fmt.Errorf("npy: no name for %T", data)
	}
	sizes := ""
	for _, n := range shape {
		sizes += fmt.Sprintf("%d, ", n)
	}
	const before = 10
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sizes)
	for (before+len(text)+1)%64 != 0 {
		text += " "
	}
	text += "\n"
	if _, err := io.WriteString(w, "\x93NUMPY\x01\x00"+string([]byte{byte(len(text)), byte(len(text) >> 8)})+text); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, data)
}
