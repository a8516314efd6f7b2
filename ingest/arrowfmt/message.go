package arrowfmt

import (
	"io"
	"unfold/ingest/arrays"
	"unfold/ingest/arrowipc"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow/array"
)

// contentType is the content type of a message: one complete Arrow IPC stream.
const contentType = "application/vnd.apache.arrow.stream"

// Limits bound what a message may ask for. Fields that are 0 take the default.
type Limits struct {
	// Bytes bounds a message (64 MiB).
	Bytes int64
	// Rows bounds its rows (4 Mi).
	Rows int64
	// Memory bounds what decoding all of it may allocate, and what its vectors may
	// take (CheckVectors), in bytes (256 MiB).
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

// ipc is what the preflight of a message is bound by.
func (l Limits) ipc() arrowipc.Limits {
	return arrowipc.Limits{Metadata: l.Bytes, Body: l.Bytes, Decoded: l.Memory / 2, Rows: l.Rows}
}

// CheckVectors says whether the rows of a message's table may become vectors of
// dim elements. Rows cost a message next to nothing (a column of nulls takes no
// bytes, compressed booleans hardly any); their vectors do.
func (l Limits) CheckVectors(t *table.Table, dim int) error {
	if most := l.filled().Memory / (4 * int64(max(dim, 1))); int64(t.Len()) > most {
		return t.Origin.Bad("the message has %d rows; at %d elements a vector at most %d are allowed", t.Len(), dim, most).
			Suggest("send smaller messages")
	}
	return nil
}

// DecodeMessage reads a message: one complete Arrow IPC stream, whose batches
// become one table (without rows if there is no batch). The bytes need not be
// trusted: whatever they are, the result is a table whose values are safe to
// touch, or an *Error with the message's topic, partition and offset. The table may
// share the message's memory.
func DecodeMessage(value []byte, origin table.Origin, limits Limits) (*table.Table, error) {
	t, _, err := decodeMessage(value, origin, limits.filled(), nil)
	return t, err
}

// decodeMessage is DecodeMessage of a message that begins with a known schema, or with one
// that is not known yet (nil); it also returns the schema.
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

// checkMessage is the preflight of a message, without its schema if that is known.
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

// decodeStream reads the schema of a checked stream, unless that is known, and makes a
// table of its batches: as they lie, if that goes, else by Arrow's reader, which also says
// what is wrong.
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

// table is what is left of a stream.
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
