package arrowfmt

import (
	"io"
	"unfold/ingest/arrays"
	"unfold/ingest/arrowipc"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow/array"
)

// contentType is the content type of a message that is one complete Arrow IPC stream.
const contentType = "application/vnd.apache.arrow.stream"

// Limits bound the resources that a message may use. Fields that are 0 stand for the default.
type Limits struct {
	// Bytes bounds a message (64 MiB).
	Bytes int64
	// Rows bounds its rows (4 Mi).
	Rows int64
	// Memory bounds the bytes allocated to decode a whole message, and also the bytes of its
	// vectors (CheckVectors). Default 256 MiB.
	Memory int64
}

func (l Limits) filled() Limits {
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	if l.Rows == 0 {
		l.Rows = 4 << 20
	}
	if l.Memory == 0 {
		l.Memory = 256 << 20
	}
	return l
}

// ipc returns the limits for the check of a message's bytes.
func (l Limits) ipc() arrowipc.Limits {
	return arrowipc.Limits{Metadata: l.Bytes, Body: l.Bytes, Decoded: l.Memory / 2, Rows: l.Rows}
}

// CheckVectors returns an error if the table's rows would take too much memory as vectors of dim
// elements. The number of rows needs this bound of its own because rows cost a message almost no
// bytes: a column of nulls takes none, and compressed booleans hardly any.
func (l Limits) CheckVectors(t *table.Table, dim int) error {
	if most := l.filled().Memory / (4 * int64(max(dim, 1))); int64(t.Len()) > most {
		return t.Origin.Bad("the message has %d rows; at %d elements a vector at most %d are allowed", t.Len(), dim, most).
			Suggest("send smaller messages")
	}
	return nil
}

// DecodeMessage reads a message that is one complete Arrow IPC stream, and joins its batches into
// one table, without rows if there are no batches. For arbitrary input the result is either a table
// whose values are safe to read, or an *Error that names the message's topic, partition and offset.
// The table may share the message's memory.
func DecodeMessage(value []byte, origin table.Origin, limits Limits) (*table.Table, error) {
	t, _, err := decodeMessage(value, origin, limits.filled(), nil)
	return t, err
}

// decodeMessage is DecodeMessage for a message that begins with the schema known, or with a new one
// if known is nil. It also returns the schema.
func decodeMessage(value []byte, origin table.Origin, limits Limits, known *knownSchema) (*table.Table, *knownSchema, error) {
	s, err := checkMessage(value, origin, limits, known)
	if err != nil {
		return nil, nil, err
	}
	t, k, err := decodeStream(s, origin, limits, known)
	if err != nil {
		return nil, nil, explain(origin, err)
	}
	return t, k, nil
}

// checkMessage checks the bytes of a message, without those of a known schema.
func checkMessage(value []byte, origin table.Origin, limits Limits, known *knownSchema) (s *arrowipc.Stream, err error) {
	if len(value) == 0 {
		return nil, origin.Bad("the message is empty").Suggest("a message is one Arrow IPC stream (%s)", contentType)
	}
	if int64(len(value)) > limits.Bytes {
		return nil, origin.Bad("the message has %d bytes, more than %d", len(value), limits.Bytes)
	}
	if known != nil {
		s, err = known.checked.Check(value)
	} else {
		s, err = arrowipc.Check(value, limits.ipc())
	}
	if err == nil && s.Rows > limits.Rows {
		return nil, origin.Bad("the message has %d rows, more than %d", s.Rows, limits.Rows)
	}
	if err != nil {
		if what, do := notStream(value); what != "" {
			return nil, origin.Bad("this looks like %s; a message has to be one Arrow IPC stream", what).Suggest("%s", do)
		}
		return nil, explain(origin, err)
	}
	return s, nil
}

// decodeStream decodes the schema of a checked stream, unless it is known, and makes a table of the
// batches: directly if possible, otherwise by Arrow's reader, which also gives the error of a bad
// stream.
func decodeStream(s *arrowipc.Stream, origin table.Origin, limits Limits, k *knownSchema) (t *table.Table, _ *knownSchema, err error) {
	defer arrays.Recovered(&err)
	if k != nil {
		if t := k.decode(s, origin, limits); t != nil {
			return t, k, nil
		}
	}
	d, err := newBatchDecoder(&replay{s: s}, limits.Memory, false)
	if err != nil {
		return nil, nil, err
	}
	defer d.r.Release()
	if k == nil {
		k = newKnownSchema(s.Schema, d)
		if t := k.decode(s, origin, limits); t != nil {
			return t, k, nil
		}
	}
	t, err = d.table(origin)
	return t, k, err
}

// table reads the remaining batches into one table.
func (d *batchDecoder) table(origin table.Origin) (*table.Table, error) {
	var parts []*table.Table
	for {
		rec, err := d.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, table.OfRecord(origin, rec))
	}
	if len(parts) == 0 {
		b := array.NewRecordBuilder(table.Heap, d.schema())
		return table.OfRecord(origin, b.NewRecord()), nil
	}
	return table.ConcatTables(parts...)
}
