package arrowfmt

import (
	"errors"
	"io"
	"unfold/ingest/arrays"
	"unfold/ingest/arrowipc"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// frames yields checked messages, from a stream or from a file by its footer.
type frames interface {
	Next() (arrowipc.Message, error)
}

// replay yields the messages of a stream that has already been checked, the schema first.
type replay struct {
	s    *arrowipc.Stream
	next int
}

func (r *replay) Next() (arrowipc.Message, error) {
	at := r.next
	if at > len(r.s.Frames) {
		return arrowipc.Message{}, io.EOF
	}
	if r.next++; at == 0 {
		return r.s.Schema.Message(), nil
	}
	return r.s.Frames[at-1], nil
}

// batchDecoder decodes checked messages into records. Panics and failures of Arrow's decoder become
// errors.
type batchDecoder struct {
	r        *ipc.Reader
	messages messageReader
	columns  *arrow.Schema // the plain schema, see arrays.PlainSchema
	plain    arrays.Plainer
}

// newBatchDecoder decodes the schema. budget bounds the bytes that the decoder may allocate, 0 for
// no bound beyond the checks. The bound applies to each batch if eachBatch is set, for callers that
// release a batch before they read the next; otherwise it applies to all batches together.
func newBatchDecoder(f frames, budget int64, eachBatch bool) (d *batchDecoder, err error) {
	defer arrays.Recovered(&err)
	d = &batchDecoder{messages: messageReader{frames: f, mem: arrays.Allocator{Limit: budget}, eachBatch: eachBatch}}
	if d.r, err = ipc.NewReaderFromMessageReader(&d.messages, ipc.WithAllocator(&d.messages.mem)); err != nil {
		return nil, plainError(err)
	}
	d.columns = arrays.PlainSchema(d.r.Schema())
	d.plain.Mem = &d.messages.mem
	return d, nil
}

func (d *batchDecoder) schema() *arrow.Schema { return d.columns }

// next returns the next record, with all values checked, or io.EOF.
func (d *batchDecoder) next() (rec arrow.Record, err error) {
	defer arrays.Recovered(&err)
	if !d.r.Next() {
		if d.messages.mem.Over {
			return nil, arrays.MemoryLimit(d.messages.mem.Limit) // which Arrow's reader has made a text of
		}
		if err := d.r.Err(); err != nil {
			return nil, plainError(err)
		}
		return nil, io.EOF
	}
	rec = d.r.Record()
	rec.Retain()
	if err := arrays.ValidateRecord(rec); err != nil {
		return nil, err
	}
	return d.plain.Record(rec, d.columns)
}

// plainError returns the arrowipc.Error that the decoder has wrapped, if there is one.
func plainError(err error) error {
	var e *arrowipc.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// messageReader feeds messages to Arrow's reader.
type messageReader struct {
	frames    frames
	mem       arrays.Allocator
	eachBatch bool
}

func (m *messageReader) Message() (*ipc.Message, error) {
	f, err := m.frames.Next()
	if err != nil {
		return nil, err
	}
	if m.eachBatch {
		m.mem.Used = 0
	}
	return ipc.NewMessage(memory.NewBufferBytes(f.Meta), memory.NewBufferBytes(f.Body)), nil
}

func (m *messageReader) Retain()  {}
func (m *messageReader) Release() {}
