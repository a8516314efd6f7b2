package avrorec

import (
	"unfold/ingest/record"
)

// change is Debezium's envelope.
type change struct {
	shape *shape
	// row is the type of the records before and after the change.
	row *shape
}

// changeOf returns the change envelope that the schema describes, or nil if it is none.
func changeOf(s *shape) *change {
	was, row := envelope(s)
	if row == nil || row.kind != kindRecord || was != row {
		return nil
	}
	return &change{s, row}
}

// envelope returns the types of the records before and after a change, if the schema is a change
// envelope. A missing record gives nil; both are nil if the schema is no envelope.
func envelope(s *shape) (before, after *shape) {
	if s.kind != kindRecord {
		return nil, nil
	}
	op, was, row := s.field("op"), s.field("before"), s.field("after")
	if op == nil || was == nil || row == nil {
		return nil, nil
	}
	if letter := op.value(); letter == nil || !letter.text && letter.kind != kindEnum {
		return nil, nil
	}
	return was.value(), row.value()
}

// ChangeInText returns the fields of the change envelope if its records before and after are texts:
// Debezium's MongoDB connector writes them as JSON. Otherwise it returns nil.
func (d *Decoder) ChangeInText() (fields []string) {
	was, row := envelope(d.root)
	if row == nil || !row.text || was == nil || !was.text {
		return nil
	}
	for _, f := range d.root.fields {
		fields = append(fields, f.name)
	}
	return fields
}

// bind returns the steps for fields of the envelope that are requested by name and missing in the row.
func (c *change) bind(root *record.Node) (steps []step, err error) {
	for _, f := range c.shape.fields {
		of := step{op: opSkip, shape: f.shape}
		if c.row.field(f.name) == nil {
			if of, err = bind(f.shape, root.Child([]byte(f.name))); err != nil {
				return nil, err
			}
		}
		steps = append(steps, of)
	}
	return steps, nil
}

// read reads a change.
func (c *change) read(w *worker) (ok, deleted bool) {
	var before, after int
	var letter []byte
	for i := range w.extra {
		from := w.at
		if !w.walk(&w.extra[i], w.limits.Depth) {
			return false, false
		}
		switch c.shape.fields[i].name {
		case "before":
			before = from
		case "after":
			after = from
		case "op":
			end := w.at
			w.at = from
			letter, ok = w.letter(c.shape.fields[i].shape)
			if w.at = end; !ok {
				return false, false
			}
		}
	}
	end, from := w.at, after
	did := record.Change(string(letter))
	switch {
	case did == record.Truncated && w.changes:
		w.truncated, w.at = true, end
		return true, false
	case did == record.Message && w.changes:
		w.aside, w.at = record.LogMessage, end
		return true, false
	case did != record.Upserted && did != record.Deleted:
		return w.fail("Debezium's operation %q holds no record: %s", letter, record.SkipOperation), false
	}
	if deleted = did == record.Deleted; deleted {
		from = before
	}
	w.at = from
	there, ok := c.record(w, deleted)
	if !ok {
		return false, deleted
	}
	if !there && !deleted {
		return w.fail("Debezium's operation %q has no record after it", letter), false
	}
	w.at = end
	w.b.EndRow()
	return true, deleted
}

// letter reads the operation.
func (r *reader) letter(s *shape) ([]byte, bool) {
	if s.kind == kindUnion {
		i, ok := r.index(len(s.branches), "branch")
		if !ok {
			return nil, false
		}
		s = s.branches[i]
	}
	switch s.kind {
	case kindNull:
		return nil, true
	case kindEnum:
		i, ok := r.index(len(s.symbols), "symbol")
		if !ok {
			return nil, false
		}
		return s.symbols[i], true
	}
	return r.bytes()
}

// record reads the row before or after the change, and reports whether it is present.
func (c *change) record(w *worker, before bool) (there, ok bool) {
	name := "after"
	if before {
		name = "before"
	}
	if s := c.shape.field(name); s.kind == kindUnion {
		i, ok := w.index(len(s.branches), "branch")
		if !ok || s.branches[i].kind == kindNull {
			return false, ok
		}
	}
	return true, w.walk(&w.row, w.limits.Depth)
}

// asideOf returns the kind of a Debezium message that is no change, such as a heartbeat, or "" for
// other messages.
func asideOf(s *shape) string {
	if s.kind != kindRecord {
		return ""
	}
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return record.Aside(names)
}
