package avrorec

import (
	"fmt"
	"sync"

	"github.com/twmb/avro"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Decoder decodes messages of one schema. It is safe for concurrent use. A message's table depends
// only on the message, the schema and the spec.
type Decoder struct {
	schema *avro.Schema
	root   *shape
	// row is the shape of rows. list is set if a message is an array of rows, scalar if a row is a
	// single value instead of a record.
	row          *shape
	list, scalar bool
	change       *change
	aside        string // the kind of messages that are no changes
	spec         record.Spec
	layout       *record.Layout
	pool         sync.Pool // of *worker
}

// Compile returns a decoder for a schema and the requested columns. A reference must come after
// those that it needs itself. An error concerns the schema: no message of it can be read.
func Compile(schema string, references []Reference, spec record.Spec) (*Decoder, error) {
	s, err := Parse(schema, references)
	if err != nil {
		return nil, err
	}
	d := &Decoder{schema: s}
	if d.root, err = shapeOf(s); err != nil {
		return nil, err
	}
	if d.find(spec); spec.Changes {
		d.aside = asideOf(d.root)
	}
	if d.root.kind == kindNull {
		return nil, fmt.Errorf("the Avro schema is %s: it holds no records", d.schema)
	}
	if d.spec, err = d.specOf(spec); err != nil {
		return nil, err
	}
	d.layout = record.NewLayout(d.spec)
	w, err := d.newWorker()
	if err != nil {
		return nil, err
	}
	d.pool.Put(w)
	return d, nil
}

// find finds the rows of a schema.
func (d *Decoder) find(spec record.Spec) {
	d.row = d.root
	if d.root.kind == kindArray {
		if item := d.root.items; item.kind == kindRecord {
			d.row, d.list = item, true
			return
		}
	}
	if d.change = changeOf(d.root); d.change != nil {
		d.row = d.change.row
		return
	}
	if !d.root.records() {
		name := "value"
		if len(spec.Paths) == 1 {
			name = spec.Paths[0]
		}
		d.row, d.scalar = &shape{kind: kindRecord, fields: []field{{name: name, shape: d.root}}, node: d.root.node}, true
		_ = d.row.measure(0)
	}
}

// Schema returns the schema of the messages, with all references resolved.
func (d *Decoder) Schema() *avro.Schema { return d.schema }

// Spec returns the request with names and types of all columns filled in.
func (d *Decoder) Spec() record.Spec { return d.spec }

// newWorker returns a worker with a new builder, to which its steps are bound.
func (d *Decoder) newWorker() (*worker, error) {
	w := &worker{b: d.layout.Builder(), limits: d.layout.Limits(), changes: d.spec.Changes}
	return w, d.bind(w)
}

// bind binds a worker's steps to its builder.
func (d *Decoder) bind(w *worker) (err error) {
	w.root = w.b.Root()
	if w.row, err = bind(d.row, w.root); err != nil {
		return err
	}
	w.extra = nil
	if d.change != nil {
		w.extra, err = d.change.bind(w.root)
	}
	return err
}

// Decode decodes a message, given without the registry's header. Its errors are *table.Error. The
// bytes are not kept.
func (d *Decoder) Decode(value []byte, origin table.Origin) (out record.Decoded, err error) {
	w, _ := d.pool.Get().(*worker)
	if w == nil {
		if w, err = d.newWorker(); err != nil {
			return out, err
		}
	}
	defer d.release(w)
	if w.root != w.b.Root() {
		if err := d.bind(w); err != nil {
			return out, err
		}
	}
	if err := w.limits.CheckSize(value, origin); err != nil {
		return out, err
	}
	if d.aside != "" {
		out.Aside = d.aside
		return out, nil
	}
	w.reader, w.truncated, w.aside = reader{data: value}, false, ""
	ok, deleted := d.message(w)
	if ok && w.left() > 0 {
		ok = w.fail("%d bytes behind the record: is this its schema?", w.left())
	}
	if !ok && !w.b.Bad() {
		return out, origin.Bad("the Avro record cannot be read: %v", w.err)
	}
	if ok && (w.truncated || w.aside != "") {
		out.Truncated, out.Aside = w.truncated, w.aside
		return out, nil
	}
	out.Deleted, out.Unchanged = deleted || w.b.Deleted(), w.b.Unchanged()
	out.Table, err = w.b.Table(origin)
	return out, err
}

// release empties a worker so that it can decode another message.
func (d *Decoder) release(w *worker) {
	w.b.Reset()
	w.reader = reader{}
	const keep = 1 << 16
	if cap(w.floats32) > keep || cap(w.floats64) > keep {
		w.floats32, w.floats64 = nil, nil
	}
	d.pool.Put(w)
}

// message reads a message.
func (d *Decoder) message(w *worker) (ok, deleted bool) {
	switch {
	case d.change != nil:
		return d.change.read(w)
	case d.list:
		return w.rows(d.root), false
	}
	ok = w.walk(&w.row, w.limits.Depth)
	w.b.EndRow()
	return ok, false
}

// rows reads an array of records.
func (w *worker) rows(list *shape) bool {
	for {
		n, _, ok := w.block(list.items)
		if !ok || n == 0 {
			return ok
		}
		for range n {
			if !w.walk(&w.row, w.limits.Depth) {
				return false
			}
			if w.b.EndRow(); w.b.Bad() {
				return false
			}
		}
	}
}
