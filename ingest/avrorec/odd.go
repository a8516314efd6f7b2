package avrorec

import (
	"encoding/hex"
	"math"

	"github.com/twmb/avro"

	"unfold/ingest/record"
)

// uuid writes 16 bytes in the usual text form of a UUID.
func uuid(to, v []byte) []byte {
	for i, part := range [][]byte{v[:4], v[4:6], v[6:8], v[8:10], v[10:16]} {
		if i > 0 {
			to = append(to, '-')
		}
		to = hex.AppendEncode(to, part)
	}
	return to
}

// element is an element of a sparse vector.
type element struct {
	at    int64
	value float64
}

// sparse reads a sparse vector and converts it to a dense one. Indices begin with 1, because
// Debezium takes them from pgvector's text form.
func (w *worker) sparse(s *step) bool {
	var elements []element
	dimensions, there := 0.0, true
	for _, f := range s.shape.fields {
		ok := true
		if f.name == "dimensions" {
			dimensions, ok = w.number(f.shape)
		} else {
			elements, there, ok = w.elements(f.shape)
		}
		if !ok {
			return false
		}
	}
	if !there || math.IsNaN(dimensions) {
		w.b.Null(s.node)
		return true
	}
	if dimensions < 0 || dimensions > record.MaxDimensions {
		w.b.Refuse(s.node, "a sparse vector of %v dimensions", dimensions)
		return true
	}
	n := int(dimensions)
	w.floats64 = append(w.floats64[:0], make([]float64, n)...)
	for _, e := range elements {
		if e.at < 1 || e.at > int64(n) {
			w.b.Refuse(s.node, "element %d of a sparse vector of %d dimensions", e.at, n)
			return true
		}
		w.floats64[e.at-1] = e.value
	}
	w.b.Vector64(s.node, w.floats64)
	return true
}

// elements reads the elements of a sparse vector, an array of pairs that may be null.
func (w *worker) elements(s *shape) (all []element, there, ok bool) {
	if s.kind == kindUnion {
		i, ok := w.index(len(s.branches), "branch")
		if !ok || s.branches[i].kind == kindNull {
			return nil, false, ok
		}
		s = s.branches[i]
	}
	for {
		n, _, ok := w.block(s.items)
		if !ok || n == 0 {
			return all, true, ok
		}
		if !w.room(16 * (len(all) + n)) {
			return nil, true, false
		}
		for range n {
			at, ok := w.number(s.items.fields[0].shape)
			if !ok {
				return nil, true, false
			}
			value, ok := w.number(s.items.fields[1].shape)
			if !ok {
				return nil, true, false
			}
			if math.IsNaN(at) {
				at = 0
			}
			all = append(all, element{int64(at), value})
		}
	}
}

// maxJSON bounds the size of a value that is written as JSON, because the conversion takes many
// times its bytes.
const maxJSON = 1 << 20

// json writes a value as JSON.
func (w *worker) json(s *step, depth int) bool {
	from := w.at
	if !w.skip(s.shape, depth) {
		return false
	}
	raw := w.data[from:w.at]
	if len(raw) > maxJSON {
		w.b.Refuse(s.node, "a list, map or record of %d bytes is too large for a column: name a field of it", len(raw))
		return true
	}
	if !w.scale.fits(s.shape, raw, depth, w.limits.Memory) {
		w.b.Refuse(s.node, "a list, map or record of %d bytes takes more than %d when it is decoded: name a field of it", len(raw), w.limits.Memory)
		return true
	}
	text, err := asJSON(s.json, raw)
	if err != nil {
		w.b.Refuse(s.node, "the value cannot be read: %v", err)
		return true
	}
	w.b.Text(s.node, text)
	return true
}

func asJSON(s *avro.Schema, raw []byte) ([]byte, error) {
	var v any
	if _, err := s.Decode(raw, &v); err != nil {
		return nil, err
	}
	return s.EncodeJSON(v)
}
