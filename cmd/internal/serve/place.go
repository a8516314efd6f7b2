package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/stream/embed"
)

// Placer places the rows of requests. It is safe for concurrent use. The zero value works.
type Placer struct {
	Limits Limits
	arrow  emit.MessageWriter
	last   atomic.Pointer[reader]
}

// reader returns the decoder of a model's requests. It is cached for the current model.
func (p *Placer) reader(m *Model, l Limits) *reader {
	if r := p.last.Load(); r != nil && r.m == m {
		return r
	}
	r := newReader(m, l)
	p.last.Store(r)
	return r
}

// Options are the options of a request.
type Options struct {
	// In is the format of the request, Out that of the response. Out = Auto means the format of the
	// request.
	In, Out Format
	// Neighbors is the number of reference points returned for each row.
	Neighbors int
	// Explain sets which rows are explained.
	Explain embed.Explain
}

// placed are rows with their places.
type placed struct {
	*emit.Output
	near []table.Column // of nearest points, nil if neighbours were not requested
}

// Place returns the response to a request and its format. Its errors are *Problem.
func (p *Placer) Place(ctx context.Context, m *Model, body []byte, o Options) ([]byte, Format, error) {
	l := p.Limits.Filled()
	o.In = o.In.of(body)
	if o.Out == Auto {
		o.Out = o.In
	}
	in, err := p.reader(m, l).decode(body, o.In)
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusBadRequest)
	}
	if int64(in.Len()) > l.Rows {
		return nil, o.Out, tooMany(l.Rows)
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	at, err := m.place(ctx, in, o, l)
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusUnprocessableEntity)
	}
	write := p.writeJSON
	switch o.Out {
	case Arrow:
		write = p.writeArrow
	case flat:
		write = p.writeFlat
	}
	answer, err := write(at)
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusInternalServerError)
	}
	return answer, o.Out, nil
}

// pairBytes estimates the bytes of a neighbour in a response.
const pairBytes = 64

// reasonBytes estimates the bytes of a reason in a response.
const reasonBytes = 256

// place places the rows of a request, with the requested neighbours and explanations.
func (m *Model) place(ctx context.Context, in rows, o Options, l Limits) (placed, error) {
	k := o.Neighbors
	if err := (arrowfmt.Limits{Memory: l.Memory}).CheckVectors(in.Table, m.said.Dim); err != nil {
		return placed{}, Problemf(http.StatusRequestEntityTooLarge, "%v", err)
	}
	has := slices.DeleteFunc(in.Schema(), func(f table.Field) bool { return slices.Contains(in.lacking, f.Name) })
	if pairs := int64(k) * int64(in.Len()); pairs > l.Memory/pairBytes {
		return placed{}, Problemf(http.StatusRequestEntityTooLarge, "%d neighbours of %d rows are more than is allowed; ask for fewer, or for fewer rows at a time", k, in.Len())
	}
	if many := int64(o.Explain.Columns) * int64(in.Len()); many > l.Memory/reasonBytes {
		return placed{}, Problemf(http.StatusRequestEntityTooLarge, "%d reasons of %d rows are more than is allowed; ask for fewer, or for fewer rows at a time", o.Explain.Columns, in.Len())
	}
	of, err := m.m.Partial(has, request.String())
	if err != nil {
		return placed{}, err
	}
	asked, err := of.Ask(ctx, in.Table)
	if err != nil {
		return placed{}, err
	}
	if err := asked.Explain(ctx, o.Explain); err != nil {
		return placed{}, err
	}
	out := placed{Output: asked.All()}
	if in.ids.Valid() {
		out.ID = in.ids
	}
	if k > 0 {
		out.near, err = m.nearest(ctx, of, asked, k)
	}
	return out, err
}

// nearest finds the k nearest points of each row, or all points if there are fewer.
func (m *Model) nearest(ctx context.Context, of *embed.Map, asked *embed.Asked, k int) ([]table.Column, error) {
	k = min(k, m.said.Points)
	near, err := of.Nearest(ctx, asked.Batch.X, k)
	var at *models.RowError
	if errors.As(err, &at) {
		return nil, request.BadAt(at.Row, at.Name, "it has no neighbours, as a value is missing").Suggest("ask for none")
	}
	if err != nil {
		return nil, err
	}
	return embed.NeighborColumns(near, m.m.Distance(), m.m.PointIDs()), nil
}
