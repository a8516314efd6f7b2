package ingest

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowipc"
)

// frames gives checked messages: a stream's, or a file's by its footer.
type frames interface {
	Next() (arrowipc.Frame, error)
}

// replay gives the frames of a checked stream, its schema's first.
type replay struct {
	s    *arrowipc.Stream
	next int
}

func (r *replay) Next() (arrowipc.Frame, error) {
	at := r.next
	if at > len(r.s.Frames) {
		return arrowipc.Frame{}, io.EOF
	}
	if r.next++; at == 0 {
		return r.s.Schema.Frame(), nil
	}
	return r.s.Frames[at-1], nil
}

// ipcDecoder turns checked frames into records. Whatever still goes wrong in
// the decoder comes back as an error.
type ipcDecoder struct {
	r        *ipc.Reader
	messages messageReader
	columns  *arrow.Schema // what the stream's become, see plainSchema
	plain    plainer
}

// newIPCDecoder reads the schema. budget bounds the bytes that the decoder may
// allocate: for each batch, if whoever asks lets go of one before the next, or
// for all of them together. 0 means no bound beyond the checks.
func newIPCDecoder(f frames, budget int64, eachBatch bool) (d *ipcDecoder, err error) {
	defer recovered(&err)
	d = &ipcDecoder{messages: messageReader{frames: f, mem: cappedAllocator{limit: budget}, eachBatch: eachBatch}}
	if d.r, err = ipc.NewReaderFromMessageReader(&d.messages, ipc.WithAllocator(&d.messages.mem)); err != nil {
		return nil, plainError(err)
	}
	d.columns = plainSchema(d.r.Schema())
	d.plain.mem = &d.messages.mem
	return d, nil
}

func (d *ipcDecoder) schema() *arrow.Schema { return d.columns }

// next returns the next record, checked to its last value, or io.EOF.
func (d *ipcDecoder) next() (rec arrow.Record, err error) {
	defer recovered(&err)
	if !d.r.Next() {
		if d.messages.mem.over {
			return nil, memoryLimit(d.messages.mem.limit) // which Arrow's reader has made a text of
		}
		if err := d.r.Err(); err != nil {
			return nil, plainError(err)
		}
		return nil, io.EOF
	}
	rec = d.r.Record()
	rec.Retain()
	if err := validateRecord(rec); err != nil {
		return nil, err
	}
	return d.plain.record(rec, d.columns)
}

// plainError takes an arrowipc.Error out of the decoder's wrapping.
func plainError(err error) error {
	var e *arrowipc.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// messageReader feeds frames to Arrow's reader.
type messageReader struct {
	frames    frames
	mem       cappedAllocator
	eachBatch bool
}

func (m *messageReader) Message() (*ipc.Message, error) {
	f, err := m.frames.Next()
	if err != nil {
		return nil, err
	}
	if m.eachBatch {
		m.mem.used = 0
	}
	return ipc.NewMessage(memory.NewBufferBytes(f.Meta), memory.NewBufferBytes(f.Body)), nil
}

func (m *messageReader) Retain()  {}
func (m *messageReader) Release() {}
