package modeltest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"unfold/internal/fetched"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
)

// Digits returns the bundled handwritten digits with 784 pixels each, and their classes: 3,000 for
// training and 1,000 for testing.
func Digits(t testing.TB) (train vec.Matrix[float32], trainClass []int32, test vec.Matrix[float32], testClass []int32) {
	t.Helper()
	dir := fetched.Testdata("digits")
	train, trainClass = images(t, dir, "train")
	test, testClass = images(t, dir, "test")
	return train, trainClass, test, testClass
}

// MNIST returns the 60,000 training and 10,000 test digits. It ends the test without data (see
// tier.Data).
func MNIST(t testing.TB) (train vec.Matrix[float32], trainClass []int32, test vec.Matrix[float32], testClass []int32) {
	t.Helper()
	dir := filepath.Join(tier.Data(t), "mnist")
	train, trainClass = images(t, dir, "train")
	test, testClass = images(t, dir, "t10k")
	return train, trainClass, test, testClass
}

// images reads a pair of IDX files.
func images(t testing.TB, dir, name string) (vec.Matrix[float32], []int32) {
	t.Helper()
	pixels, shape := idx(t, filepath.Join(dir, name+"-images-idx3-ubyte.gz"))
	x := vec.New[float32](shape[0], shape[1]*shape[2])
	for i, p := range pixels {
		x.Data[i] = float32(p)
	}
	labels, _ := idx(t, filepath.Join(dir, name+"-labels-idx1-ubyte.gz"))
	class := make([]int32, len(labels))
	for i, l := range labels {
		class[i] = int32(l)
	}
	return x, class
}

// unzip returns the content of a gzip file.
func unzip(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// idx returns the bytes of an IDX file and its shape.
func idx(t testing.TB, path string) ([]byte, []int) {
	t.Helper()
	raw := unzip(t, path)
	shape := make([]int, raw[3])
	for k := range shape {
		shape[k] = int(binary.BigEndian.Uint32(raw[4+4*k:]))
	}
	return raw[4+4*len(shape):], shape
}

// Connections returns the bundled sample of KDD Cup 1999: log(1+v) of the numeric
// features, and whether a connection is an attack.
func Connections(t testing.TB) (x vec.Matrix[float32], attack []bool) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(unzip(t, filepath.Join(fetched.Testdata("kdd"), "kdd.csv.gz")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head, records := records[0], records[1:]
	label := slices.Index(head, "label")
	var columns []int
	for c, name := range head {
		if !slices.Contains([]string{"record", "protocol_type", "service", "flag", "label", "category"}, name) {
			columns = append(columns, c)
		}
	}
	x = vec.New[float32](len(records), len(columns))
	for i, r := range records {
		for k, c := range columns {
			v, err := strconv.ParseFloat(r[c], 64)
			if err != nil {
				t.Fatal(err)
			}
			x.Row(i)[k] = float32(math.Log1p(v))
		}
		attack = append(attack, r[label] != "normal")
	}
	return x, attack
}

// Blobs returns n points around five centres in dim dimensions.
func Blobs(n, dim int, seed uint64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 77))
	centers := vec.New[float32](5, dim)
	for k := range centers.Data {
		centers.Data[k] = 3 * float32(r.NormFloat64())
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		c := centers.Row(r.IntN(5))
		for k := range c {
			x.Row(i)[k] = c[k] + float32(r.NormFloat64())
		}
	}
	return x
}
