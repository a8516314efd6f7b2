package format_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/emit"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
)

// These are schemas of an event: id, a vector and a text.
const (
	avroEvent  = `{"type":"record","name":"Event","fields":[{"name":"id","type":"long"},{"name":"v","type":{"type":"array","items":"float"}},{"name":"kind","type":"string"}]}`
	protoEvent = "syntax = \"proto3\";\nmessage Other { string s = 1; }\nmessage Event { int64 id = 1; repeated float v = 2; string kind = 3; }\n"
	jsonEvent  = `{"type":"object","properties":{"id":{"type":"integer"}}}`
)

// inAvro is an event as Avro writes it.
func inAvro(id int64, v []float32, kind string) []byte {
	b := binary.AppendVarint(nil, id)
	b = binary.AppendVarint(b, int64(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	b = binary.AppendVarint(b, 0)
	return append(binary.AppendVarint(b, int64(len(kind))), kind...)
}

// inProtobuf is an event as Protobuf writes it.
func inProtobuf(id int64, v []float32, kind string) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(id))
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.BytesType), uint64(4*len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), kind)
}

// inArrow is an event as an Arrow IPC stream.
func inArrow(t *testing.T, id int64, v []float32, kind string) []byte {
	t.Helper()
	records, err := table.NewTable(table.Origin{}, table.Int64Column("id", []int64{id}),
		table.VectorColumn("v", vec.Matrix[float32]{Rows: 1, Cols: len(v), Data: v}), table.StringColumn("kind", []string{kind}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// framed puts a schema's id before a record.
func framed(id int, value []byte) []byte { return append(registry.AppendID(nil, id), value...) }

// schemaRegistry returns a registry with the schemas 1 Avro, 2 Protobuf, 3 JSON Schema; 4 and 5 are
// schemas of keys: a struct and a text.
func schemaRegistry(t *testing.T) (*registrytest.Fake, *registry.Client) {
	t.Helper()
	r := registrytest.StartFake(t)
	r.Seed("avro-value", 1, registry.Avro, avroEvent)
	r.Seed("proto-value", 2, registry.Protobuf, protoEvent)
	r.Seed("json-value", 3, registry.JSON, jsonEvent)
	r.Seed("avro-key", 4, registry.Avro, `{"type":"record","name":"Key","fields":[{"name":"id","type":"long"}]}`)
	r.Seed("text-key", 5, registry.Avro, `"string"`)
	return r, r.Client()
}

func decoder(t *testing.T, s format.Decoding) *format.Decoder {
	t.Helper()
	d, err := format.NewDecoder(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shown is the only event of a table.
func shown(t *table.Table) string {
	if t == nil || t.Len() != 1 {
		return fmt.Sprint(t)
	}
	var parts []string
	for _, name := range []string{"id", "v", "kind"} {
		c, _ := t.Column(name)
		parts = append(parts, c.Text(0))
	}
	return strings.Join(parts, " ")
}

func header(name string, value []byte) []stream.Header {
	return []stream.Header{{Key: name, Value: value}}
}

// An event is the same in all formats, whether the format is set or recognised by its bytes.
func TestFormats(t *testing.T) {
	_, client := schemaRegistry(t)
	v, folder := []float32{0.5, -2}, t.TempDir()
	file := func(n format.Name, name, text string) *format.File {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := format.ReadFile(t.Context(), n, path, map[format.Name]string{format.Protobuf: "Event"}[n])
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	object := []byte(`{"id": 7, "v": [0.5, -2], "kind": "a"}`)
	second := []byte{2, 2} // the index path of message Event
	proto := append(second, inProtobuf(7, v, "a")...)
	withRegistry := format.Decoding{Registry: client}
	for name, c := range map[string]struct {
		set  format.Decoding
		m    stream.Message
		want format.Name
	}{
		"arrow":                       {withRegistry, stream.Message{Value: inArrow(t, 7, v, "a")}, format.Arrow},
		"arrow, named":                {format.Decoding{Format: format.Arrow}, stream.Message{Value: inArrow(t, 7, v, "a")}, format.Arrow},
		"json":                        {format.Decoding{}, stream.Message{Value: object}, format.JSON},
		"json list":                   {withRegistry, stream.Message{Value: append(append([]byte(" \n["), object...), ']')}, format.JSON},
		"json schema":                 {withRegistry, stream.Message{Value: framed(3, object)}, format.JSON},
		"json schema, named":          {format.Decoding{Format: format.JSON}, stream.Message{Value: framed(9, object)}, format.JSON},
		"json, columns named":         {format.Decoding{Spec: record.Spec{Paths: []string{"kind", "v", "id"}}}, stream.Message{Value: object}, format.JSON},
		"avro":                        {withRegistry, stream.Message{Value: framed(1, inAvro(7, v, "a"))}, format.Avro},
		"avro, schema in a header":    {withRegistry, stream.Message{Value: inAvro(7, v, "a"), Headers: header(registry.ValueHeader, registry.AppendID(nil, 1))}, format.Avro},
		"avro, schema in a file":      {format.Decoding{File: file(format.Avro, "e.avsc", avroEvent)}, stream.Message{Value: inAvro(7, v, "a")}, format.Avro},
		"protobuf":                    {withRegistry, stream.Message{Value: framed(2, proto)}, format.Protobuf},
		"protobuf, a header":          {withRegistry, stream.Message{Value: inProtobuf(7, v, "a"), Headers: header(registry.ValueHeader, append(registry.AppendID(nil, 2), second...))}, format.Protobuf},
		"protobuf, schema in a file":  {format.Decoding{File: file(format.Protobuf, "e.proto", protoEvent)}, stream.Message{Value: inProtobuf(7, v, "a")}, format.Protobuf},
		"protobuf, named, registered": {format.Decoding{Format: format.Protobuf, Registry: client}, stream.Message{Value: framed(2, proto)}, format.Protobuf},
	} {
		t.Run(name, func(t *testing.T) {
			var chosen []format.Name
			c.set.Chosen = func(n format.Name, _ *stream.Message) { chosen = append(chosen, n) }
			d := decoder(t, c.set)
			for range 2 {
				got, err := d.DecodeNow(t.Context(), &c.m)
				if err != nil {
					t.Fatal(err)
				}
				if text := shown(got.Table); !strings.HasPrefix(text, "7 ") || !strings.HasSuffix(text, " a") || !strings.Contains(text, "0.5") {
					t.Errorf("got %s", text)
				}
				if wire := (&format.Encoder{}).Of(got.Wire); wire != c.want {
					t.Errorf("it is written as %s, want %s", wire, c.want)
				}
			}
			auto := c.set.Format == "" && c.set.File == nil
			if len(chosen) > 1 || auto != (len(chosen) == 1) || auto && chosen[0] != c.want {
				t.Errorf("chosen %v, want %s", chosen, c.want)
			}
		})
	}
}

// Errors of messages that cannot be decoded include advice, and are not errors of the registry.
func TestNotDecoded(t *testing.T) {
	_, client := schemaRegistry(t)
	for name, c := range map[string]struct {
		set   format.Decoding
		value []byte
		want  string
	}{
		"a framed record, no registry":       {format.Decoding{}, framed(1, inAvro(7, nil, "a")), "registry.url"},
		"avro without a schema":              {format.Decoding{Format: format.Avro, Registry: client}, inAvro(7, nil, "a"), "no schema is named"},
		"avro where protobuf is read":        {format.Decoding{Format: format.Protobuf, Registry: client}, framed(1, inAvro(7, nil, "a")), "its schema is of format avro"},
		"a schema that is not there":         {format.Decoding{Registry: client}, framed(77, []byte{1}), "no schema 77"},
		"a message that its schema lacks":    {format.Decoding{Registry: client}, framed(2, []byte{2, 8, 1}), "index"},
		"an index path that is cut off":      {format.Decoding{Registry: client}, framed(2, []byte{4}), "index path"},
		"json that is cut off":               {format.Decoding{}, []byte(`{"id": 7`), "byte"},
		"text":                               {format.Decoding{}, []byte("hello"), "Arrow"},
		"arrow where json is read":           {format.Decoding{Format: format.JSON}, inArrow(t, 7, []float32{1}, "a"), "byte 1"},
		"avro of a registered schema, short": {format.Decoding{Registry: client}, framed(1, []byte{14, 200}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decoder(t, c.set).DecodeNow(t.Context(), &stream.Message{TopicPartition: stream.TopicPartition{Topic: "t"}, Offset: 5, Value: c.value})
			var missing *stream.UnavailableError
			if err == nil || errors.As(err, &missing) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "topic t, partition 0, offset 5") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// While the registry is unavailable, messages of known schemas are decoded and the others wait.
func TestRegistryAway(t *testing.T) {
	fake, client := schemaRegistry(t)
	d := decoder(t, format.Decoding{Registry: client})
	avro, proto := &stream.Message{Value: framed(1, inAvro(7, []float32{1}, "a"))}, &stream.Message{Value: framed(2, append([]byte{2, 2}, inProtobuf(8, []float32{1}, "b")...))}
	if _, err := d.DecodeNow(t.Context(), avro); err != nil {
		t.Fatal(err)
	}
	fake.Away(true)
	if _, err := d.Decode(avro); err != nil {
		t.Errorf("a message of a known schema: %v", err)
	}
	var missing *stream.UnavailableError
	if _, err := d.Decode(proto); !errors.As(err, &missing) || missing.Fetch == nil {
		t.Fatalf("a message of an unknown schema: %v", err)
	}
	if err := missing.Fetch(t.Context()); !errors.As(err, &missing) {
		t.Errorf("a registry that is away: %v", err)
	}
	fake.Away(false)
	if got, err := d.DecodeNow(t.Context(), proto); err != nil || !strings.HasPrefix(shown(got.Table), "8 ") {
		t.Errorf("after it is back: %v", err)
	}
}

// Deleted events are identified by the key, in any form, or by the previous record.
func TestGone(t *testing.T) {
	_, client := schemaRegistry(t)
	deleted := `{"before": {"id": %s, "kind": "a"}, "after": null, "op": "d", "source": {}, "ts_ms": 1}`
	for name, c := range map[string]struct {
		set  format.Decoding
		m    stream.Message
		want string
	}{
		"text":                       {format.Decoding{}, stream.Message{Key: []byte("abc")}, "abc"},
		"text where arrow is read":   {format.Decoding{Format: format.Arrow, ID: "id"}, stream.Message{Key: []byte(`{"id":1}`)}, `{"id":1}`},
		"an object":                  {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"a": 1, "id": 17}`)}, "17"},
		"an object of one field":     {format.Decoding{}, stream.Message{Key: []byte(`{"key": "x"}`)}, "x"},
		"an object that lacks it":    {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"a": 1, "b": 2}`)}, `{"a": 1, "b": 2}`},
		"a nested id":                {format.Decoding{ID: "at.id"}, stream.Message{Key: []byte(`{"a": 1, "id": 17}`)}, "17"},
		"connect's envelope":         {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"schema": {"type": "struct", "fields": [{"type": "int64", "field": "id"}]}, "payload": {"id": 17}}`)}, "17"},
		"connect's envelope of text": {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"schema": {"type": "string", "optional": false}, "payload": "x"}`)}, "x"},
		"a text in quotes":           {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`"x\"y"`)}, `x"y`},
		"avro":                       {format.Decoding{ID: "id", Registry: client}, stream.Message{Key: framed(4, binary.AppendVarint(nil, 17))}, "17"},
		"avro, a text alone":         {format.Decoding{ID: "id", Registry: client}, stream.Message{Key: framed(5, append(binary.AppendVarint(nil, 3), "abc"...))}, "abc"},
		"avro, a header":             {format.Decoding{Registry: client}, stream.Message{Key: binary.AppendVarint(nil, 17), Headers: header(registry.KeyHeader, registry.AppendID(nil, 4))}, "17"},
		"no schema of that id":       {format.Decoding{Registry: client}, stream.Message{Key: framed(77, []byte("abc"))}, "1298227811"},
		"a long":                     {format.Decoding{ID: "id"}, stream.Message{Key: []byte{0, 0, 0, 0, 0, 0, 0, 17}}, "17"},
		"a long that ends in digits": {format.Decoding{ID: "id"}, stream.Message{Key: []byte("\x00\x00\x00\x00\x00123")}, "3224115"},
		"a negative long":            {format.Decoding{Format: format.Arrow}, stream.Message{Key: []byte("\xff\xff\xff\xff\xff\xff\xff\xfe")}, "-2"},
		"an int":                     {format.Decoding{Registry: client}, stream.Message{Key: []byte{0, 0, 1, 0}}, "256"},
		"text of eight":              {format.Decoding{}, stream.Message{Key: []byte("abc défg")[:8]}, "abc déf"},
		"digits of eight":            {format.Decoding{}, stream.Message{Key: []byte("12345678")}, "12345678"},
		"letters where ids are ints": {format.Decoding{ID: "id", Spec: record.Spec{Types: map[string]record.Type{"id": record.Int}}}, stream.Message{Key: []byte("abcd")}, "1633837924"},
		"digits where ids are ints":  {format.Decoding{ID: "id", Spec: record.Spec{Types: map[string]record.Type{"id": record.Int}}}, stream.Message{Key: []byte("1234")}, "1234"},
		"a number of 64 bits":        {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"id": 18446744073709551615}`)}, "18446744073709551615"},
		"a number alone":             {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`9223372036854775809`)}, "9223372036854775809"},
		"a number with a fraction":   {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`17.0`)}, "17"},
		"a deleted uint64":           {format.Decoding{ID: "id"}, stream.Message{Value: fmt.Appendf(nil, deleted, "9223372036854775809")}, "9223372036854775809"},
		"a deleted record":           {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"id": 9}`), Value: fmt.Appendf(nil, deleted, "17")}, "17"},
		"a deleted record, its key":  {format.Decoding{ID: "id"}, stream.Message{Key: []byte(`{"id": 9}`), Value: fmt.Appendf(nil, deleted, "null")}, "9"},
		"a deleted record, no id":    {format.Decoding{}, stream.Message{Key: []byte(`{"id": 9}`), Value: fmt.Appendf(nil, deleted, "17")}, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decoder(t, c.set).DecodeNow(t.Context(), &c.m)
			if err != nil || got.Table != nil || got.Gone != c.want {
				t.Errorf("got %q, %v; want %q", got.Gone, err, c.want)
			}
		})
	}
}

