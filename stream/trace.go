package stream

import "time"

// Tracer creates spans for messages that their sender traces. Its methods are called from several
// goroutines and must return quickly.
type Tracer interface {
	// Parent returns the header traceparent for the outputs of a message, which identifies the
	// message's own span. It depends only on the message, so that a duplicate has the same bytes.
	// ok is false if the message has no span; its header is then copied.
	Parent(m *Message) (traceparent []byte, ok bool)
	// Done reports that the output or dead letter of a message has been acknowledged. It is also
	// called for messages without a span.
	Done(m *Message, o Fate)
}

// Fate is the outcome of a message.
type Fate struct {
	// Fetched is the time at which the message was read.
	Fetched time.Time
	// Version is the version of the map that placed its events.
	Version uint64
	// Events is the number of its events.
	Events int
	// Stage and Err are the reason why it became a dead letter. Err is nil otherwise.
	Stage Stage
	Err   error
}

// done reports delivered messages of a batch to the tracer, if any: either the dead letters or the
// others.
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

// traceparent returns the header traceparent for outputs of the message.
func (p *Pipeline) traceparent(in *Message) ([]byte, bool) {
	if p.Tracer != nil {
		if v, ok := p.Tracer.Parent(in); ok {
			return v, true
		}
	}
	return in.Header(HeaderTraceParent)
}
