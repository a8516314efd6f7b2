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
	out := make([]stream.Outcome, len(in))
	var good []int
	earlier := newEarlier(in, m.set.Known)
	batches, wires, tables := make([]*ingest.Batch, len(in)), make([]format.Wire, len(in)), make([]*table.Table, len(in))
	for i, e := range in {
		mine, err := Own(e)
		if err != nil {
			return nil, err
		}
		wires[i], tables[i] = mine.Wire, mine.Table
		if mine.Truncated {
			if m.set.Watch != nil {
				m.set.Watch.Emptied()
			}
			out[i].Nothing = true
			earlier.empty()
			continue
		}
		if mine.Table == nil {
			earlier.gone(mine.Gone)
			if m.set.Watch != nil {
				m.set.Watch.Gone(mine.Gone)
			}
			continue // a deleted event leaves a tombstone
		}
		if batches[i], out[i].Err = mine.Encode(m.encoder, earlier.known); out[i].Err == nil {
			good = append(good, i)
			earlier.came(batches[i])
		}
	}
	for len(good) > 0 {
		x := m.join(batches, good)
		placed, err := m.Vectors(ctx, x)
		var re *models.RowError
		if errors.As(err, &re) {
			// If one row cannot be placed, its message is rejected and the others continue.
			k, row := holder(batches, good, re.Row)
			own := *re
			own.Row = row
			out[good[k]].Err = &stream.MessageError{Stage: stream.StagePlace, Err: located(batches[good[k]].Origin, &own)}
			good = slices.Delete(good, k, k+1)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := placed.explain(ctx, x, m.set.Explain, func(row int) (*table.Table, int) {
			k, own := holder(batches, good, row)
			return tables[good[k]], own
		}); err != nil {
			return nil, err
		}
		all, first := make([]rows, len(good)), 0
		for k, i := range good {
			all[k] = rows{placed, batches[i], wires[i], first}
			out[i].Value, out[i].ContentType, out[i].Err = all[k].message(ctx, 0, batches[i].Len())
			out[i].Parts = &all[k]
			if out[i].Err == nil {
				mine := in[i].(*Events)
				mine.placed = m.placement(&all[k])
				m.watch(&all[k], mine.Position)
			}
			first += batches[i].Len()
		}
		break
	}
	return out, nil
}

// placement is the result of placing a message's rows.
func (m *Map) placement(r *rows) *Placement {
	return &Placement{
		At:    r.placed.At.Mu.Slice(r.first, r.first+r.batch.Len()),
		MapID: m.placer.MapID(), Epoch: m.placer.Epoch(), Version: m.placer.Version(),
	}
}

// join copies the vectors of some batches into one matrix.
func (m *Map) join(batches []*ingest.Batch, some []int) vec.Matrix[float32] {
	n := 0
	for _, i := range some {
		n += batches[i].Len()
	}
	x := vec.Matrix[float32]{Rows: n, Cols: m.placer.Dim(), Data: make([]float32, 0, n*m.placer.Dim())}
	for _, i := range some {
		x.Data = append(x.Data, batches[i].X.Data...)
	}
	return x
}

// holder finds the batch that contains a row of the joined batches, and its number there.
func holder(batches []*ingest.Batch, some []int, row int) (k, own int) {
	for k, i := range some {
		if n := batches[i].Len(); row >= n {
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
