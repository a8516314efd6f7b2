package format_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/format"
)

// wide is a text in UTF-16.
func wide(order binary.AppendByteOrder, text string) (out []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// A message that is not a record of its topic is identified in the error, with the expected format
// and advice.
func TestDeadLettersNameWhatCame(t *testing.T) {
	_, client := schemaRegistry(t)
	glue := append([]byte{3, 0}, bytes.Repeat([]byte{0xab}, 20)...)
	const record8 = "\x00\x00\x00\x00\x00\x00\x00\x01\x00record"
	for _, c := range []struct {
		name, value, header, what, do string
	}{
		{"null", "null", "", "the JSON value null", "no value at all"},
		{"a number", " -12.5e3 ", "", "a bare JSON number, -12.5e3", "write an object"},
		{"a text", `"abc"`, "", "a JSON text", "write an object"},
		{"a truth value", "true", "", "the JSON value true", "write an object"},
		{"empty", "", "", "an empty value of 0 bytes", "to delete an event write null"},
		{"blanks", " \n\t", "", "a value of 3 blanks", "write an object"},
		{"UTF-16, marked", string(wide(binary.LittleEndian, "\ufeff{\"a\": 1}")), "", "text in UTF-16", "write UTF-8"},
		{"UTF-16, marked, big endian", string(wide(binary.BigEndian, "\ufeff{\"a\": 1}")), "", "text in UTF-16", "write UTF-8"},
		{"UTF-16", string(wide(binary.LittleEndian, `{"a": 1}`)), "", "text in UTF-16", "write UTF-8"},
		{"UTF-16, big endian", string(wide(binary.BigEndian, `{"a": 1}`)), "", "text in UTF-16", "write UTF-8"},
		{"single-object Avro", "\xc3\x01\x01\x02\x03\x04\x05\x06\x07\x08record", "", "Avro's single-object encoding (bytes c3 01, then the schema's fingerprint, 0102030405060708)", "source.schema"},
		{"Apicurio, 8 bytes", record8, "", "a record with an id of 8 bytes, 256, as Apicurio's serializers write it", "Default4ByteIdHandler"},
		{"Apicurio, a header", "\x0e\x02a", "apicurio.value.globalId", "names in the header apicurio.value.globalId", "apicurio.registry.headers.enabled=false"},
		{"Glue", string(glue), "", "AWS Glue's schema registry (bytes 03 00, then the schema's UUID, abababab-abab-abab-abab-abababababab", "not supported"},
		{"Glue, compressed", "\x03\x05" + string(glue[2:]), "", "compressed by zlib", "not supported"},
	} {
		for use, set := range map[string]format.Decoding{
			"json": {}, "json beside a registry": {Registry: client}, "json by the settings": {Format: format.JSON}, "avro by the settings": {Format: format.Avro, Registry: client},
			"what their first bytes say": {}, "what their first bytes say, beside a registry": {Registry: client},
		} {
			d := decoder(t, set)
			if set.Format == "" && strings.HasPrefix(use, "json") {
				if _, err := d.DecodeNow(t.Context(), &stream.Message{Value: []byte(`{"a": 1}`)}); err != nil {
					t.Fatal(err)
				}
			}
			m := stream.Message{TopicPartition: stream.TopicPartition{Topic: "t"}, Offset: 7, Value: []byte(c.value)}
			if c.header != "" {
				m.Headers = []stream.Header{{Key: c.header, Value: []byte{0, 0, 0, 0, 0, 0, 0, 1}}}
			}
			_, err := d.DecodeNow(t.Context(), &m)
			expected, _, _ := strings.Cut(use, " b")
			if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), "topic t, partition 0, offset 7: ") {
				t.Errorf("%s where %s is read: %v", c.name, use, err)
				continue
			}
			for _, want := range []string{c.what, "read as " + expected, c.do} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s where %s is read: %v; want %q", c.name, use, err, want)
				}
			}
		}
	}
}

// A deletion whose key identifies no event is an error, not the deletion of the event with an empty
// id.
func TestKeysThatNameNothing(t *testing.T) {
	for name, m := range map[string]stream.Message{
		"no key": {}, "an empty key": {Key: []byte{}},
		"a deleted record of no id": {Value: []byte(`{"before": null, "after": null, "op": "d", "source": {}, "ts_ms": 1}`)},
	} {
		for _, set := range []format.Decoding{{ID: "id"}, {Format: format.Arrow, ID: "id"}} {
			if set.Format == format.Arrow && m.Value != nil {
				continue
			}
			if _, err := decoder(t, set).DecodeNow(t.Context(), &m); !table.IsBadInput(err) || !strings.Contains(err.Error(), "no key") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The error for an element of a sparse vector beyond its dimensions names the element.
func TestSparseIndices(t *testing.T) {
	set := format.Decoding{Spec: record.Spec{Paths: []string{"v"}, Vector: "v"}}
	for value, want := range map[string]string{
		`{"v": {"dimensions": 2, "vector": {"1": 0.5, "3": 1}}}`: "element 3 of a sparse vector of 2 dimensions",
		`{"v": {"dimensions": 2, "vector": [[0, 0.5]]}}`:         "element 0 of a sparse vector of 2 dimensions",
		`{"v": {"dimensions": 20000000, "vector": {"1": 0.5}}}`:  "a sparse vector of 20000000 dimensions is too long",
		`{"v": {"vector": {"12345678": 0.5}, "dimensions": 5}}`:  "element 12345678 of a sparse vector of 5 dimensions",
	} {
		if _, err := decoder(t, set).DecodeNow(t.Context(), &stream.Message{Value: []byte(value)}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `column "v"`) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}
