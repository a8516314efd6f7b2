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
	// came are the messages in their order.
	came []arrival
	// rows counts events by shape, total all of them. most is the shape that most
	// events have (of equals, the first that had so many).
	rows  map[string]int
	total int
	most  string
	// named: an event had every column that the mapping names and that it needs. Until one
	// has, lacking counts those that lack one, and why is what the first of them lacks.
	named   bool
	lacking int
	why     error
}

// arrival is a message: events of one shape (Encoder.Shape), or the id of an event that is no more.
type arrival struct {
	table *table.Table
	shape string
	gone  string
	at    int64
}

// collect takes a message's events if they can be encoded on their own, by an
// encoder learnt from nothing else. So one that lacks a column, or holds a
// missing value, is found bad at once and does not spoil what is learnt. need is how many
// events the first map needs.
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

// shape encodes the events by themselves and returns their shape (Encoder.Shape).
func (c *coldStart) shape(t *table.Table) (string, error) {
	e, _, err := learnEncoder(c.mapping, []*table.Table{t})
	if err != nil {
		return "", err
	}
	_, err = embed.Encode(e, t, c.limits)
	return e.Shape(), err
}

// needed are columns that the mapping names, beside those of ids and vectors, and without which no event may be
// encoded.
func (c *coldStart) needed() (names []string) {
	for _, column := range c.mapping.Columns {
		if !column.Several() {
			names = append(names, column.Name)
		}
	}
	return append(names, c.mapping.Keep...)
}

// absent judges a message of n events that lack a named column. Once events had it the message is
// bad. Before, it may be the name that is wrong: the events wait, and most of them are an error of
// the configuration. Those that wait become dead letters when they are to be placed.
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

// collectTombstone takes the id of an event that is gone.
func (c *coldStart) collectTombstone(id string) {
	if c.total > 0 {
		c.came = append(c.came, arrival{gone: id})
	}
}

// empty takes all events out that have come.
func (c *coldStart) empty() {
	c.came, c.rows, c.total, c.most = nil, nil, 0, ""
}

// full says whether enough has come, in one shape, to learn from; or so much, in
// all shapes, that it cannot go on.
func (c *coldStart) full(need, size int) bool { return c.rows[c.most] >= need || c.total >= 2*size }

// check says why events cannot be learnt from although there are many.
func (c *coldStart) check(need int) error {
	if n := c.rows[c.most]; n < need {
		return fmt.Errorf("the first map needs %d events with the same columns, but the %d that came are of %d kinds, of which the most frequent has only %d: "+
			"name the columns to use, or let the topic hold one kind of events", need, c.total, len(c.rows), n)
	}
	return nil
}

// encoder learns the encoder from the events of the prevalent shape. One odd
// message at the beginning of a stream so does not decide about all others.
func (c *coldStart) encoder() (*ingest.Encoder, []ingest.Left, error) {
	var same []*table.Table
	for _, a := range c.came {
		if a.shape == c.most && a.table != nil {
			same = append(same, a.table)
		}
	}
	return learnEncoder(c.mapping, same)
}

// learnEncoder learns how tables of one shape become vectors, and which columns "*"
// leaves out. They may lack the column
// of labels.
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

// fill makes the reference set, and the pool of labels, of the events that came before the
// first map. Nothing is accepted meanwhile.
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
		// What does not fit the prevalent shape becomes a dead letter when it
		// is to be placed.
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
