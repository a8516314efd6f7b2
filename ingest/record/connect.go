package record

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"unsafe"
)

// This file implements the conventions of Kafka Connect and Debezium that are the same in every
// format.

// times are the units of Kafka Connect's and Debezium's numeric types of times.
var times = map[string]Unit{
	"org.apache.kafka.connect.data.Date":      Days,
	"org.apache.kafka.connect.data.Timestamp": Millis,
	"io.debezium.time.Date":                   Days,
	"io.debezium.time.Timestamp":              Millis,
	"io.debezium.time.MicroTimestamp":         Micros,
	"io.debezium.time.NanoTimestamp":          Nanos,
}

// TimeUnit returns the unit of a Kafka Connect or Debezium type, if it is a numeric time since
// 1970.
func TimeUnit(name string) (Unit, bool) {
	u, ok := times[name]
	return u, ok
}

// ZonedTime is Debezium's type name of texts that are times.
const ZonedTime = "io.debezium.time.ZonedTimestamp"

// Operation is the kind of a Debezium change.
type Operation int

// The operations.
const (
	Unknown   Operation = iota
	Upserted            // c, u, r: the record is there from then on
	Deleted             // d
	Truncated           // t: all records of the table are gone
	Message             // m: no change, but a message that was written to the log
)

// Change reads the letter of an operation.
func Change(op string) Operation {
	switch op {
	case "c", "u", "r":
		return Upserted
	case "d":
		return Deleted
	case "t":
		return Truncated
	case "m":
		return Message
	}
	return Unknown
}

// SkipOperation is the advice for changes that hold no record.
const SkipOperation = "let the connector skip it: skipped.operations=t, or a filter"

// Kinds of Debezium messages that are no changes of records.
const (
	Heartbeat    = "heartbeat"
	Transaction  = "transaction boundary"
	SchemaChange = "schema change"
	LogMessage   = "logical decoding message"
)

// Aside returns the kind of a Debezium message that is no change, recognized by its fields, or ""
// for other messages.
func Aside(fields []string) string {
	only := func(names ...string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool { return !slices.Contains(names, f) })
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(f string) bool { return !slices.Contains(fields, f) })
	}
	switch {
	case has("ts_ms") && only("ts_ms"):
		return Heartbeat
	case has("status", "id") && only("status", "id", "event_count", "data_collections", "ts_ms", "ts_us", "ts_ns") && len(fields) > 2:
		return Transaction
	case has("source", "databaseName", "ddl") && only("source", "ts_ms", "ts_us", "ts_ns", "databaseName", "schemaName", "ddl", "tableChanges"):
		return SchemaChange
	case has("op", "message") && only("op", "message", "source", "ts_ms", "ts_us", "ts_ns", "transaction"):
		return LogMessage
	}
	return ""
}

// Paths of the fields that Debezium's transform ExtractNewRecordState adds to records.
const (
	deletedField   = "__deleted"
	operationField = "__op"
)

// mark is the meaning of such a field.
type mark int

const (
	markNone mark = iota
	markDeleted
	markOperation
)

func markOf(path string) mark {
	switch path {
	case deletedField:
		return markDeleted
	case operationField:
		return markOperation
	}
	return markNone
}

// marked processes the value of such a field.
func (b *Builder) marked(m mark, v string) {
	if m == markDeleted && v == "true" || m == markOperation && Change(v) == Deleted {
		b.deleted = b.rows + 1
	}
}

// Deleted reports whether the message is a flattened change that deleted its record.
func (b *Builder) Deleted() bool { return b.deleted > 0 }

// Unchanged returns the columns whose values Debezium omitted because the change did not affect
// them. They are null.
func (b *Builder) Unchanged() []string { return slices.Clone(b.unchanged) }

// unavailable is Debezium's placeholder for a value that Postgres stores out of line and does not
// repeat. Depending on the type and the handling of bytes it appears as text, in base64, in
// hexadecimal digits, or as the list of its bytes.
const unavailable = "__debezium_unavailable_value"

var unavailables = []string{unavailable, base64.StdEncoding.EncodeToString([]byte(unavailable)), hex.EncodeToString([]byte(unavailable)), `["` + unavailable + `"]`, packed()}

// packed returns the placeholder's bytes as float32 values in Protobuf's packed encoding.
func packed() string {
	var out []byte
	for _, c := range []byte(unavailable) {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(c)))
	}
	return string(out)
}

// leftOut reports whether a text is the placeholder, and then makes the value null.
func (b *Builder) leftOut(f *field, v []byte) bool {
	if !b.spec.Changes || !slices.Contains(unavailables, unsafe.String(unsafe.SliceData(v), len(v))) {
		return false
	}
	b.leave(f)
	return true
}

// LeftOut reports whether a list, given as JSON text, is the placeholder, and then makes the value
// null.
func (b *Builder) LeftOut(n *Node, text []byte) bool {
	if !b.spec.Changes || len(text) > 2*len(unavailable) {
		return false
	}
	f := b.at(n)
	return f != nil && b.leftOut(f, text)
}

// leave makes an omitted value null and records the column as unchanged.
func (b *Builder) leave(f *field) {
	b.unchanged = append(b.unchanged, f.path)
	f.null()
}

// leftOutList reports whether a list of numbers is the placeholder, and then makes the value null.
func leftOutList[T float32 | float64](b *Builder, f *field, v []T) bool {
	if !b.spec.Changes || len(v) != len(unavailable) || v[0] != T(unavailable[0]) {
		return false
	}
	for i, x := range v {
		if x != T(unavailable[i]) {
			return false
		}
	}
	b.leave(f)
	return true
}

// MaxDimensions bounds the dimension that a sparse vector may declare. pgvector allows 1e9, far too
// much for a dense vector.
const MaxDimensions = 1 << 20
