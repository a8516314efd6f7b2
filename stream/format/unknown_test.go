package format_test

import (
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/stream"
	"unfold/stream/format"
)

// The error of an undecodable message names the topic's format and the byte that differs; it
// mentions Arrow streams only if messages are Arrow.
func TestUnknownMessagesNameTheFormatInUse(t *testing.T) {
	_, client := schemaRegistry(t)
	avro, proto := framed(1, inAvro(7, []float32{1, 2}, "a")), framed(2, append([]byte{2, 2}, inProtobuf(7, []float32{1, 2}, "a")...))
	record := []byte(`{"a": 1}`)
	for _, c := range []struct {
		name  string
		set   format.Decoding
		first []byte // a good message before; nil: none
		value string
		want  []string
	}{
		{"JSON in use", format.Decoding{}, record, "garbage", []string{"read as json", "'g'", "at byte 1"}},
		{"JSON in use, a string", format.Decoding{}, record, `"x"`, []string{"read as json", "at byte 1"}},
		{"JSON in use, a file", format.Decoding{}, record, "PAR1", []string{"read as json", "'P'", "at byte 1"}},
		{"JSON in use, cut short", format.Decoding{}, record, `{"a": `, []string{"read as json", "at byte 7"}},
		{"JSON in use beside a registry", format.Decoding{Registry: client}, record, "garbage", []string{"read as json", "at byte 1"}},
		{"JSON by the settings", format.Decoding{Format: format.JSON}, nil, "garbage", []string{"read as json", "at byte 1"}},
		{"Avro in use", format.Decoding{Registry: client}, avro, "garbage", []string{"read as avro", "byte 1 is 0x67 ('g')"}},
		{"Avro in use, cut short", format.Decoding{Registry: client}, avro, string(avro[:len(avro)-2]), []string{"Avro record cannot be read", "byte"}},
		{"Protobuf in use", format.Decoding{Registry: client}, proto, "garbage", []string{"read as protobuf", "byte 1 is 0x67 ('g')"}},
		{"Protobuf in use, cut short", format.Decoding{Registry: client}, proto, string(proto[:len(proto)-2]), []string{"rotobuf", "byte"}},
		{"Avro by the settings", format.Decoding{Format: format.Avro, Registry: client}, nil, "garbage", []string{"read as avro", "byte 1 is 0x67 ('g')"}},
		{"Protobuf by the settings", format.Decoding{Format: format.Protobuf, Registry: client}, nil, "\x01", []string{"read as protobuf", "byte 1 is 0x01"}},
		{"nothing in use", format.Decoding{}, nil, "garbage", []string{"no format that is recognised", "byte 1 is 0x67 ('g')", "0xff", "{ or [", "source.format"}},
		{"nothing in use, a file", format.Decoding{}, nil, "PAR1", []string{"looks like a Parquet file", "byte 1 is 0x50 ('P')"}},
		{"nothing in use beside a registry", format.Decoding{Registry: client}, nil, "garbage", []string{"a record of the schema registry with 0"}},
		{"Arrow in use", format.Decoding{}, inArrow(t, 1, []float32{1, 2}, "k"), "garbage", []string{"not an Arrow IPC stream", "at byte 0"}},
	} {
		d, err := format.NewDecoder(c.set)
		if err != nil {
			t.Fatal(err)
		}
		if c.first != nil {
			if _, err := d.DecodeNow(t.Context(), &stream.Message{Value: c.first}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		_, err = d.Decode(&stream.Message{TopicPartition: stream.TopicPartition{Topic: "t"}, Value: []byte(c.value)})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		arrow := strings.HasPrefix(c.name, "Arrow")
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.name, err, want)
			}
		}
		if !strings.HasPrefix(err.Error(), "topic t, partition 0, offset 0: ") || strings.Contains(err.Error(), "not an Arrow") != arrow {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// If a topic has several formats, the error names all of them.
func TestUnknownMessagesBesideSeveralFormats(t *testing.T) {
	d, err := format.NewDecoder(format.Decoding{Arrow: arrowfmt.Limits{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range [][]byte{[]byte(`{"a": 1}`), inArrow(t, 1, []float32{1, 2}, "k")} {
		if _, err := d.Decode(&stream.Message{Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Decode(&stream.Message{Value: []byte("garbage")}); err == nil || !strings.Contains(err.Error(), "messages of this topic are arrow and json") {
		t.Errorf("%v", err)
	}
}