// output is a placed event of one row, with two columns kept.
func output(t *testing.T) *emit.Output {
	t.Helper()
	return &emit.Output{
		ID: table.Int64Column("id", []int64{7}), Kept: []table.Column{table.StringColumn("kind", []string{"a"}), table.Float64Column("w", []float64{1.25})},
		Embedding: vec.Matrix[float32]{Rows: 1, Cols: 2, Data: []float32{0.5, -2}}, Sigma: []float32{0.25},
		Version: 3, Epoch: 1, MapID: "0123",
	}
}

// Outputs in any format can be decoded with their schema, have the same bytes each time, and their
// schemas are registered under the strategy's subject.
func TestWritten(t *testing.T) {
	_, client := schemaRegistry(t)
	wire := func(n format.Name) format.Wire { return format.Wire{Format: n} }
	for name, c := range map[string]struct {
		out     format.Encoding
		wire    format.Wire
		want    format.Name
		subject string
	}{
		"as arrow":                    {format.Encoding{}, format.Wire{}, format.Arrow, ""},
		"as json":                     {format.Encoding{}, wire(format.JSON), format.JSON, ""},
		"as avro":                     {format.Encoding{Registry: client, Topic: "places"}, wire(format.Avro), format.Avro, "places-value"},
		"as protobuf":                 {format.Encoding{Registry: client, Topic: "shapes"}, wire(format.Protobuf), format.Protobuf, "shapes-value"},
		"arrow in protobuf, by both":  {format.Encoding{Format: format.Protobuf, Registry: client, Topic: "places", Strategy: registry.TopicRecordName}, format.Wire{}, format.Protobuf, "places-unfold.Place"},
		"json in arrow":               {format.Encoding{Format: format.Arrow}, wire(format.JSON), format.Arrow, ""},
		"arrow in json":               {format.Encoding{Format: format.JSON}, format.Wire{}, format.JSON, ""},
		"json in avro, by its record": {format.Encoding{Format: format.Avro, Registry: client, Topic: "places", Strategy: registry.RecordName}, wire(format.JSON), format.Avro, "unfold.Place"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := format.NewEncoder(c.out)
			if err != nil {
				t.Fatal(err)
			}
			value, contentType, err := e.Encode(t.Context(), output(t), c.wire)
			if err != nil || contentType != c.want.ContentType() {
				t.Fatalf("%s, %v", contentType, err)
			}
			other, _ := format.NewEncoder(c.out)
			if again, _, err := other.Encode(t.Context(), output(t), c.wire); err != nil || string(again) != string(value) {
				t.Errorf("another encoder writes %q, not %q: %v", again, value, err)
			}
			m := &stream.Message{Value: value}
			got, err := decoder(t, format.Decoding{Registry: client}).DecodeNow(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			for column, want := range map[string]string{"id": "7", "kind": "a", "w": "1.25", "sigma": "0.25", "model_version": "3"} {
				if v, ok := got.Table.Column(column); !ok || v.Text(0) != want {
					t.Errorf("column %s of %s is not %s", column, got.Table.Schema(), want)
				}
			}
			if c.subject == "" {
				return
			}
			id, _, err := registry.ParseID(value)
			if err != nil {
				t.Fatal(err)
			}
			s, err := client.Schema(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if same, err := client.Register(t.Context(), c.subject, s); err != nil || same != id {
				t.Errorf("under %s the schema has id %d, not %d: %v", c.subject, same, id, err)
			}
		})
	}
}

// A record is passed on with the place as further fields, unless it has such fields or came in a
// format without them.
func TestPassed(t *testing.T) {
	_, client := schemaRegistry(t)
	e, err := format.NewEncoder(format.Encoding{Pass: true, Registry: client, Topic: "passed"})
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(t, format.Decoding{Registry: client})
	for name, c := range map[string]struct{ value, want string }{
		"json":               {`{"v": [1, 2], "more": {"a": null}, "id": 7}`, `"more": {"a": null}`},
		"avro":               {string(framed(1, inAvro(7, []float32{1, 2}, "a"))), "\x02a"},
		"a field of a place": {`{"v": [1, 2], "x": 1}`, `! has a field "x" itself`},
		"arrow":              {string(inArrow(t, 7, []float32{1, 2}, "a")), "! sink.pass"},
		"protobuf":           {string(framed(2, append([]byte{2, 2}, inProtobuf(7, []float32{1}, "a")...))), "! sink.pass"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := d.DecodeNow(t.Context(), &stream.Message{Value: []byte(c.value)})
			if err != nil {
				t.Fatal(err)
			}
			value, _, err := e.Encode(t.Context(), output(t), got.Wire)
			if problem, bad := strings.CutPrefix(c.want, "! "); bad {
				if err == nil || !strings.Contains(err.Error(), problem) {
					t.Errorf("error %v, want %q", err, problem)
				}
				return
			}
			if err != nil || !strings.Contains(string(value), c.want) {
				t.Fatalf("written %q, %v", value, err)
			}
			again, err := d.DecodeNow(t.Context(), &stream.Message{Value: value})
			if err != nil {
				t.Fatal(err)
			}
			for column, want := range map[string]string{"id": "7", "sigma": "0.25"} {
				if v, ok := again.Table.Column(column); !ok || v.Text(0) != want {
					t.Errorf("column %s of %s is not %s", column, again.Table.Schema(), want)
				}
			}
		})
	}
}

// An output whose schema cannot be registered now waits; one whose schema the registry rejects is
// an error.
func TestSchemaNotTaken(t *testing.T) {
	fake, client := schemaRegistry(t)
	fake.Closed()
	e, err := format.NewEncoder(format.Encoding{Format: format.Avro, Registry: client, Topic: "places"})
	if err != nil {
		t.Fatal(err)
	}
	var missing *stream.UnavailableError
	if _, _, err := e.Encode(t.Context(), output(t), format.Wire{}); !errors.As(err, &missing) {
		t.Errorf("a registry that is away: %v", err)
	}
	fake.Conflict()
	var refused *registry.RefusedError
	if _, _, err := e.Encode(t.Context(), output(t), format.Wire{}); errors.As(err, &missing) || !errors.As(err, &refused) {
		t.Errorf("a schema that is refused: %v", err)
	}
}
