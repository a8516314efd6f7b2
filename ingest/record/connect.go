package record

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"unsafe"
)

// What Kafka Connect and Debezium write means the same in every format.

// times are the units of Connect's and Debezium's types of times that are numbers.
var times = map[string]Unit{
	"org.apache.kafka.connect.data.Date":      Days,
	"org.apache.kafka.connect.data.Timestamp": Millis,
	"io.debezium.time.Date":                   Days,
	"io.debezium.time.Timestamp":              Millis,
	"io.debezium.time.MicroTimestamp":         Micros,
	"io.debezium.time.NanoTimestamp":          Nanos,
}

// TimeUnit returns the unit of a type of Connect's or Debezium's, if its numbers are times
// since 1970.
func TimeUnit(name string) (Unit, bool) {
	u, ok := times[name]
	return u, ok
}

// ZonedTime is Debezium's name of texts that are times.
const ZonedTime = "io.debezium.time.ZonedTimestamp"

// Operation is what a change of Debezium's does to its record.
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

// SkipOperation is what to do about changes that hold no record.
const SkipOperation = "let the connector skip it: skipped.operations=t, or a filter"

// The kinds of Debezium's messages that are no changes of records.
const (
	Heartbeat    = "heartbeat"
	Transaction  = "transaction boundary"
	SchemaChange = "schema change"
	LogMessage   = "logical decoding message"
)

// Aside returns what kind of Debezium's messages beside changes has these fields; "" for
// others.
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

// Fields that Debezium's transform ExtractNewRecordState adds to records, by their paths.
const (
	deletedField   = "__deleted"
	operationField = "__op"
)

// mark is what such a field says.
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

// marked takes the value of a mark.
func (b *Builder) marked(m mark, v string) {
	if m == markDeleted && v == "true" || m == markOperation && Change(v) == Deleted {
		b.deleted = b.rows + 1
	}
}

// Deleted reports whether the message is a record that a flattened change has deleted.
func (b *Builder) Deleted() bool { return b.deleted > 0 }

// Unchanged are the columns whose values Debezium has left out, because the change did not
// touch them. They are null.
func (b *Builder) Unchanged() []string { return slices.Clone(b.unchanged) }

// unavailable stands in Debezium's changes for a value that Postgres keeps elsewhere and does
// not repeat: as it is, in base64 and in hexadecimal digits, as handling of bytes is set; in
// lists of numbers as the numbers of its bytes.
const unavailable = "__debezium_unavailable_value"

var unavailables = []string{unavailable, base64.StdEncoding.EncodeToString([]byte(unavailable)), hex.EncodeToString([]byte(unavailable)), `["` + unavailable + `"]`, packed()}

// packed are the placeholder's bytes as float32, as Protobuf has a list of them on the wire.
func packed() string {
	var out []byte
	for _, c := range []byte(unavailable) {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(c)))
	}
	return string(out)
}

// leftOut notes a text that stands for a value which is not there.
func (b *Builder) leftOut(f *field, v []byte) bool {
	if !b.spec.Changes || !slices.Contains(unavailables, unsafe.String(unsafe.SliceData(v), len(v))) {
		return false
	}
	b.leave(f)
	return true
}

// LeftOut notes a list that stands for a value which is not there, by its text in JSON, and
// reports whether it is one.
func (b *Builder) LeftOut(n *Node, text []byte) bool {
	if !b.spec.Changes || len(text) > 2*len(unavailable) {
		return false
	}
	f := b.at(n)
	return f != nil && b.leftOut(f, text)
}

// leave makes a value that was left out null.
func (b *Builder) leave(f *field) {
	b.unchanged = append(b.unchanged, f.path)
	f.null()
}

// leftOutList notes a list of numbers that stands for a value which is not there, and
// reports whether it is one.
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

// MaxDimensions bounds what a sparse vector may say of itself: pgvector has 1e9, of which no
// dense vector could be made.
const MaxDimensions = 1 << 20
