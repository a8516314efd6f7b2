package arrowfmt

import (
	"context"
	"errors"
	"io"
	"math"
	"unfold/ingest/arrowipc"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
)

// reader reads Arrow IPC streams and files.
type reader struct {
	d      *batchDecoder
	origin table.Origin
	close  func() error
	rec    arrow.Record // being handed out in pieces
	at     int64
	batch  int64
	err    error
}

func limitsOf(memory int64) arrowipc.Limits {
	return arrowipc.Limits{Body: memory, Decoded: memory, Rows: 1 << 31, Metadata: 64 << 20}
}

// NewStreamReader reads an IPC stream.
func NewStreamReader(in *input.Source, batchRows int, memory int64) (table.Reader, error) {
	return newReader(arrowipc.NewScanner(in, limitsOf(memory)), in, batchRows, memory)
}

// NewFileReader reads an IPC file.
func NewFileReader(in *input.Source, batchRows int, memory int64) (table.Reader, error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	s, err := arrowipc.NewFileScanner(f, size, limitsOf(memory))
	if err != nil {
		return nil, explain(in.Origin, err)
	}
	return newReader(s, in, batchRows, memory)
}

func newReader(f frames, in *input.Source, batchRows int, memory int64) (table.Reader, error) {
	d, err := newBatchDecoder(f, 2*memory, true)
	if err != nil {
		return nil, explain(in.Origin, err)
	}
	return &reader{d: d, origin: in.Origin, close: in.Close, batch: int64(batchRows)}, nil
}

func explain(o table.Origin, err error) *table.Error {
	var e *arrowipc.Error
	var u *arrowipc.Unsupported
	if errors.As(err, &u) {
		return o.BadColumn(u.Column, "%s is not supported", u.What).Suggest("%s", u.Do)
	}
	if errors.As(err, &e) && errors.Is(err, arrowipc.ErrTruncated) {
		return o.Bad("the Arrow data is truncated: it stops within the message at byte %d", e.At).Suggest("get it again")
	}
	if errors.Is(err, arrowipc.ErrNotStream) {
		return o.Bad("this is not an Arrow IPC stream").Because(err)
	}
	if errors.Is(err, arrowipc.ErrLimit) {
		return o.Bad("the Arrow data is larger than is allowed").Because(err).Suggest("write fewer rows to a batch")
	}
	return o.Bad("the Arrow data is corrupt").Because(err)
}

func (r *reader) Schema() table.Schema { return table.Describe(r.d.schema()) }
func (r *reader) Close() error         { return r.close() }

// MapID implements Identified.
func (r *reader) MapID() string { return table.MapIDOf(r.d.schema()) }

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for r.err == nil && (r.rec == nil || r.at == r.rec.NumRows()) {
		if r.rec != nil {
			r.origin.Row += r.rec.NumRows()
		}
		r.at = 0
		if r.rec, r.err = r.d.next(); r.err != nil && r.err != io.EOF {
			r.err = explain(r.origin, r.err)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	t := table.OfRecord(r.origin, r.rec)
	from, to := r.at, min(r.at+r.batch, r.rec.NumRows())
	r.at = to
	return t.Slice(int(from), int(to)), nil
}

// ArrowSchema is that of its tables.
func (r *reader) ArrowSchema() *arrow.Schema { return r.d.schema() }
