package avrorec

import (
	"fmt"

	"github.com/twmb/avro"
)

// LaxNames takes names in schemas as other libraries write them.
func LaxNames() avro.SchemaOpt { return avro.WithLaxNames(anyName) }

// Record returns the record of a message that Decode takes, as it is written there: for a
// change the one that it holds, of a union the one that is there.
func (d *Decoder) Record(value []byte) ([]byte, error) {
	if d.passed() == nil {
		return nil, fmt.Errorf("messages of the Avro schema %s hold no single record of one type: it cannot be passed on", d.root.name)
	}
	r, depth := reader{data: value}, d.spec.Limits.Depth
	ok := true
	if d.change != nil {
		ok = d.change.seek(&r, depth)
	}
	if s := d.container(); ok && s.kind == kindUnion {
		i, found := r.index(len(s.branches), "branch")
		if ok = found; ok && s.branches[i].kind == kindNull {
			return nil, fmt.Errorf("the message has no record to pass on")
		}
	}
	from := r.at
	if !ok || !r.skip(d.passed(), depth) {
		return nil, fmt.Errorf("the Avro record cannot be read: %w", r.err)
	}
	return value[from:r.at], nil
}

// RecordType returns the type of what Record returns, for the caller to change; nil if
// messages hold no single record of one type.
func (d *Decoder) RecordType() *avro.SchemaNode {
	s := d.passed()
	if s == nil {
		return nil
	}
	n := *s.node
	n.Fields = append([]avro.SchemaField{}, n.Fields...)
	if n.Namespace == "" && len(s.name) > len(n.Name) {
		n.Namespace = s.name[:len(s.name)-len(n.Name)-1]
	}
	return &n
}

// container is the shape at which the record stands.
func (d *Decoder) container() *shape {
	if d.change != nil {
		return d.change.shape.field("after")
	}
	return d.root
}

// passed is the shape of the record, nil if there is no single one.
func (d *Decoder) passed() *shape {
	if v := d.container().value(); !d.list && !d.scalar && v != nil && v.kind == kindRecord {
		return v
	}
	return nil
}

// seek goes to the record after a change.
func (c *change) seek(r *reader, depth int) bool {
	for _, f := range c.shape.fields {
		if f.name == "after" {
			return true
		}
		if !r.skip(f.shape, depth) {
			return false
		}
	}
	return r.fail("the change has no record after it")
}
