package avrorec

import (
	"fmt"

	"github.com/twmb/avro"
)

// LaxNames accepts the names that other libraries write in schemas.
func LaxNames() avro.SchemaOpt { return avro.WithLaxNames(anyName) }

// Record returns the encoded record within a message that Decode accepts: for a change, the record
// after it; for a union, the branch that is present.
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

// RecordType returns the type of the records returned by Record, which the caller may modify, or
// nil if messages do not hold one record of one type.
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

// container returns the shape that directly holds the record.
func (d *Decoder) container() *shape {
	if d.change != nil {
		return d.change.shape.field("after")
	}
	return d.root
}

// passed returns the record's shape, or nil if there is no single one.
func (d *Decoder) passed() *shape {
	if v := d.container().value(); !d.list && !d.scalar && v != nil && v.kind == kindRecord {
		return v
	}
	return nil
}

// seek moves the reader to the record after a change.
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
