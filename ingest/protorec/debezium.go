package protorec

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// envelope is a message of Debezium's: a record before and after a change.
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

// rootPlan is the plan of messages, or of envelopes whose record lies at the root.
func (d *Decoder) rootPlan(root *record.Node) *plan {
	e := d.envelope
	if e == nil {
		return planOf(d.message, root)
	}
	p := &plan{}
	for _, f := range []protoreflect.FieldDescriptor{e.before, e.after} {
		s := newSlot(opMessage, f)
		s.node = root
		p.add(s)
	}
	o, _ := opOf(e.op)
	p.add(newSlot(o, e.op))
	return p
}

// unwrap hands over the record of an envelope and says whether it was deleted.
func (w *worker) unwrap(origin table.Origin) (deleted bool, err error) {
	e := w.d.envelope
	_, name := w.root.bits(e.op.Number())
	if s := w.root.find(e.op.Number()); s.op == opWrapper && s.seq == w.root.seq {
		_, name = s.below.bits(1)
	}
	from := e.after
	switch string(name) {
	case "c", "u", "r":
	case "d":
		deleted, from = true, e.before
	default:
		return false, origin.Bad("a change of operation %q cannot be placed", table.Clip(string(name))).
			Suggest("operations that are known are c, u, r and d; have the connector skip others, as in skipped.operations=t")
	}
	s := w.root.find(from.Number())
	if s.seq == w.root.seq {
		w.push(s.below)
	} else if !deleted {
		return false, origin.Bad("a change of operation %q has no record in %s", name, from.Name())
	}
	return deleted, nil
}
