package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// A guarded source has the same rows as another one, and every call that decodes is between the
// functions of the guard.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"a.csv", "a.parquet", "a.arrow", "a.npy"} {
		w, err := emit.Create(filepath.Join(dir, name), emit.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(ingesttest.Placed(0, 9000)), w.Close()); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, name))
	}
	sparse := filepath.Join(dir, "a.mtx")
	if err := os.WriteFile(sparse, []byte("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, sparse) {
		var guarded, calls, inside atomic.Int64
		opts := ingest.Options{Guard: func(_ context.Context, of string) (func() func(), error) {
			if guarded.Add(1); of != path {
				t.Errorf("it guards %s, not %s", of, path)
			}
			return func() func() {
				calls.Add(1)
				inside.Add(1)
				return func() { inside.Add(-1) }
			}, nil
		}}
		read := func(o ingest.Options) (rows int, counted int64, isSparse bool, names []string) {
			r, err := ingest.Open(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if c, is := r.(table.Counted); is {
				counted, _ = c.NumRows()
			}
			_, isSparse = ingest.SparseOf(r)
			for tab, err := range table.All(t.Context(), r) {
				if err != nil {
					t.Fatal(err)
				}
				rows += tab.Len()
			}
			return rows, counted, isSparse, r.Schema().Names()
		}
		rows, counted, isSparse, names := read(ingest.Options{})
		r2, c2, s2, n2 := read(opts)
		if rows != r2 || counted != c2 || isSparse != s2 || len(names) != len(n2) {
			t.Errorf("%s: %d rows, %d, %v, %q; guarded %d, %d, %v, %q", path, rows, counted, isSparse, names, r2, c2, s2, n2)
		}
		if guarded.Load() == 0 || calls.Load() < 2 || inside.Load() != 0 {
			t.Errorf("%s: guarded %d times, %d calls, %d of them do not end", path, guarded.Load(), calls.Load(), inside.Load())
		}
		refused := errors.New("refused")
		opts.Guard = func(context.Context, string) (func() func(), error) { return nil, refused }
		if _, err := ingest.Open(t.Context(), path, opts); !errors.Is(err, refused) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
