package ingest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"unfold/sparse/vec"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	x := vec.New[float32](2500, 3)
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	lab := make([]string, 2500)
	for i := range lab {
		lab[i] = "c" + string(rune('a'+i%5))
	}
	for _, ext := range Extensions {
		p := filepath.Join(dir, "m"+ext)
		w, err := Create(p, WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float32, 2500)
		if err := w.Write(&Output{Kept: []Column{StringColumn("label", lab)}, Embedding: x, Sigma: s, Epoch: 1, Version: 2}); err != nil {
			t.Fatal(ext, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(ext, err)
		}
		if ext == ".parquet" {
			continue
		}
		r, err := Open(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(ext, err)
		}
		n := 0
		for {
			tb, err := r.Next(context.Background())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(ext, err)
			}
			n += tb.Len()
		}
		t.Log(ext, n, r.Schema())
	}
	b, err := EncodeMessage(&Output{Kept: []Column{StringColumn("label", lab)}, Embedding: x, Epoch: 1, Version: 2})
	if err != nil {
		t.Fatal(err)
	}
	tb, err := DecodeMessage(b, Origin{Topic: "t"}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tb.Len(), tb.Schema(), tb.Fingerprint())
	e, _ := os.ReadDir(dir)
	t.Log(len(e))
}

func TestSmokeMap(t *testing.T) {
	dir := t.TempDir()
	x := vec.New[float32](2500, 3)
	for i := range x.Data {
		x.Data[i] = float32(i) / 7
	}
	for _, ext := range Extensions {
		p := filepath.Join(dir, "m"+ext)
		w, err := Create(p, WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float32, 2500)
		if err := w.Write(&Output{Embedding: x, Sigma: s, Epoch: 1, Version: 2}); err != nil {
			t.Fatal(ext, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(ext, err)
		}
		m, err := ReadMap(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(m)
		for i, v := range x.Data {
			if m.Embedding.Data[i] != v {
				t.Fatal(ext, i)
			}
		}
	}
}
