package ingest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestDataMNIST(t *testing.T) {
	d := os.Getenv("UNFOLD_DATA")
	if d == "" {
		t.Skip("UNFOLD_DATA is not set")
	}
	m := filepath.Join(d, "mnist")
	start := time.Now()
	ds, err := ReadAll(context.Background(), []string{m + "/train-images-idx3-ubyte.gz", m + "/t10k-images-idx3-ubyte.gz"}, ReadOptions{
		LabelFiles: []string{m + "/train-labels-idx1-ubyte.gz", m + "/t10k-labels-idx1-ubyte.gz"}})
	if err != nil {
		t.Fatal(err)
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	t.Log(ds.X.Rows, ds.X.Cols, ds.Label[:5], time.Since(start), ms.Sys>>20, ms.TotalAlloc>>20)
	start = time.Now()
	kd, err := ReadAll(context.Background(), []string{d + "/kddcup99/kddcup.data_10_percent.gz"}, ReadOptions{Mapping: Mapping{Columns: []ColumnSpec{{Name: "*"}, {Name: "column_1"}}, Log1p: true, Standardize: true, Selection: Selection{Label: "column_41"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(kd.X.Rows, kd.X.Cols, kd.Encoder.Names(), kd.Label[:3], time.Since(start))
}
