package jsonrec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// event returns a record of 5 fields and 50 numbers with the precision of float32.
func event() []byte {
	v := make([]string, 50)
	for i := range v {
		v[i] = fmt.Sprint(float32(i)*0.0137 - 0.3)
	}
	return []byte(`{"id":123456,"proto":"tcp","bytes":1234.5,"label":"web","ts":1700000000000,"embedding":[` + strings.Join(v, ",") + `]}`)
}

// BenchmarkEvent decodes an event to a table.
func BenchmarkEvent(b *testing.B) {
	d, e := New(record.Spec{}), event()
	b.ReportAllocs()
	b.SetBytes(int64(len(e)))
	for b.Loop() {
		if _, err := d.Decode(e, table.Origin{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandWritten decodes the same event with encoding/json to a hand-written struct, and
// makes a table from this.
func BenchmarkHandWritten(b *testing.B) {
	e := event()
	r := record.NewLayout(record.Spec{Vector: "embedding"}).Builder()
	node := func(name string) *record.Node { return r.Root().Child([]byte(name)) }
	id, proto, size, label, ts, embedding := node("id"), node("proto"), node("bytes"), node("label"), node("ts"), node("embedding")
	b.ReportAllocs()
	for b.Loop() {
		var v struct {
			ID           int64
			Proto, Label string
			Bytes        float64
			TS           int64
			Embedding    []float32
		}
		if err := json.Unmarshal(e, &v); err != nil {
			b.Fatal(err)
		}
		r.Int(id, v.ID)
		r.Text(proto, []byte(v.Proto))
		r.Float(size, v.Bytes)
		r.Text(label, []byte(v.Label))
		r.Int(ts, v.TS)
		r.Vector32(embedding, v.Embedding)
		r.EndRow()
		if _, err := r.Table(table.Origin{}); err != nil {
			b.Fatal(err)
		}
		r.Reset()
	}
}

// BenchmarkTokens compares the tokenizer of Go's library with this package's scanner.
func BenchmarkTokens(b *testing.B) {
	e := event()
	b.Run("encoding/json", func(b *testing.B) {
		for b.Loop() {
			d := json.NewDecoder(bytes.NewReader(e))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("encoding/json.Valid", func(b *testing.B) {
		for b.Loop() {
			if !json.Valid(e) {
				b.Fatal("not JSON")
			}
		}
	})
	b.Run("jsonrec", func(b *testing.B) {
		for b.Loop() {
			if s := (scanner{data: e, most: 64}); !s.skip() {
				b.Fatal(s.err)
			}
		}
	})
}

// BenchmarkChange decodes an event in Debezium's and Kafka Connect's envelopes, with the schema.
func BenchmarkChange(b *testing.B) {
	d, e := New(record.Spec{Paths: []string{"id", "embedding"}, Vector: "embedding"}), message(b, "update.schema.json")
	b.SetBytes(int64(len(e)))
	for b.Loop() {
		if _, err := d.Decode(e, table.Origin{}); err != nil {
			b.Fatal(err)
		}
	}
}
