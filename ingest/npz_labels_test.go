package ingest_test

import (
	"archive/zip"
	"bytes"
	"strings"
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
	// The label is known by its name.
	guessed, settings, err := ingest.Suggest(t.Context(), tempFile(t, "y.npz", out.Bytes()), ingest.ReadOptions{})
	if err != nil || guessed.Label != "labels" || len(settings) != 1 || settings[0].Why == "" {
		t.Errorf("suggested %v (label %q), error %v", settings, guessed.Label, err)
	}
	m := ingest.Mapping{Selection: ingest.Selection{Label: "labels"}}
	d, err := ingest.ReadAll(t.Context(), []string{tempFile(t, "x.npz", out.Bytes())}, ingest.ReadOptions{Mapping: m})
	if err != nil || d.X.Rows != 3 || d.X.Cols != 2 || d.X.Row(2)[1] != 6 || d.Label[1] != "bb" {
		t.Errorf("%v, error %v", d, err)
	}
}

// The arrays of scikit-learn's and Keras's archives are vectors and labels. Arrays that are not read are
// named.
func TestArraysOfArchives(t *testing.T) {
	two := npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }", []byte{1, 2, 3, 4, 5, 6})
	one := npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", []byte{7, 8, 9})
	for _, c := range []struct {
		names, label, unread, err string
	}{
		{"data,target", "target", "", ""},
		{"X,y", "y", "", ""},
		{"x,y", "y", "", ""},
		{"x_test,x_train,y_test,y_train", "y_train", "x_test", ""},
		{"a,names", "", "", ""},   // the only one of two dimensions
		{"data,a2", "", "a2", ""}, // a2 is of two dimensions
		{"a,b2", "", "", "it holds 2 arrays: a, b2; name one"},
	} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for name := range strings.SplitSeq(c.names, ",") {
			content := two
			if strings.HasPrefix(name, "y") || name == "target" || name == "names" {
				content = one
			}
			w, err := z.Create(name + ".npy")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := tempFile(t, "x.npz", out.Bytes())
		m, _, err := ingest.Suggest(t.Context(), path, ingest.ReadOptions{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.names, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.names, err)
			continue
		}
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: m})
		if err != nil || d.X.Rows != 3 || d.X.Cols != 2 || m.Label != c.label || c.label != "" && d.Label[2] != "9" {
			t.Errorf("%s: %v (label %q), error %v", c.names, d, m.Label, err)
			continue
		}
		if said := strings.Join(d.Guesses, ""); c.unread == "" && said != "" || !strings.Contains(said, c.unread) || c.unread != "" && !strings.Contains(said, "not read: "+c.unread) {
			t.Errorf("%s: notes %q", c.names, said)
		}
	}
}
