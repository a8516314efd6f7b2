package stream

import "context"

// Weigher is a Decoder that can estimate beforehand, in little time, how many bytes the
// events of a message take once they are decoded. That may be more than the message has. A
// bad message has 0.
type Weigher interface {
	Weigh(m *Message) int64
}

// workPerByte is what the work on a message takes for each byte of its events: they
// themselves, if they do not lie in the message, their vectors, once more among those of
// their batch, and the output.
const workPerByte = 4

// begin waits until the work on a batch fits into what all workers may take together, if
// it does; else until it is the only one.
func (w *worker) begin(ctx context.Context, batch []*entry) error {
	w.finish()
	n := int64(0)
	weigher, _ := w.p.Decoder.(Weigher)
	for _, e := range batch {
		events := e.message.Weight()
		if weigher != nil && e.message.Unreadable == nil {
			events = max(events, weigher.Weigh(&e.message))
		}
		n += workPerByte * events
	}
	if err := w.work.reserve(ctx, n); err != nil {
		return err
	}
	w.busy = n
	return nil
}

// finish gives back what begin took.
func (w *worker) finish() {
	w.work.free(w.busy)
	w.busy = 0
}
