package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/stream"
	"unfold/stream/format"
)

var _ stream.Map = (*Map)(nil)

// Place implements stream.Map. The events of all messages are placed at once, which is much faster
// than message by message.
func (m *Map) Place(ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
	t := &together{m: m, in: in, out: make([]stream.Outcome, len(in)), messages: make([]message, len(in))}
	if err := t.encode(); err != nil {
		return nil, err
	}
	for len(t.good) > 0 {
		again, err := t.place(ctx)
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
	}
	return t.out, nil
}

// together are messages whose events are placed at once.
type together struct {
	m        *Map
	in       []stream.Events
	out      []stream.Outcome
	messages []message
	good     []int // the messages to place
}

// message is a decoded message. batch is nil if there is nothing to place.
type message struct {
	batch *ingest.Batch
	wire  format.Wire
	table *table.Table
}

// encode encodes the events of each message, and reports deletions.
func (t *together) encode() error {
	earlier := newEarlier(t.in, t.m.set.Known)
	for i, e := range t.in {
		mine, err := Own(e)
		if err != nil {
			return err
		}
		msg := &t.messages[i]
		msg.wire, msg.table = mine.Wire, mine.Table
		if mine.Truncated {
			if t.m.set.Watch != nil {
				t.m.set.Watch.Emptied()
			}
			t.out[i].Nothing = true
			earlier.empty()
			continue
		}
		if mine.Table == nil {
			earlier.gone(mine.Gone)
			if t.m.set.Watch != nil {
				t.m.set.Watch.Gone(mine.Gone)
			}
			continue // a deleted event leaves a tombstone
		}
		if msg.batch, t.out[i].Err = mine.Encode(t.m.encoder, earlier.known); t.out[i].Err == nil {
			t.good = append(t.good, i)
			earlier.came(msg.batch)
		}
	}
	return nil
}

// place places the good messages and composes their outputs. If a row cannot be placed, its message
// is rejected, and again is true: the others are to be placed again.
func (t *together) place(ctx context.Context) (again bool, err error) {
	x := t.join()
	placed, err := t.m.Vectors(ctx, x)
	var re *models.RowError
	if errors.As(err, &re) {
		k, row := t.holder(re.Row)
		own := *re
		own.Row = row
		i := t.good[k]
		t.out[i].Err = &stream.MessageError{Stage: stream.StagePlace, Err: located(t.messages[i].batch.Origin, &own)}
		t.good = slices.Delete(t.good, k, k+1)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if err := placed.explain(ctx, x, t.m.set.Explain, func(row int) (*table.Table, int) {
		k, own := t.holder(row)
		return t.messages[t.good[k]].table, own
	}); err != nil {
		return false, err
	}
	all, first := make([]rows, len(t.good)), 0
	for k, i := range t.good {
		msg := &t.messages[i]
		all[k] = rows{placed, msg.batch, msg.wire, first}
		out := &t.out[i]
		out.Value, out.ContentType, out.Err = all[k].message(ctx, 0, msg.batch.Len())
		out.Parts = &all[k]
		if out.Err == nil {
			mine := t.in[i].(*Events)
			mine.placed = t.m.placement(&all[k])
			t.m.watch(&all[k], mine.Position)
		}
		first += msg.batch.Len()
	}
	return false, nil
}

// placement is the result of placing a message's rows.
func (m *Map) placement(r *rows) *Placement {
	return &Placement{
		At:    r.placed.At.Mu.Slice(r.first, r.first+r.batch.Len()),
		MapID: m.placer.MapID(), Epoch: m.placer.Epoch(), Version: m.placer.Version(),
	}
}

// join copies the vectors of the good messages into one matrix.
func (t *together) join() vec.Matrix[float32] {
	n, dim := 0, t.m.placer.Dim()
	for _, i := range t.good {
		n += t.messages[i].batch.Len()
	}
	x := vec.Matrix[float32]{Rows: n, Cols: dim, Data: make([]float32, 0, n*dim)}
	for _, i := range t.good {
		x.Data = append(x.Data, t.messages[i].batch.X.Data...)
	}
	return x
}

// holder finds the good message that contains a row of the joined vectors, and its number there.
func (t *together) holder(row int) (k, own int) {
	for k, i := range t.good {
		if n := t.messages[i].batch.Len(); row >= n {
			row -= n
			continue
		}
		return k, row
	}
	panic(fmt.Sprintf("embed: row %d beyond the rows that were placed", row))
}

// rows are the rows of a message among all rows that were placed at once. It implements
// stream.Parts.
type rows struct {
	placed *Places
	batch  *ingest.Batch
	wire   format.Wire
	first  int
}

// Part implements stream.Parts. Schemas that the whole needed are already available.
func (r *rows) Part(from, to int) ([]byte, error) {
	value, _, err := r.message(context.Background(), from, to)
	return value, err
}

func (r *rows) message(ctx context.Context, from, to int) (value []byte, contentType string, err error) {
	value, contentType, err = r.placed.Message(ctx, r.batch, r.wire, r.first, from, to)
	if err != nil {
		return nil, "", &stream.MessageError{Stage: stream.StagePlace, Err: fmt.Errorf("%v: %w", r.batch.Origin, err)}
	}
	return value, contentType, nil
}
