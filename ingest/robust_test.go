package ingest_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// A damaged file of any format leads to an error about the input, or to values that can be read
// safely.
func TestFilesSurviveMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	files := map[string][]byte{
		"x.idx": idx(40*6, 40, 2, 3),
		"x.npy": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2), }", make([]byte, 80)),
	}
	for _, ext := range emit.Extensions {
		files["map"+ext] = mapFile(t, ext)
	}
	survives(t, files, "x.bin", 150, func(b []byte) []byte { return ingesttest.Mutate(b, rng) })
}

// survives damages each file the given number of times and reads it under the given name.
func survives(t *testing.T, files map[string][]byte, name string, times int, damage func(b []byte) []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	read, refused := 0, 0
	for _, of := range slices.Sorted(maps.Keys(files)) {
		for range times {
			if err := os.WriteFile(path, damage(files[of]), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := readFile(path, ingest.Options{Memory: 64 << 20})
			switch {
			case err == nil:
				read++
			case table.IsBadInput(err):
				refused++
			default:
				t.Errorf("%s: %v", of, err)
			}
		}
	}
	t.Logf("%d read, %d refused", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the damage does not separate good from bad")
	}
}

// strangersFiles returns the files of TestStrangers by name.
func strangersFiles(t testing.TB) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(strangers)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(strangers, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func FuzzOpen(f *testing.F) {
	for _, ext := range emit.Extensions {
		f.Add(mapFile(f, ext))
	}
	f.Add(idx(12, 3, 2, 2))
	polars, err := os.ReadFile(filepath.Join(foreignFolder, "polars_string.arrow"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(polars)
	for _, b := range strangersFiles(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.bin")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readFile(path, ingest.Options{Memory: 64 << 20}); err != nil && !table.IsBadInput(err) {
			t.Fatal(err)
		}
	})
}
