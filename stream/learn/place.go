package learn

import (
	"context"
	"errors"
	"fmt"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/stream"
)

// placing is a stream.Map: it encodes, places, and writes Arrow messages. All of
// that is a pure function of the message, so batches of any size give the same
// bytes.
type placing struct {
	encoder *ingest.Encoder
	placer  models.Placer
	writer  *ingest.MessageWriter
	// classify says that classes are told, by classes, nil before any label came.
	classify bool
	classes  *labels.Classifier
}

// Place implements stream.Map. The events of all messages are placed at once,
// which is much faster than one message after the other.
func (p *placing) Place(ctx context.Context, in []stream.Events) ([]stream.Outcome, error) {
	out := make([]stream.Outcome, len(in))
	var good []int
	batches := make([]*ingest.Batch, len(in))
	for i, e := range in {
		mine, err := own(e)
		if err != nil {
			return nil, err
		}
		if mine.table == nil {
			continue // a tombstone passes as it is
		}
		if batches[i], out[i].Err = mine.encode(p.encoder); out[i].Err == nil {
			good = append(good, i)
		}
	}
	if len(good) == 0 {
		return out, nil
	}
	for {
		placed, bad, err := p.placeAll(ctx, batches, good)
		if err != nil {
			return nil, err
		}
		if bad >= 0 {
			// One row cannot be placed: its message is out, the others go on.
			i := good[bad]
			out[i].Err = placed.err
			good = append(good[:bad], good[bad+1:]...)
			continue
		}
		classes, err := p.tell(placed.at)
		if err != nil {
			return nil, err
		}
		row, all := 0, make([]rows, len(good))
		for k, i := range good {
			all[k] = rows{p, batches[i], placed.at, classes, row}
			out[i].Value, out[i].Err = all[k].Part(0, batches[i].Len())
			out[i].Parts = &all[k]
			row += batches[i].Len()
		}
		return out, nil
	}
}

// attempt is what placeAll found: places, or why one message has none.
type attempt struct {
	at  models.Placed
	err error
}

// placeAll places the rows of some batches. If a row cannot be placed it returns
// the index, among good, of the batch that holds it; else -1.
func (p *placing) placeAll(ctx context.Context, batches []*ingest.Batch, good []int) (attempt, int, error) {
	rows := 0
	for _, i := range good {
		rows += batches[i].Len()
	}
	x := vec.Matrix[float32]{Rows: rows, Cols: p.placer.Dim(), Data: make([]float32, 0, rows*p.placer.Dim())}
	for _, i := range good {
		x.Data = append(x.Data, batches[i].X.Data...)
	}
	placed, err := p.placer.Place(ctx, x)
	var re *models.RowError
	if !errors.As(err, &re) {
		return attempt{at: placed}, -1, err
	}
	row := re.Row
	for k, i := range good {
		if row < batches[i].Len() {
			e := *re
			e.Row = row
			return attempt{err: &stream.MessageError{Stage: stream.StagePlace, Err: fmt.Errorf("%v: %w", batches[i].Origin, &e)}}, k, nil
		}
		row -= batches[i].Len()
	}
	return attempt{}, -1, err
}

// rows are those of a message among all that were placed at once. It is a stream.Parts.
type rows struct {
	p       *placing
	batch   *ingest.Batch
	at      models.Placed
	classes classified
	first   int
}

// Part implements stream.Parts.
func (r *rows) Part(from, to int) ([]byte, error) {
	o := r.p.output(r.batch, r.at, r.classes, r.first, r.first+r.batch.Len())
	if to-from < o.Len() {
		o = o.Slice(from, to)
	}
	value, err := r.p.writer.Encode(o)
	if err != nil {
		return nil, &stream.MessageError{Stage: stream.StagePlace, Err: fmt.Errorf("%v: %w", r.batch.Origin, err)}
	}
	return value, nil
}

// output lays rows first..end of the places out as the output of a batch.
func (p *placing) output(b *ingest.Batch, at models.Placed, classes classified, first, end int) *ingest.Output {
	o := &ingest.Output{
		ID: b.ID, Kept: b.Kept, Embedding: at.Mu.Slice(first, end), Sigma: at.Sigma[first:end],
		NoveltyLocal: at.NoveltyLocal[first:end], NoveltyGlobal: at.NoveltyGlobal[first:end],
		Epoch: p.placer.Epoch(), Version: p.placer.Version(), MapID: p.placer.MapID(),
	}
	if classes.class != nil {
		o.Class, o.Probability = classes.class[first:end], classes.probability[first:end]
	}
	return o
}
