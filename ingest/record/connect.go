package record

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

// Change reads the operation of a Debezium change: whether the record is deleted by it (d)
// or is there from then on (c, u, r). Another operation holds no record: ok is false.
func Change(op string) (deleted, ok bool) {
	switch op {
	case "c", "u", "r":
		return false, true
	case "d":
		return true, true
	}
	return false, false
}

// SkipOperation is what to do about changes that hold no record.
const SkipOperation = "let the connector skip it: skipped.operations=t, or a filter"

// unavailable stands in Debezium's changes for a value that Postgres keeps elsewhere and does
// not repeat.
const unavailable = "__debezium_unavailable_value"

// Changed says whether the values that follow are those of a record after a change. A value
// that Debezium has left out there is refused.
func (b *Builder) Changed(on bool) { b.changed = on }

// leftOut refuses a text that stands for a value which is not there.
func (b *Builder) leftOut(f *field, v []byte) bool {
	if !b.changed || string(v) != unavailable {
		return false
	}
	b.refuse(f.path, "Debezium has left the value out, since the change did not touch it: set the table's REPLICA IDENTITY to FULL", "")
	return true
}

// MaxDimensions bounds what a sparse vector may say of itself: pgvector has 1e9, of which no
// dense vector could be made.
const MaxDimensions = 1 << 20
