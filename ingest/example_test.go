package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/offsets"
)

// Fit an encoder on a file, store it as JSON, and encode a later message.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flows.csv")
	if err := os.WriteFile(path, []byte("id,bytes,proto\n1,100,tcp\n2,300,udp\n"), 0o644); err != nil {
		panic(err)
	}
	columns, err := ingest.ParseColumns("bytes:standardize,proto")
	if err != nil {
		panic(err)
	}
	data, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{
		Mapping: ingest.Mapping{Columns: columns, Selection: ingest.Selection{ID: "id"}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(data.Encoder.Names())
	for i := range data.Len() {
		fmt.Println(data.ID.Text(i), data.X.Row(i))
	}

	later, err := table.NewTable(table.Origin{Position: offsets.At("flows", 0, 7)},
		table.Int64Column("id", []int64{3}), table.Float64Column("bytes", []float64{200}), table.StringColumn("proto", []string{"icmp"}))
	if err != nil {
		panic(err)
	}
	message, err := emit.EncodeTable(later)
	if err != nil {
		panic(err)
	}
	records, err := arrowfmt.DecodeMessage(message, later.Origin, arrowfmt.Limits{})
	if err != nil {
		panic(err)
	}
	batch, err := data.Encoder.Encode(records)
	if err != nil {
		panic(err)
	}
	fmt.Println(batch.ID.Text(0), batch.X.Row(0))
	// Output:
	// [bytes proto=tcp proto=udp proto=?]
	// 1 [-1 1 0 0]
	// 2 [1 0 1 0]
	// 3 [0 0 0 1]
}
