package hnsw

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// sample returns an index with layers, twins, vacant rows and vacant towers.
func sample(t testing.TB) *Index {
	ix := build(t, knntest.Points[float32]("duplicates", 64, 3, 1), Settings{M: 4, EfConstruction: 10}, knn.Settings{})
	var gone []int32
	for r := range int32(64) {
		if r%4 == 0 {
			gone = append(gone, r)
		}
	}
	if err := ix.Delete(gone, knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if len(ix.roots) < 2 || len(ix.lastTwin) == 0 || len(ix.vacant) == 0 || len(ix.vacantTowers) == 0 {
		t.Fatalf("%d layers, %d rows with twins, %d vacant rows, %d heights: not all kinds are there",
			len(ix.roots), len(ix.lastTwin), len(ix.vacant), len(ix.vacantTowers))
	}
	return ix
}

// A loaded index gives the same results as the saved one, also after further changes.
func TestLoadedEqualsSaved(t *testing.T) {
	ix := sample(t)
	b := links(t, ix)
	// The reader returns one byte at a time and has more data after the index.
	from := io.MultiReader(iotest.OneByteReader(bytes.NewReader(b)), bytes.NewReader([]byte("more")))
	again, err := LoadLinks(from, rowsOf(ix))
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(from); err != nil || string(rest) != "more" {
		t.Errorf("after loading there is %q left, error %v", rest, err)
	}
	q := knntest.Points[float32]("gauss", 20, 3, 4)
	for _, x := range []*Index{ix, again} {
		if _, err := x.Insert(context.Background(), q, knn.Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(saved(t, ix), saved(t, again)) {
		t.Error("the loaded index went another way")
	}
	want, err := ix.Search(context.Background(), q, 7, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Search(context.Background(), q, 7, knn.Settings{}); err != nil || !knntest.Equal(got, want) {
		t.Errorf("the loaded index answers otherwise, error %v", err)
	}
}

// Every truncation and every flipped byte is detected.
func TestLoadFindsDamage(t *testing.T) {
	ix := sample(t)
	b, x := links(t, ix), rowsOf(ix)
	for n := range b {
		if _, err := LoadLinks(bytes.NewReader(b[:n]), x); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut after %d bytes of %d: %v", n, len(b), err)
		}
		c := slices.Clone(b)
		c[n] ^= 0x21
		if _, err := LoadLinks(bytes.NewReader(c), x); !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
	if _, err := LoadLinks(iotest.ErrReader(io.ErrClosedPipe), x); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reading fails: %v", err)
	}
	if err := ix.SaveLinks(failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing fails: %v", err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// seal corrects the checksum of the bytes.
func seal(b []byte) []byte {
	if len(b) < 4 {
		return b
	}
	b = slices.Clone(b)
	body := b[:len(b)-4]
	binary.LittleEndian.PutUint32(b[len(body):], crc32.Checksum(body, castagnoli))
	return b
}

// Bytes with a valid checksum give an error or an index that works.
func FuzzLoad(f *testing.F) {
	ix := sample(f)
	x := rowsOf(ix)
	f.Add(links(f, ix))
	f.Fuzz(func(t *testing.T, b []byte) { useLoaded(t, seal(b), x) })
}

// Arbitrary changes with a corrected checksum, as a fuzzer makes them, give an error or an index
// that works.
func TestLoadSealedChanges(t *testing.T) {
	ix := sample(t)
	b, x := links(t, ix), rowsOf(ix)
	loaded := 0
	for n := range len(b) - 4 {
		for _, v := range []byte{0, 1, 0x7f, 0xff, b[n] + 1} {
			c := slices.Clone(b)
			c[n] = v
			if useLoaded(t, seal(c), x) {
				loaded++
			}
		}
	}
	if loaded == 0 {
		t.Error("no change was harmless: the sealed bytes are not read")
	}
}

// useLoaded uses all operations of an index over the rows of x, and reports whether the bytes could
// be loaded.
func useLoaded(t *testing.T, b []byte, x vec.Matrix[float32]) bool {
	ix, err := LoadLinks(bytes.NewReader(b), x)
	if err != nil {
		if !errors.Is(err, ErrFormat) {
			t.Fatalf("error %v", err)
		}
		return false
	}
	if ix.dim > 100 || ix.set.EfConstruction > 1000 {
		return true // sound, but slow
	}
	x = knntest.Points[float32]("gauss", 5, ix.dim, 3)
	rows, err := ix.Insert(context.Background(), x, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	nb, err := ix.SearchEf(context.Background(), x, 1, 10, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rows = append(rows, nb.Index...)
	slices.Sort(rows)
	if err := ix.Delete(slices.Compact(rows), knn.Settings{}); err != nil {
		t.Fatal(err)
	}
	if err := ix.verify(); err != nil {
		t.Fatal(err)
	}
	return true
}

// Links that are saved alone and loaded with the rows give the whole index.
func TestLinks(t *testing.T) {
	x := knntest.Points[float32]("duplicates", 300, 20, 1)
	ix := build(t, x, Settings{M: 4, EfConstruction: 10, Ef: 33}, knn.Settings{})
	var b bytes.Buffer
	if err := ix.SaveLinks(&b); err != nil {
		t.Fatal(err)
	}
	again, err := LoadLinks(bytes.NewReader(b.Bytes()), x)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved(t, again), saved(t, ix)) || !holds(again, x) {
		t.Error("another index came back")
	}
	y := x.Clone()
	y.Data[77]++
	if holds(again, y) || holds(again, x.Slice(0, 299)) {
		t.Error("it holds other rows, too")
	}
	// Changed rows that are no longer equal to their twin are detected, and so are other shapes.
	for i := range x.Rows {
		if ix.level[i] == levelTwin {
			y.Row(i)[0] += 5
		}
	}
	for name, rows := range map[string]vec.Matrix[float32]{"values": y, "rows": x.Slice(0, 299), "columns": vec.New[float32](300, 19)} {
		if _, err := LoadLinks(bytes.NewReader(b.Bytes()), rows); !errors.Is(err, ErrFormat) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	for n := range b.Len() {
		c := slices.Clone(b.Bytes())
		c[n] ^= 0x21
		if _, err := LoadLinks(bytes.NewReader(c), x); !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
}

// holds reports whether the rows of an index are exactly those of x.
func holds(ix *Index, x vec.Matrix[float32]) bool { return ix.Len() == x.Rows && ix.Holds(x, 0) }
