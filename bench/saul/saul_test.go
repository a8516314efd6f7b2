package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// lists returns neighbour lists made by hand.
func lists(rows ...[]int32) *knn.Neighbors {
	nb := knn.NewNeighbors(len(rows), len(rows[0]))
	for i, row := range rows {
		index, _ := nb.Row(i)
		copy(index, row)
	}
	return nb
}

// Of three words the first keeps its nearest neighbour, the second has it in second place, and the
// third lost it.
func TestRecall(t *testing.T) {
	before := lists([]int32{1}, []int32{2}, []int32{0})
	after := lists([]int32{1, 2, 2}, []int32{0, 2, 0}, []int32{1, 1, 1})
	for r, want := range map[int]float64{1: 1. / 3, 2: 2. / 3, 3: 2. / 3} {
		if got := recall(before, after, r); math.Abs(got-want) > 1e-15 {
			t.Errorf("recall at %d is %g, want %g", r, got, want)
		}
	}
}

// Words of Table 1 come before words of Table S2, in the paper's order. Missing words are left out.
func TestNear(t *testing.T) {
	names := []string{"America", "word", "a", "b", "c"}
	before := lists([]int32{1, 2, 3, 4}, []int32{0, 2, 3, 4}, []int32{0, 1, 3, 4}, []int32{0, 1, 2, 4}, []int32{0, 1, 2, 3})
	after := lists([]int32{4, 3, 2, 1, 1}, []int32{4, 3, 2, 0, 0}, make([]int32, 5), make([]int32, 5), make([]int32, 5))
	got := near(names, before, after)
	want := []nearWords{
		{"word", strings.Fields("America a b c"), strings.Fields("c b a America")},
		{"America", strings.Fields("word a b c"), strings.Fields("c b a word")},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDecades(t *testing.T) {
	got := decades([]float64{0.05, 1, 2, 9.9, 10, 5000})
	if want := []decade{{-2, 1}, {0, 3}, {1, 1}, {3, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A close-up shows the region of its classes without their outliers, and the map has a box there.
func TestCloseups(t *testing.T) {
	const n = 1000
	p := sheet.Panel{X: vec.New[float32](n, 2), Class: make([]int32, n)}
	for i := range n {
		p.Class[i] = int32(i % 10)
		place := []float32{float32(i%97) / 97, float32(i%89) / 89}
		switch {
		case p.Class[i] == 7:
			place[0] += 10
		case i < 10:
			place[0] -= 500 // an outlier of each class
		}
		copy(p.X.Row(i), place)
	}
	all := closeups(p)
	if len(all) != 3 || len(all[0].Boxes) != 2 || all[0].Boxes[0] != all[1].Window || all[0].Boxes[1] != all[2].Window || all[0].Window.Span != 0 {
		t.Fatalf("%d panels, boxes %v, windows %v and %v", len(all), all[0].Boxes, all[1].Window, all[2].Window)
	}
	for k, want := range []struct{ middle, span float64 }{{0.5, 1}, {5.5, 11}} {
		if f := all[k+1].Window; math.Abs(f.Middle[0]-want.middle) > 0.1 || math.Abs(f.Span-want.span) > 0.2*want.span {
			t.Errorf("%v: window %v, want about %v", confusable[k], f, want)
		}
	}
}

func TestUnit(t *testing.T) {
	x := unit(vec.Of(2, 2, []float32{3, 4, 0, -2}))
	if want := []float64{0.6, 0.8, 0, -1}; !slices.EqualFunc(x.Data, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
		t.Errorf("%v, want %v", x.Data, want)
	}
}

// Classes are around (0,0), (10,0) and (0,10), with points at distance 1. The mean distance of
// class means is (10 + 10 + 10 sqrt 2)/3. The map scaled by two has the same ratio.
func TestApart(t *testing.T) {
	x, class := vec.New[float32](0, 2), []int32{}
	for c, at := range [][2]float32{{0, 0}, {10, 0}, {0, 10}} {
		for _, step := range []float32{-1, 1} {
			x.Rows, x.Data, class = x.Rows+1, append(x.Data, at[0]+step, at[1]), append(class, int32(c))
		}
	}
	want := (20 + 10*math.Sqrt2) / 3
	for scale := range 2 {
		if got := apart(x, class); math.Abs(got-want) > 1e-6 {
			t.Errorf("%g apart, want %g (scale %d)", got, want, scale+1)
		}
		vec.Scale(2, x.Data)
	}
}

func TestClasses(t *testing.T) {
	if got, want := classes([]string{"5", "0", "4", "0", "5"}), []int32{2, 0, 1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLeading(t *testing.T) {
	x := vec.Of(2, 3, []float32{1, 2, 3, 4, 5, 6})
	if got := leading(x, 2); got.Cols != 2 || !slices.Equal(got.Data, []float32{1, 2, 4, 5}) {
		t.Errorf("%+v", got)
	}
}

// Of 2000 points of two distant classes, the hundred with the largest deviations lie in the other
// class. The function finds them: all of them are wrong, and without them everything is right.
func TestVariances(t *testing.T) {
	const n = 2000
	x, sigma, class := vec.New[float32](n, 2), make([]float32, n), make([]int32, n)
	for i := range n {
		class[i] = int32(i % 2)
		side := i % 2
		sigma[i] = 1 + float32(i)/n
		if i < uncertain {
			side, sigma[i] = 1-side, 1000+float32(i)
		}
		copy(x.Row(i), []float32{float32(100*side) + float32(i%37)/37, float32(i%41) / 41})
	}
	r := new(mapResult)
	least, err := r.variances(t.Context(), x, sigma, class)
	if err != nil {
		t.Fatal(err)
	}
	if least = least[:uncertain]; least[0] != uncertain-1 || least[uncertain-1] != 0 {
		t.Errorf("the least certain are %v", least)
	}
	if r.Uncertain != uncertain || r.Sure != 1 || math.Abs(r.All-(1-float64(uncertain)/n)) > 1e-12 {
		t.Errorf("%d of the uncertain are wrong; %g are right, %g without them", r.Uncertain, r.All, r.Sure)
	}
	if v := r.Variances; len(v) != len(shares) || v[0] < 1 || v[0] > 1.2 || v[len(v)-1] != 1099*1099 || !slices.IsSorted(v) {
		t.Errorf("quantiles of the variances are %v", v)
	}
}

// writeIDX writes examples of two pixels, or labels. Each value is the example's number.
func writeIDX(t *testing.T, path string, n int, dims ...uint32) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	size, head := 1, []byte{0, 0, 8, byte(1 + len(dims))}
	for _, d := range append([]uint32{uint32(n)}, dims...) {
		head = binary.BigEndian.AppendUint32(head, d)
	}
	for _, d := range dims {
		size *= int(d)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(head)
	for i := range n * size {
		z.Write([]byte{byte(i / size)})
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Fourteen digits are twelve for training and two for the test, with their labels in that order.
func TestImages(t *testing.T) {
	b := &bench{data: t.TempDir(), dir: t.TempDir()}
	for part, n := range map[string]int{"train": 20, "t10k": 5} {
		writeIDX(t, filepath.Join(b.data, "mnist", part+"-images-idx3-ubyte.gz"), n, 1, 2)
		writeIDX(t, filepath.Join(b.data, "mnist", part+"-labels-idx1-ubyte.gz"), n)
	}
	args, train, err := b.images(14)
	if err != nil || train != 12 {
		t.Fatal(args, train, err)
	}
	want := []string{
		b.file("train-12-images-idx3-ubyte"), b.file("t10k-2-images-idx3-ubyte"),
		"--label-file", b.file("train-12-labels-idx1-ubyte"), "--label-file", b.file("t10k-2-labels-idx1-ubyte"),
	}
	if !slices.Equal(args, want) {
		t.Errorf("%v, want %v", args, want)
	}
	raw, err := os.ReadFile(args[1])
	if err != nil || !bytes.Equal(raw, []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 1}) {
		t.Errorf("two test digits are %v (%v)", raw, err)
	}
	if _, _, err := b.images(70); err == nil || !strings.Contains(err.Error(), "60 examples of 20") {
		t.Errorf("more digits than there are: %v", err)
	}
}

func TestReadIDXRefuses(t *testing.T) {
	for name, raw := range map[string][]byte{"empty": {}, "short head": {0, 0, 8, 3, 0, 0, 0, 1}, "short data": {0, 0, 8, 1, 0, 0, 0, 2, 7}} {
		path := filepath.Join(t.TempDir(), "x.gz")
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write(raw)
		z.Close()
		if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readIDX(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCountClusters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clusters.csv")
	for text, want := range map[string]rollClusters{
		"id,cluster\na,3\nb,-1\nc,3\nd,0\n": {2, 0.75},
		"id,cluster\na,-1\n":                {0, 0},
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := countClusters(path); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"id,group\na,1\n", "id,cluster\n", ""} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := countClusters(path); err == nil {
			t.Errorf("%q is a table of clusters", text)
		}
	}
}

// Every fourth point of the roll is taken, after the line of names.
func TestSampleRoll(t *testing.T) {
	b := &bench{data: t.TempDir(), dir: t.TempDir()}
	path := filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write([]byte("x,y\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n"))
	z.Close()
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := b.sampleRoll(); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(b.file("roll.csv")); err != nil || string(raw) != "x,y\n4,4\n8,8\n" {
		t.Errorf("%q, %v", raw, err)
	}
}
