package stream

import "context"

// Weigher is a Decoder that can tell beforehand, in little time, about how many bytes the
// work on a message takes: its events, their vectors, and their places. What it does not
// bound is bounded by workPerByte.
type Weigher interface {
	Weigh(m *Message) int64
}

// workPerByte is what the work on a message takes for each of its bytes if nothing else is
// known: vectors of its events, once more among those of its batch, and the output.
const workPerByte = 3

// begin waits until the work on a batch fits into what all workers may take together, if
// it does; else until it is the only one.
func (w *worker) begin(ctx context.Context, batch []*entry) error {
	w.finish()
	n := int64(0)
	weigher, _ := w.p.Decoder.(Weigher)
	for _, e := range batch {
		if weigher != nil && e.message.Unreadable == nil {
			n += weigher.Weigh(&e.message)
		} else {
			n += workPerByte * e.message.Weight()
		}
	}
	if err := w.work.take(ctx, n); err != nil {
		return err
	}
	w.busy = n
	return nil
}

// finish gives back what begin took.
func (w *worker) finish() {
	if w.busy > 0 {
		w.work.add(-w.busy)
		w.busy = 0
	}
}
