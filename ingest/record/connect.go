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
