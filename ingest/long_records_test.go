package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"unfold/ingest"
)

// Records of more than a MiB are read from what can be read only once: an Avro file, and pipes of
// JSON lines and text. Each has a vector that is long, and the number of its row.
func TestLongRecordsThatAreReadOnce(t *testing.T) {
	const rows, wide = 3, 150_000
	schema, err := avro.Parse(`{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"v","type":{"type":"array","items":"double"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var container bytes.Buffer
	w, err := ocf.NewWriter(&container, schema)
	if err != nil {
		t.Fatal(err)
	}
	var lines, text strings.Builder
	text.WriteString("id")
	for k := range wide {
		fmt.Fprintf(&text, ",column_%d", k)
	}
	text.WriteString("\n")
	for i := range rows {
		v := make([]float64, wide)
		fmt.Fprintf(&lines, `{"id": %d, "v": [`, i)
		fmt.Fprintf(&text, "%d", i)
		for k := range v {
			v[k] = float64(i) + float64(k)/8
			if k > 0 {
				lines.WriteString(", ")
			}
			fmt.Fprintf(&lines, "%.3f", v[k])
			fmt.Fprintf(&text, ",%.3f", v[k])
		}
		lines.WriteString("]}\n")
		text.WriteString("\n")
		if err := w.Encode(map[string]any{"id": int64(i), "v": v}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"Avro": container.String(), "JSON": lines.String(), "text": text.String()} {
		t.Run(name, func(t *testing.T) {
			r, err := ingest.Open(context.Background(), "-", ingest.Options{Stdin: strings.NewReader(content)})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			n := 0
			for {
				records, err := r.Next(t.Context())
				if err != nil {
					break
				}
				id, ok := records.Column("id")
				if !ok {
					t.Fatalf("the columns are %v", r.Schema().Names()[:min(3, len(r.Schema()))])
				}
				for i := range records.Len() {
					if id.Text(i) != fmt.Sprint(n) {
						t.Fatalf("row %d has the id %s", n, id.Text(i))
					}
					n++
				}
				if columns := len(r.Schema()); name == "text" && columns != wide+1 {
					t.Fatalf("%d columns", columns)
				}
			}
			if n != rows {
				t.Errorf("%d rows", n)
			}
		})
	}
}
