package arrowfmt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"unfold/ingest/arrowipc"
	"unfold/ingest/input"
)

// A message that is no Arrow stream is most often in another well-known format. The dead letter
// then names the format and the remedy.

// Looks reports whether the first byte is that of an Arrow IPC stream.
func Looks(value []byte) bool { return len(value) > 0 && value[0] == 0xff }

// Resembles returns the name of the well-known format that bytes appear to be in, and what the user
// should do, or "" for an unknown format.
func Resembles(b []byte) (what, do string) { return notStream(b) }

// notStream is Resembles for bytes that do not begin like an Arrow stream.
func notStream(b []byte) (what, do string) {
	if s, known := input.Recognize(b); known && s.Format != input.ArrowStream {
		if strings.HasPrefix(s.Is, "compressed") {
			s.Is = "data " + s.Is
		}
		return s.Is, cmp.Or(s.Message, "write an Arrow stream: pyarrow.ipc.new_stream")
	}
	if text := bytes.TrimLeft(b, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return "JSON", "write Arrow streams of many events each: pyarrow.ipc.new_stream"
	}
	if oldFraming(b) {
		return "an Arrow stream in the framing from before version 0.15", "write it without use_legacy_format"
	}
	if len(b) > 5 && b[0] == 0 {
		return fmt.Sprintf("a record for a schema registry (byte 0, then the number of a schema, %d)", binary.BigEndian.Uint32(b[1:])),
			"write Arrow streams, which carry their schema: pyarrow.ipc.new_stream"
	}
	return "", ""
}

// oldFraming reports whether bytes begin with a schema in the framing of early Arrow versions:
// messages without a marker, only the length.
func oldFraming(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if n <= 0 || n > int64(len(b))-4 {
		return false
	}
	framed := append([]byte{0xff, 0xff, 0xff, 0xff}, b[:4+n]...)
	f, err := arrowipc.NewBytesScanner(framed, arrowipc.Limits{}).Next()
	return err == nil && f.Kind == arrowipc.Schema
}
