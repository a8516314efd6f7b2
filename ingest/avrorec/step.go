package avrorec

import (
	"github.com/twmb/avro"

	"unfold/ingest/record"
)

// op is the operation on a value.
type op int

const (
	opSkip op = iota
	opNull
	opBoolean
	opInt
	opTime
	opFloat
	opDouble
	opText
	opBytes
	opFixed
	opEnum
	opDecimal
	opVariable
	opVector
	opSparse
	opJSON
	opRecord
	opUnion
	opMap
)

// step reads a value, and either skips it or passes it to a node of the builder.
type step struct {
	op    op
	shape *shape
	node  *record.Node
	unit  record.Unit
	// steps holds the steps of a record's fields or of a union's branches.
	steps []step
	// keys holds the steps of a map's requested keys.
	keys map[string]*step
	// json writes values as JSON.
	json *avro.Schema
}

// bind returns the step for values of a shape that go to a node. It follows recursive shapes only
// as far as there are nodes.
func bind(s *shape, n *record.Node) (step, error) {
	if n == nil {
		return step{op: opSkip, shape: s}, nil
	}
	switch {
	case s.kind == kindUnion:
		return bindEach(step{op: opUnion, shape: s, node: n}, func(i int) (*shape, *record.Node) { return s.branches[i], n }, len(s.branches))
	case n.Wanted():
		return bindValue(s, n)
	case s.kind == kindRecord:
		return bindRecord(s, n)
	case s.kind == kindMap:
		return bindMap(s, n)
	}
	// A field of the value is requested, but the value has no fields.
	return step{op: opSkip, shape: s}, nil
}

// bindValue is bind for a value that is requested as a whole.
func bindValue(s *shape, n *record.Node) (out step, err error) {
	out = step{shape: s, node: n}
	unit, time := s.time()
	switch {
	case s.kind == kindNull:
		out.op = opNull
	case s.kind == kindBoolean:
		out.op = opBoolean
	case s.kind == kindInt && time:
		out.op, out.unit = opTime, unit
	case s.kind == kindInt:
		out.op = opInt
	case s.kind == kindFloat:
		out.op = opFloat
	case s.kind == kindDouble:
		out.op = opDouble
	case s.decimal():
		out.op = opDecimal
	case s.kind == kindBytes && s.text:
		out.op = opText
	case s.kind == kindBytes:
		out.op = opBytes
	case s.kind == kindFixed:
		out.op = opFixed
	case s.kind == kindEnum:
		out.op = opEnum
	case s.vector():
		out.op = opVector
	case s.sparse():
		out.op = opSparse
	case s.variable():
		out.op = opVariable
	default:
		out.op = opJSON
		out.json, err = s.node.Schema(LaxNames())
	}
	return out, err
}

// bindRecord binds the requested fields. Consecutive fields between them of constant size are
// skipped together.
func bindRecord(s *shape, n *record.Node) (step, error) {
	return bindEach(step{op: opRecord, shape: s}, func(i int) (*shape, *record.Node) {
		f := s.fields[i]
		of := n.Child([]byte(f.name))
		for _, a := range f.aliases {
			if of == nil {
				of = n.Child([]byte(a))
			}
		}
		return f.shape, of
	}, len(s.fields))
}

// bindEach adds the steps of the fields of a record or the branches of a union.
func bindEach(out step, part func(int) (*shape, *record.Node), parts int) (step, error) {
	for i := range parts {
		s, n := part(i)
		of, err := bind(s, n)
		if err != nil {
			return out, err
		}
		if out.op == opRecord && of.op == opSkip && s.fixed {
			if s.least == 0 {
				continue
			}
			if k := len(out.steps) - 1; k >= 0 && out.steps[k].op == opSkip && out.steps[k].shape.fixed {
				both := &shape{kind: kindFixed, fixed: true, least: out.steps[k].shape.least + s.least}
				out.steps[k].shape = both
				continue
			}
		}
		out.steps = append(out.steps, of)
	}
	if out.op == opUnion {
		for _, of := range out.steps {
			if of.op != opSkip {
				return out, nil
			}
		}
		out.op = opSkip
	}
	return out, nil
}

// bindMap binds the keys that are wanted.
func bindMap(s *shape, n *record.Node) (step, error) {
	out := step{op: opMap, shape: s, keys: map[string]*step{}}
	for _, key := range n.Names() {
		of, err := bind(s.items, n.Child([]byte(key)))
		if err != nil {
			return out, err
		}
		out.keys[key] = &of
	}
	return out, nil
}
