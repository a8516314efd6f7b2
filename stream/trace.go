package stream

import "time"

// Tracer gives messages whose sender traces them spans of their own. Its methods are
// called from several goroutines and must be quick.
type Tracer interface {
	// Parent is the header traceparent of what is made of the message: that of the
	// message's own span. It is a function of the message alone, so that a duplicate has
	// the same bytes; false if the message has no span, and its header is passed on.
	Parent(m *Message) (traceparent []byte, ok bool)
	// Done says that what became of a message has been acknowledged. Messages without a
	// span count as well.
	Done(m *Message, o Fate)
}

// Fate is what became of a message.
type Fate struct {
	// Fetched is when the message had been read.
	Fetched time.Time
	// Version is that of the map that placed its events.
	Version uint64
	// Events is how many there were.
	Events int
	// Stage and Err say why it became a dead letter; nil if it did not.
	Stage Stage
	Err   error
}

// done reports to the tracer, if there is one, the messages of a batch that are
// delivered, or that are dead letters.
func (w *worker) done(batch []*entry, dead bool) {
	if w.p.Tracer == nil {
		return
	}
	for _, e := range batch {
		if dead != (e.bad != nil) {
			continue
		}
		o := Fate{Fetched: e.fetched, Version: e.version}
		if dead {
			o.Stage, o.Err = e.bad.Stage, e.bad.Err
		} else if e.good() {
			o.Events = e.events.Len()
		}
		w.p.Tracer.Done(&e.message, o)
	}
}

// traceparent is that header of what is made of a message.
func (p *Pipeline) traceparent(in *Message) ([]byte, bool) {
	if p.Tracer != nil {
		if v, ok := p.Tracer.Parent(in); ok {
			return v, true
		}
	}
	return in.Header(HeaderTraceParent)
}
