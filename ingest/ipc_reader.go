package ingest

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/arrowipc"
)

// ipcReader reads Arrow IPC streams and files.
type ipcReader struct {
	d      *ipcDecoder
	origin Origin
	close  func() error
	rec    arrow.Record // being handed out in pieces
	at     int64
	batch  int64
	err    error
}

func ipcLimits(memory int64) arrowipc.Limits {
	return arrowipc.Limits{Body: memory, Decoded: memory, Rows: 1 << 31, Metadata: 64 << 20}
}

// newStreamReader reads an IPC stream.
func newStreamReader(in *opened, batchRows int, memory int64) (Reader, error) {
	return newIPCReader(arrowipc.NewScanner(in, ipcLimits(memory)), in, batchRows, memory)
}

// newFileReader reads an IPC file.
func newFileReader(in *opened, batchRows int, memory int64) (Reader, error) {
	f, size, err := in.seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	s, err := arrowipc.NewFileScanner(f, size, ipcLimits(memory))
	if err != nil {
		return nil, ipcError(in.origin, err)
	}
	return newIPCReader(s, in, batchRows, memory)
}

func newIPCReader(f frames, in *opened, batchRows int, memory int64) (Reader, error) {
	d, err := newIPCDecoder(f, 2*memory, true)
	if err != nil {
		return nil, ipcError(in.origin, err)
	}
	return &ipcReader{d: d, origin: in.origin, close: in.Close, batch: int64(batchRows)}, nil
}

func ipcError(o Origin, err error) *Error {
	var e *arrowipc.Error
	var u *arrowipc.Unsupported
	if errors.As(err, &u) {
		return o.badColumn(u.Column, "%s is not supported", u.What).hint("%s", u.Do)
	}
	if errors.As(err, &e) && errors.Is(err, arrowipc.ErrTruncated) {
		return o.bad("the Arrow data is truncated: it stops within the message at byte %d", e.At).hint("get it again")
	}
	if errors.Is(err, arrowipc.ErrNotStream) {
		return o.bad("this is not an Arrow IPC stream").cause(err)
	}
	if errors.Is(err, arrowipc.ErrLimit) {
		return o.bad("the Arrow data is larger than is allowed").cause(err).hint("write fewer rows to a batch")
	}
	return o.bad("the Arrow data is corrupt").cause(err)
}

func (r *ipcReader) Schema() Schema { return describe(r.d.schema()) }
func (r *ipcReader) Close() error   { return r.close() }

// MapID implements Identified.
func (r *ipcReader) MapID() string { return mapIDOf(r.d.schema()) }

func (r *ipcReader) Next(ctx context.Context) (*Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for r.err == nil && (r.rec == nil || r.at == r.rec.NumRows()) {
		if r.rec != nil {
			r.origin.Row += r.rec.NumRows()
		}
		r.at = 0
		if r.rec, r.err = r.d.next(); r.err != nil && r.err != io.EOF {
			r.err = ipcError(r.origin, r.err)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	t := recordTable(r.origin, r.rec)
	from, to := r.at, min(r.at+r.batch, r.rec.NumRows())
	r.at = to
	return t.Slice(int(from), int(to)), nil
}

// arrowSchema is that of its tables.
func (r *ipcReader) arrowSchema() *arrow.Schema { return r.d.schema() }
