package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// decode answers POST /decode: it decodes map positions to vectors, in their order.
func (h *Handler) decode(w http.ResponseWriter, r *http.Request) {
	answer, format, err := h.answered(w, r, h.placer.Decode)
	if err != nil {
		problemOf(err, http.StatusInternalServerError).write(w)
		return
	}
	h.reply(w, format.contentType(), answer)
}

// valueBytes estimates the bytes of a vector's value in a response.
const valueBytes = 16

// Decode returns the vectors at the positions of a request, encoded, and their format. Its errors
// are *Problem.
func (p *Placer) Decode(ctx context.Context, m *Model, body []byte, o Options) ([]byte, Format, error) {
	l := p.Limits.Filled()
	o.In = o.In.of(body)
	if o.Out == Auto {
		o.Out = o.In
	}
	if o.Neighbors > 0 || o.Explain.Columns > 0 {
		return nil, o.Out, Problemf(http.StatusBadRequest, "positions have neither neighbours nor reasons; ask for those of rows, at /place")
	}
	read := positions
	if o.In == Arrow {
		read = p.reader(m, l).positions
	}
	at, err := read(body, m.said.Dims, l)
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusBadRequest)
	}
	if int64(at.Rows) > l.Rows {
		return nil, o.Out, tooMany(l.Rows)
	}
	if values := int64(at.Rows) * int64(m.said.Dim); values > l.Memory/valueBytes {
		return nil, o.Out, Problemf(http.StatusRequestEntityTooLarge, "%d vectors of %d values are more than is allowed; send fewer positions at a time", at.Rows, m.said.Dim)
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	d, err := m.m.Decode(ctx, at)
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusUnprocessableEntity)
	}
	out := &emit.Output{Embedding: at, Kept: append([]table.Column{table.Float32Column("vector_sigma", d.Sigma)}, d.Columns("vector")...)}
	out.MapID, out.Epoch, out.Version = m.said.MapID, m.said.Epoch, m.said.Version
	write := func(at placed) ([]byte, error) { return p.writeObject(at, "vectors") }
	if o.Out == Arrow {
		write = p.writeArrow
	}
	answer, err := write(placed{Output: out})
	if err != nil {
		return nil, o.Out, problemOf(err, http.StatusInternalServerError)
	}
	return answer, o.Out, nil
}

// positions parses {"places": [[...], ...]}: lists of dims finite numbers.
func positions(body []byte, dims int, l Limits) (at vec.Matrix[float32], err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return at, request.Bad("the body is no JSON object").Suggest(`send {"places": [[...], ...]}`)
	}
	if name, err := d.Token(); err != nil || name != "places" {
		return at, request.Bad(`the object has no "places"`).Suggest(`send {"places": [[...], ...]}, lists of %d numbers`, dims)
	}
	lists, err := readElements(d, "places", "[", l.Rows)
	if err != nil {
		return at, err
	}
	if d.More() {
		return at, request.Bad(`the object has other fields than "places"`)
	}
	if err := ended(d); err != nil {
		return at, err
	}
	at = vec.New[float32](len(lists.ends), dims)
	for i := range at.Rows {
		var row []*float32
		if err := json.Unmarshal(lists.at(i), &row); err != nil {
			return at, request.BadAt(i, "places", "it is no list of numbers").Because(err)
		}
		if len(row) != dims {
			return at, request.BadAt(i, "places", "it has %d numbers, and the map %d dimensions", len(row), dims)
		}
		for c, v := range row {
			if v == nil {
				return at, request.BadAt(i, "places", "number %d is null", c)
			}
			at.Row(i)[c] = *v
		}
	}
	return at, nil
}

// positions reads the column embedding of an Arrow stream, in the form of a placement response.
func (r *reader) positions(body []byte, dims int, _ Limits) (at vec.Matrix[float32], err error) {
	t, err := r.arrow.Decode(body, request)
	if err != nil {
		return at, err
	}
	column, err := t.Need(emit.EmbeddingName)
	if err != nil {
		return at, err
	}
	if k := column.Kind(); k != table.Vector && k != table.SparseVector {
		return at, request.BadColumn(emit.EmbeddingName, "its type is %s, not a list of numbers", column.DataType())
	}
	at = vec.New[float32](t.Len(), dims)
	return at, table.CopyVectors(at.Data, dims, column, t.Origin, false)
}
