package learn

import (
	"fmt"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/reference"
)

// coldStart collects raw events until the encoder and the first map can be learnt.
type coldStart struct {
	mapping ingest.Mapping
	limits  arrowfmt.Limits
	// came are the messages in order of arrival.
	came []arrival
	// rows counts events by shape, and total counts all of them. most is the most frequent shape
	// (the first one to reach its count).
	rows  map[string]int
	total int
	most  string
	// named is true once an event had every required column that the mapping names. Until then,
	// lacking counts the events without one, and why is the error of the first of them.
	named   bool
	lacking int
	why     error
}

// arrival is a message: events of one shape (Encoder.Shape), or the id of a deleted event.
type arrival struct {
	table *table.Table
	shape string
	gone  string
	at    int64
}

// collect adds a message's events if an encoder that is learnt from them alone can encode them. An
// event that lacks a column or has a missing value is so rejected at once and does not affect what
// is learnt. need is the number of events that the first map needs.
func (c *coldStart) collect(events *embed.Events, need int) error {
	t, at := events.Table, events.At
	if t.Len() == 0 {
		return nil
	}
	all, err := events.Absent(c.mapping.ID, c.mapping.Vector)
	var shape string
	if err == nil {
		if shape, err = c.shape(t); err != nil {
			if lacking := events.Lacking(c.needed()...); lacking != nil {
				all, err = true, lacking
			}
		}
	}
	c.named = c.named || !all
	if err != nil {
		return c.absent(err, t.Len(), min(need, stream.FirstEvents))
	}
	if c.rows == nil {
		c.rows = map[string]int{}
	}
	c.came = append(c.came, arrival{table: t, shape: shape, at: at})
	c.rows[shape] += t.Len()
	c.total += t.Len()
	if c.rows[shape] > c.rows[c.most] {
		c.most = shape
	}
	return nil
}

// shape encodes the events on their own and returns their shape (Encoder.Shape).
func (c *coldStart) shape(t *table.Table) (string, error) {
	e, _, err := learnEncoder(c.mapping, []*table.Table{t})
	if err != nil {
		return "", err
	}
	_, err = embed.Encode(e, t, c.limits)
	return e.Shape(), err
}

// needed returns the columns, apart from those of ids and vectors, that the mapping names and that
// every event must have.
func (c *coldStart) needed() (names []string) {
	for _, column := range c.mapping.Columns {
		if !column.Several() {
			names = append(names, column.Name)
		}
	}
	return append(names, c.mapping.Keep...)
}

// absent handles a message of n events without a named column. If earlier events had the column,
// the message is bad. Otherwise the name itself may be wrong: the events wait, and too many of them
// are a configuration error. Waiting events become dead letters when they are to be placed.
func (c *coldStart) absent(err error, n, most int) error {
	if c.named {
		return &stream.MessageError{Stage: stream.StagePlace, Err: err}
	}
	if c.why == nil {
		c.why = err
	}
	if c.lacking += n; c.lacking < most {
		return nil
	}
	return &stream.MisnamedError{Events: c.lacking, Err: c.why}
}

// collectTombstone records the id of a deleted event.
func (c *coldStart) collectTombstone(id string) {
	if c.total > 0 {
		c.came = append(c.came, arrival{gone: id})
	}
}

// empty removes all collected events.
func (c *coldStart) empty() {
	c.came, c.rows, c.total, c.most = nil, nil, 0, ""
}

// full reports whether there are enough events of one shape to learn from, or so many of all shapes
// that learning must give up.
func (c *coldStart) full(need, size int) bool { return c.rows[c.most] >= need || c.total >= 2*size }

// check returns an error if there are many events but too few of one shape.
func (c *coldStart) check(need int) error {
	if n := c.rows[c.most]; n < need {
		return fmt.Errorf("the first map needs %d events with the same columns, but the %d so far are of %d kinds, and the most frequent kind has only %d: "+
			"name the columns to use, or let the topic hold one kind of events", need, c.total, len(c.rows), n)
	}
	return nil
}

// encoder learns the encoder from the events of the most frequent shape. So one odd message at the
// beginning of a stream does not affect all others.
func (c *coldStart) encoder() (*ingest.Encoder, []ingest.Left, error) {
	var same []*table.Table
	for _, a := range c.came {
		if a.shape == c.most && a.table != nil {
			same = append(same, a.table)
		}
	}
	return learnEncoder(c.mapping, same)
}

// learnEncoder learns how tables of one shape become vectors, and which columns "*" leaves out. The
// column of labels may be missing.
func learnEncoder(m ingest.Mapping, tables []*table.Table) (*ingest.Encoder, []ingest.Left, error) {
	schema, pick := tables[0].Schema(), m.Selection
	if _, there := schema.Find(m.Label); !there {
		m.Label = ""
	}
	f, err := ingest.NewFitter(m, schema)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", tables[0].Origin, err)
	}
	for _, t := range tables {
		if err := f.Add(t); err != nil {
			return nil, nil, err
		}
	}
	e, err := f.Encoder()
	if err != nil {
		return nil, nil, err
	}
	return e.With(pick), f.Left(), nil
}

// fill makes the reference set and the pool of labels from the events before the first map. No
// events are accepted meanwhile.
func (in *intake) fill(encoder *ingest.Encoder) (*reference.Set, error) {
	ref, err := reference.New(in.set.reference(encoder.Selection().ID != ""), encoder.Dim(), in.set.notes())
	if err != nil {
		return nil, err
	}
	in.pool = nil
	for _, a := range in.cold.came {
		if a.table == nil {
			ref.Delete(a.gone)
			in.unlabel(a.gone)
			continue
		}
		// Events of other shapes become dead letters when they are to be placed.
		if b, err := embed.Encode(encoder, a.table, in.set.Limits); err == nil {
			show(ref, b, a.at, in.prequential.classes(b, in.set.Mapping.Label), nil)
			in.label(b)
			if b.ID.Valid() {
				in.idType = b.ID.DataType()
			}
		}
	}
	return ref, nil
}
