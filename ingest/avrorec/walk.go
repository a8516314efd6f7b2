package avrorec

import (
	"encoding/binary"
	"math"

	"unfold/ingest/record"
)

// worker decodes one message at a time. Its steps write to the columns of its builder.
type worker struct {
	reader
	b    *record.Builder
	root *record.Node // to which the steps are bound
	row  step
	// extra holds the steps of the envelope's own fields.
	extra  []step
	limits record.Limits
	// scale weighs values that are written as JSON.
	scale Scale
	// changes is record.Spec's field. truncated and aside describe a change that holds no record.
	changes, truncated bool
	aside              string

	floats32 []float32 // scratch
	floats64 []float64
}

// walk reads a value along a step.
func (w *worker) walk(s *step, depth int) bool {
	if depth <= 0 {
		return w.deep()
	}
	switch s.op {
	case opSkip:
		return w.skip(s.shape, depth)
	case opRecord:
		for i := range s.steps {
			if !w.walk(&s.steps[i], depth-1) {
				return false
			}
		}
		return true
	case opUnion:
		i, ok := w.index(len(s.steps), "branch")
		return ok && w.walk(&s.steps[i], depth-1)
	case opVector:
		return w.vector(s)
	case opMap:
		return w.mapping(s, depth)
	case opSparse:
		return w.sparse(s)
	case opJSON:
		return w.json(s, depth)
	case opVariable:
		scale, ok := w.long()
		if !ok {
			return false
		}
		v, ok := w.bytes()
		if ok {
			w.b.Decimal(s.node, v, scale)
		}
		return ok
	}
	return w.scalar(s)
}

// scalar reads a plain value.
func (w *worker) scalar(s *step) bool {
	switch s.op {
	case opNull:
		w.b.Null(s.node)
		return true
	case opBoolean:
		v, ok := w.take(1)
		if ok {
			w.b.Bool(s.node, v[0] != 0)
		}
		return ok
	case opInt:
		v, ok := w.long()
		if ok {
			w.b.Int(s.node, v)
		}
		return ok
	case opTime:
		v, ok := w.long()
		if ok {
			w.b.Time(s.node, v, s.unit)
		}
		return ok
	case opFloat:
		v, ok := w.float()
		if ok {
			w.b.Float(s.node, float64(v))
		}
		return ok
	case opDouble:
		v, ok := w.double()
		if ok {
			w.b.Float(s.node, v)
		}
		return ok
	case opEnum:
		i, ok := w.index(len(s.shape.symbols), "symbol")
		if ok {
			w.b.Text(s.node, s.shape.symbols[i])
		}
		return ok
	}
	return w.opaque(s)
}

// opaque reads texts and bytes.
func (w *worker) opaque(s *step) bool {
	var v []byte
	var ok bool
	if s.shape.kind == kindFixed {
		v, ok = w.take(s.shape.size)
	} else {
		v, ok = w.bytes()
	}
	switch {
	case !ok:
		return false
	case s.op == opDecimal:
		w.b.Decimal(s.node, v, int64(s.shape.scale))
	case s.op == opText:
		w.b.Text(s.node, v)
	case s.shape.logical == "uuid" && len(v) == 16:
		w.b.Text(s.node, uuid(nil, v))
	default:
		w.b.Bytes(s.node, v)
	}
	return true
}

// vector reads an array of numbers.
func (w *worker) vector(s *step) bool {
	items := s.shape.items
	if items.kind == kindFloat {
		return w.vector32(s)
	}
	v := w.floats64[:0]
	for {
		n, _, ok := w.block(items)
		if !ok {
			return false
		}
		if n == 0 {
			break
		}
		if !w.room(8 * (len(v) + n)) {
			return false
		}
		for range n {
			x, ok := w.number(items)
			if !ok {
				return false
			}
			v = append(v, x)
		}
	}
	w.floats64 = v
	w.b.Vector64(s.node, v)
	return true
}

// room fails if a list would exceed the memory limit.
func (w *worker) room(bytes int) bool {
	if int64(bytes) > w.limits.Memory {
		return w.fail("a list takes more than %d bytes, at byte %d", w.limits.Memory, w.at+1)
	}
	return true
}

// vector32 reads an array of float.
func (w *worker) vector32(s *step) bool {
	v := w.floats32[:0]
	for {
		n, _, ok := w.block(s.shape.items)
		if !ok {
			return false
		}
		if n == 0 {
			break
		}
		raw, ok := w.take(4 * n)
		if !ok {
			return false
		}
		for ; len(raw) >= 4; raw = raw[4:] {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		}
	}
	w.floats32 = v
	w.b.Vector32(s.node, v)
	return true
}

// mapping reads the requested keys of a map.
func (w *worker) mapping(s *step, depth int) bool {
	for {
		n, _, ok := w.block(s.shape.items)
		if !ok || n == 0 {
			return ok
		}
		for range n {
			key, ok := w.bytes()
			if !ok {
				return false
			}
			if of := s.keys[string(key)]; of != nil {
				ok = w.walk(of, depth-1)
			} else {
				ok = w.skip(s.shape.items, depth-1)
			}
			if !ok {
				return false
			}
		}
	}
}
