package stream

import "context"

// Weigher is implemented by a Decoder that can quickly estimate the size of a message's decoded
// events in bytes. That may be more than the size of the message. A bad message has 0.
type Weigher interface {
	Weigh(m *Message) int64
}

// workPerByte is the memory for processing one byte of events: the events themselves if they are
// not part of the message, their vectors, a copy in the batch, and the output.
const workPerByte = 4

// begin blocks until the memory for a batch fits into the common limit of all workers. A batch that
// exceeds the limit waits until it is the only one.
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

// finish frees the memory that begin reserved.
func (w *worker) finish() {
	w.work.free(w.busy)
	w.busy = 0
}
