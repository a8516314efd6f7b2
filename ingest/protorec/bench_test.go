package protorec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// benchEvent is one event of 50 float32 and 5 other fields.
const benchEvent = `syntax = "proto3";
message Event { string id = 1; repeated float embedding = 2; int64 bytes = 3; double seconds = 4; string proto = 5; bool ok = 6; }`

func benchMessage(b *testing.B) (*Decoder, []byte) {
	m := parsed(b, benchEvent, "")
	d, err := Compile(m, record.Spec{Paths: []string{"embedding", "id", "bytes", "seconds", "proto", "ok"}, Vector: "embedding"})
	if err != nil {
		b.Fatal(err)
	}
	numbers := strings.TrimSuffix(strings.Repeat("0.125, ", 50), ", ")
	return d, wire(b, m, fmt.Sprintf(`id: "event-000001" embedding: [%s] bytes: 123456 seconds: 0.5 proto: "tcp" ok: true`, numbers))
}

// BenchmarkDecode: bytes to a table.
func BenchmarkDecode(b *testing.B) {
	d, value := benchMessage(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(value, table.Origin{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandWritten decodes the same event with protowire, field by field, to a table.
func BenchmarkHandWritten(b *testing.B) {
	_, value := benchMessage(b)
	types := map[string]record.Type{"id": record.Text, "bytes": record.Int, "seconds": record.Float, "proto": record.Text, "ok": record.Bool}
	r := record.NewLayout(record.Spec{Paths: []string{"embedding", "id", "bytes", "seconds", "proto", "ok"}, Vector: "embedding", Types: types}).Builder()
	nodes := []*record.Node{nil}
	for _, name := range []string{"id", "embedding", "bytes", "seconds", "proto", "ok"} {
		nodes = append(nodes, r.Root().Child([]byte(name)))
	}
	b.ReportAllocs()
	for b.Loop() {
		for v := value; len(v) > 0; {
			num, _, n := protowire.ConsumeTag(v)
			v = v[n:]
			switch num {
			case 1, 5:
				s, n := protowire.ConsumeBytes(v)
				r.Text(nodes[num], s)
				v = v[n:]
			case 2:
				s, n := protowire.ConsumeBytes(v)
				r.Bytes(nodes[num], s)
				v = v[n:]
			case 3, 6:
				x, n := protowire.ConsumeVarint(v)
				if num == 3 {
					r.Int(nodes[num], int64(x))
				} else {
					r.Bool(nodes[num], x != 0)
				}
				v = v[n:]
			case 4:
				x, n := protowire.ConsumeFixed64(v)
				r.Float(nodes[num], math.Float64frombits(x))
				v = v[n:]
			}
		}
		r.EndRow()
		if _, err := r.Table(table.Origin{}); err != nil {
			b.Fatal(err)
		}
		r.Reset()
	}
}

// BenchmarkDynamicpb decodes the bytes to a dynamicpb message, without making a table.
func BenchmarkDynamicpb(b *testing.B) {
	_, value := benchMessage(b)
	m := parsed(b, benchEvent, "")
	b.ReportAllocs()
	for b.Loop() {
		if err := proto.Unmarshal(value, dynamicpb.NewMessage(m)); err != nil {
			b.Fatal(err)
		}
	}
}
