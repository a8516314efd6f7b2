package ingest_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"unfold/ingest"
)

// An archive of embeddings and labels is a table with both.
func TestArchiveWithLabels(t *testing.T) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range []struct {
		name    string
		content []byte
	}{
		{"labels.npy", npy("{'descr': '|S2', 'fortran_order': False, 'shape': (3,), }", []byte("a\x00bbc\x00"))},
		{"embeddings.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }", []byte{1, 2, 3, 4, 5, 6})},
		{"names.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", []byte{1, 2})},
	} {
		w, err := z.Create(part.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(part.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	m := ingest.Mapping{Selection: ingest.Selection{Label: "labels"}}
	d, err := ingest.ReadAll(t.Context(), []string{tempFile(t, "x.npz", out.Bytes())}, ingest.ReadOptions{Mapping: m})
	if err != nil || d.X.Rows != 3 || d.X.Cols != 2 || d.X.Row(2)[1] != 6 || d.Label[1] != "bb" {
		t.Errorf("%v, error %v", d, err)
	}
}
