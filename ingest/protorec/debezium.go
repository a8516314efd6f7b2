package protorec

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// envelope is Debezium's message of a change, with the record before and after it.
type envelope struct{ before, after, op protoreflect.FieldDescriptor }

// envelopeOf returns nil for other messages.
func envelopeOf(m protoreflect.MessageDescriptor) *envelope {
	f := m.Fields()
	e := &envelope{f.ByName("before"), f.ByName("after"), f.ByName("op")}
	if e.before == nil || e.after == nil || e.op == nil || e.before.Cardinality() == protoreflect.Repeated || e.after.Cardinality() == protoreflect.Repeated {
		return nil
	}
	if e.before.Message() == nil || e.after.Message() == nil || e.before.Message().FullName() != e.after.Message().FullName() {
		return nil
	}
	if one := e.op.Message(); e.op.Kind() == protoreflect.StringKind || one != nil && one.FullName() == "google.protobuf.StringValue" {
		return e
	}
	return nil
}

// row returns the type of the record.
func (d *Decoder) row() protoreflect.MessageDescriptor {
	if d.envelope == nil {
		return d.message
	}
	return d.envelope.after.Message()
}

// rootPlan returns the plan for messages. For envelopes, the record's columns are at the root;
// fields of the envelope itself are columns if they are requested by name and the record has no
// such field.
func (d *Decoder) rootPlan(root *record.Node) *plan {
	e := d.envelope
	if e == nil {
		return planOf(d.message, root)
	}
	p := &plan{}
	if d.layout.Spec().Paths != nil {
		p = planOf(d.message, root)
	}
	p.fields = slices.DeleteFunc(p.fields, func(s *slot) bool { return field(d.row(), string(s.desc.Name())) != nil })
	for _, f := range []protoreflect.FieldDescriptor{e.before, e.after} {
		s := newSlot(opMessage, f)
		s.node = root
		if also := p.find(f.Number()); also != nil {
			s.also = also
		}
		p.table(s)
	}
	if p.find(e.op.Number()) == nil {
		o, _ := opOf(e.op)
		p.table(newSlot(o, e.op))
	}
	return p
}

// unwrap returns the record of an envelope and whether it was deleted.
func (w *worker) unwrap(origin table.Origin) (out record.Decoded, err error) {
	e := w.d.envelope
	_, name := w.root.bits(e.op.Number())
	if s := w.root.find(e.op.Number()); s.op == opWrapper && s.seq == w.root.seq {
		_, name = s.below.bits(1)
	}
	from := e.after
	did := record.Change(string(name))
	switch changes := w.d.layout.Spec().Changes; {
	case did == record.Truncated && changes:
		out.Truncated = true
		return out, nil
	case did == record.Message && changes:
		out.Aside = record.LogMessage
		return out, nil
	case did != record.Upserted && did != record.Deleted:
		return out, origin.Bad("Debezium's operation %q holds no record", table.Clip(string(name))).Suggest("%s", record.SkipOperation)
	}
	if out.Deleted = did == record.Deleted; out.Deleted {
		from = e.before
	}
	s := w.root.find(from.Number())
	if s.seq == w.root.seq {
		w.push(s.below)
	} else if !out.Deleted {
		return out, origin.Bad("Debezium's operation %q has no record in %s", name, from.Name())
	}
	w.push(w.root)
	return out, nil
}

// asideOf returns the kind of a Debezium message that is no change, such as a heartbeat, or "" for
// other messages.
func asideOf(m protoreflect.MessageDescriptor) string {
	var names []string
	for i := range m.Fields().Len() {
		names = append(names, string(m.Fields().Get(i).Name()))
	}
	return record.Aside(names)
}
