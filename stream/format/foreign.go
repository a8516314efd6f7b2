package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/registry"
)

// These are the headers in which Apicurio's serializers put the id of a value's schema.
var apicurioHeaders = []string{"apicurio.value.globalId", "apicurio.value.contentId", "apicurio.value.artifactId"}

const (
	confluentFraming = "let the serializer write a byte 0 and an id of 4 bytes before the record, as Confluent's do"
	apicurioFraming  = confluentFraming + ": apicurio.registry.id-handler=io.apicurio.registry.serde.Default4ByteIdHandler, with version 2 Legacy4ByteIdHandler, and no ids in headers (apicurio.registry.headers.enabled=false)"
	glueFraming      = "AWS Glue's registry is not supported: " + confluentFraming + ", or write JSON"
	writeRecords     = "write an object, or a list of objects, a message"
)

// foreign identifies a message that is not in its topic's format, and gives advice; "" if it is
// unknown.
func foreign(m *stream.Message) (what, do string) {
	v := m.Value
	if v == nil {
		return "a message with no key and no value", "to delete an event write its id as the key"
	}
	if what, do = foreignBytes(v); what != "" {
		return what, do
	}
	for _, name := range apicurioHeaders {
		if _, there := m.Header(name); there {
			return "a record whose schema Apicurio's serializer names in the header " + name, apicurioFraming
		}
	}
	if jsonrec.Looks(v) {
		return "", "" // the error in it is known
	}
	return arrowfmt.Resembles(v)
}

// foreignBytes is foreign by the first bytes alone.
func foreignBytes(v []byte) (what, do string) {
	trimmed := bytes.Trim(v, " \t\r\n")
	switch {
	case len(v) == 0:
		return "an empty value of 0 bytes", "to delete an event write null, which is no value at all"
	case len(trimmed) == 0:
		return fmt.Sprintf("a value of %d blanks", len(v)), writeRecords
	case bytes.HasPrefix(v, []byte{0xff, 0xfe}), bytes.HasPrefix(v, []byte{0xfe, 0xff}), utf16(v):
		return "text in UTF-16", "write UTF-8"
	case bytes.HasPrefix(v, []byte{0xc3, 0x01}) && len(v) >= 10:
		return fmt.Sprintf("a record in Avro's single-object encoding (bytes c3 01, then the schema's fingerprint, %x)", v[2:10]),
			confluentFraming + ", or a bare record, whose schema source.schema names"
	case apicurio8(v):
		return fmt.Sprintf("a record with an id of 8 bytes, %d, as Apicurio's serializers write it", binary.BigEndian.Uint64(v[1:])), apicurioFraming
	case len(v) >= 18 && v[0] == 3 && v[1] == 0:
		return "a record of AWS Glue's schema registry (bytes 03 00, then the schema's UUID, " + uuid(v[2:18]) + ")", glueFraming
	case len(v) >= 18 && v[0] == 3 && v[1] == 5:
		return "a record of AWS Glue's schema registry, compressed by zlib (bytes 03 05, then the schema's UUID, " + uuid(v[2:18]) + ")", glueFraming
	}
	if utf8.Valid(v) && json.Valid(v) {
		return jsonValue(trimmed)
	}
	return "", ""
}

// jsonValue names a JSON value that is neither an object nor a list.
func jsonValue(v []byte) (what, do string) {
	switch c := v[0]; {
	case string(v) == "null":
		return "the JSON value null, four letters", "to delete an event write null as Kafka has it, which is no value at all"
	case c == '"':
		return "a JSON text", writeRecords
	case c == 't' || c == 'f':
		return "the JSON value " + string(v), writeRecords
	case c == '-' || c >= '0' && c <= '9':
		return "a bare JSON number, " + table.Clip(string(v)), writeRecords
	}
	return "", ""
}

// utf16 reports whether a value is JSON in UTF-16 without a byte order mark.
func utf16(v []byte) bool {
	if len(v) < 4 || len(v)%2 != 0 {
		return false
	}
	opens := func(c byte) bool { return c == '{' || c == '[' }
	return opens(v[0]) && v[1] == 0 && v[3] == 0 || v[0] == 0 && opens(v[1]) && v[2] == 0
}

// apicurio8 reports whether a value has a byte 0 and an id of 8 bytes, the first 4 of them 0, which
// no registry uses for a schema.
func apicurio8(v []byte) bool {
	return len(v) > 9 && v[0] == 0 && binary.BigEndian.Uint32(v[1:]) == 0 && binary.BigEndian.Uint32(v[5:]) != 0
}

func uuid(v []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:16])
}

// named adds to a decoding error the identified kind of message, the expected format, and advice.
func (d *Decoder) named(m *stream.Message, err error) error {
	var missing *stream.UnavailableError
	var skipped *stream.SkippedError
	var e *table.Error
	if errors.As(err, &missing) || errors.As(err, &skipped) || !errors.As(err, &e) || e.Column != "" {
		return err
	}
	what, do := foreign(m)
	looks := strings.Contains(e.Problem, "looks like") // an earlier first guess, now known better
	if sure, _ := foreignBytes(m.Value); what == "" || strings.Contains(e.Problem, what) || looks && sure == "" {
		return err
	}
	if why := e.Problem; looks {
		e.Problem = fmt.Sprintf("this is %s; messages are read as %s", what, d.reads())
	} else {
		e.Problem = fmt.Sprintf("this is %s; messages are read as %s; %s", what, d.reads(), why)
	}
	if do != "" {
		e.Hint = do
	}
	return err
}

// reads returns the name of the expected format.
func (d *Decoder) reads() string {
	if used := d.inUse(); len(used) > 0 {
		return joined(used)
	}
	if d.set.Format == Auto {
		return "what their first bytes say (source.format: auto)"
	}
	return string(d.set.Format)
}

// unframed reports whether a message's schema id is invalid, so that no schema can be fetched.
func unframed(header []byte, v []byte) bool {
	return header == nil && registry.Framed(v) && (apicurio8(v) || utf16(v))
}
