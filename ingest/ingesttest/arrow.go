package ingesttest

import (
	"bytes"
	"errors"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Encode returns an Arrow IPC stream of records, written by Arrow's own writer. It panics if that
// fails.
func Encode(schema *arrow.Schema, records []arrow.Record, opts ...ipc.Option) []byte {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append([]ipc.Option{ipc.WithSchema(schema)}, opts...)...)
	var err error
	for _, r := range records {
		err = errors.Join(err, w.Write(r))
	}
	must(errors.Join(err, w.Close()))
	return b.Bytes()
}

// ArrowDecode decodes a message with Arrow's own reader, which trusts its input, and returns the
// number of rows.
func ArrowDecode(message []byte) (rows int64, err error) {
	r, err := ipc.NewReader(bytes.NewReader(message))
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		rows += r.Record().NumRows()
	}
	return rows, r.Err()
}

// Events returns n events with an id in column "event" and a vector of dim elements in column "v".
// Ids begin at from.
func Events(from, n, dim int) *table.Table {
	rng := rand.New(rand.NewPCG(uint64(from), 2))
	ids, x := make([]int64, n), vec.New[float32](n, dim)
	for i := range ids {
		ids[i] = int64(from + i)
	}
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
	}
	t, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.VectorColumn("v", x))
	if err != nil {
		panic(err) // the columns above are valid
	}
	return t
}
