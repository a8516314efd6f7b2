package parquet

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest/input"
	"unfold/ingest/parquetcheck"
)

// mixedRows returns the columns d and e of a file as text, and its error.
func mixedRows(t *testing.T, path string, batch int) (rows []string, err error) {
	in, err := input.Open(context.Background(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(in, batch, 1<<28)
	if err != nil {
		in.Close()
		return nil, err
	}
	defer r.Close()
	for {
		table, err := r.Next(context.Background())
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range table.Len() {
			rows = append(rows, table.At(0).Text(i)+" "+table.At(1).Text(i))
		}
	}
}

// TestMixedPages reads decimals that Spark wrote in version 2 of the format: the first pages have a
// dictionary, the others are DELTA_BYTE_ARRAY. The number of rows of a table changes nothing, and damaged
// files are errors. (ingest.TestFilesOfOthers compares the values with pyarrow's.)
func TestMixedPages(t *testing.T) {
	path := "../../testdata/foreign/parquet/spark-v2-decimals.parquet"
	want, err := mixedRows(t, path, 1000)
	if err != nil || len(want) != 1000 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	for _, batch := range []int{1, 7, 100, 999} {
		if got, err := mixedRows(t, path, batch); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("in tables of %d rows: %d rows, %v", batch, len(got), err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	damaged := filepath.Join(t.TempDir(), "damaged.parquet")
	kept, refused := 0, 0
	for range 80 {
		b := append([]byte(nil), whole...)
		b[4+r.IntN(len(b)-2000)] ^= byte(1 + r.IntN(255))
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := mixedRows(t, damaged, 100); err == nil {
			kept++
		} else if refused++; !strings.Contains(err.Error(), "corrupt") && !strings.Contains(err.Error(), parquetcheck.ErrUnsupported.Error()) {
			t.Errorf("an error of damaged pages: %v", err)
		}
	}
	t.Logf("of the damaged files %d were read and %d were refused", kept, refused)
}
