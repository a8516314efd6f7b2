package ingest_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
)

// A damaged file of any format ends in an error about the input, or in values
// that are safe to touch.
func TestFilesSurviveMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	files := map[string][]byte{
		"x.idx": idx(40*6, 40, 2, 3),
		"x.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2), }", make([]byte, 80)),
	}
	for _, ext := range ingest.Extensions {
		files["map"+ext] = mapFile(t, ext)
	}
	path := filepath.Join(t.TempDir(), "x.bin")
	read, refused := 0, 0
	for name, good := range files {
		for range 150 {
			if err := os.WriteFile(path, ingesttest.Mutate(good, rng), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := readFile(path, ingest.Options{Memory: 64 << 20})
			switch {
			case err == nil:
				read++
			case ingest.IsBadInput(err):
				refused++
			default:
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the mutations do not tell good from bad")
	}
}

func FuzzOpen(f *testing.F) {
	for _, ext := range ingest.Extensions {
		f.Add(mapFile(f, ext))
	}
	f.Add(idx(12, 3, 2, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.bin")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readFile(path, ingest.Options{Memory: 64 << 20}); err != nil && !ingest.IsBadInput(err) {
			t.Fatal(err)
		}
	})
}
