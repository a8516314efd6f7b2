package embed

import (
	"fmt"
	"slices"
	"time"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/format"
)

// Events are what one message holds. It is a stream.Events, and used by one goroutine at
// a time.
type Events struct {
	// Table holds the events; nil for a tombstone or a deleted record, of the event whose
	// id is Gone.
	Table *table.Table
	Gone  string
	// Truncated says that all events before are gone. There is no Table then.
	Truncated bool
	// Unchanged are the columns of the one event that a change did not touch, and whose values
	// are not there.
	Unchanged []string
	// Wire is how the message was written.
	Wire format.Wire
	// Position is the message's own.
	Position stream.Position
	// At is when it happened, Unix nanoseconds.
	At int64

	limits arrowfmt.Limits
	// fields describes all that the message has, for errors; nil: nobody knows.
	fields func() table.Schema
	// batch is the table as encoder has encoded it, kept because placing and
	// learning both need it.
	batch   *ingest.Batch
	encoder *ingest.Encoder
	placed  *Placement
}

// Placement says where events are: row i of At, n x d, on the map that the rest names.
type Placement struct {
	At      vec.Matrix[float32]
	MapID   string
	Epoch   uint32
	Version uint64
}

// Placed returns where the events were placed last, nil if they have not been.
func (e *Events) Placed() *Placement { return e.placed }

// Len implements stream.Events.
func (e *Events) Len() int {
	if e.Table == nil {
		return 0
	}
	return e.Table.Len()
}

// Format implements stream.Formatted.
func (e *Events) Format() string { return string(e.Wire.Format) }

// Known returns the vector, encoded, that the newest event of an id has; nil if that is not
// known. It is not changed.
type Known func(id string) []float32

// Encode turns the raw records into vectors, once for each encoder. A vector that a change did
// not touch is the one that known has, which may be nil. Its errors are *stream.MessageError.
func (e *Events) Encode(with *ingest.Encoder, known Known) (*ingest.Batch, error) {
	if e.encoder == with {
		return e.batch, nil
	}
	vector := with.Vector()
	same := slices.Contains(e.Unchanged, vector)
	if same {
		vector = "" // it need not be there
	}
	_, err := e.Absent(with.Selection().ID, vector)
	if err == nil {
		err = e.leftOut(with)
	}
	var b *ingest.Batch
	switch {
	case err != nil:
	case same:
		b, err = e.encodeSame(with, known)
	default:
		b, err = Encode(with, e.Table, e.limits)
	}
	if err != nil {
		return nil, &stream.MessageError{Stage: stream.StagePlace, Err: err, Misnamed: e.Lacking(with.Renamed()...) != nil}
	}
	e.batch, e.encoder = b, with
	return b, nil
}

// leftOut refuses an event whose columns that pass through were left out: nobody knows what they
// were.
func (e *Events) leftOut(with *ingest.Encoder) error {
	pick := with.Selection()
	for _, name := range e.Unchanged {
		if slices.Contains(pick.Passing(), name) {
			return e.Table.Origin.BadAt(0, name, "Debezium has left the value out, since the change did not touch it").
				Suggest("set the table's REPLICA IDENTITY to FULL, or do not keep the column")
		}
	}
	return nil
}

// encodeSame encodes an event whose vector is the one that it had.
func (e *Events) encodeSame(with *ingest.Encoder, known Known) (*ingest.Batch, error) {
	b, err := labelIfThere(with, e.Table).Unlabelled().Pass(e.Table)
	if err != nil {
		return nil, err
	}
	var x []float32
	if known != nil && b.ID.Valid() {
		x = known(b.ID.Text(0))
	}
	if len(x) != with.Dim() {
		return nil, e.Table.Origin.BadAt(0, with.Vector(), "Debezium has left the vector out, since the change did not touch it, and the map does not have the one before").
			Suggest("set the table's REPLICA IDENTITY to FULL, or let the reference set hold all rows (reference.size) and name the column of ids (source.id)")
	}
	b.X = vec.Matrix[float32]{Rows: 1, Cols: len(x), Data: slices.Clone(x)}
	return b, nil
}

// Absent explains which column that every event needs is missing: that of ids or that of vectors,
// where they are named. The error is a *table.Error, nil if nothing is missing; all reports
// whether every event lacks the column, rather than some.
func (e *Events) Absent(id, vector string) (all bool, err error) {
	if e.Len() == 0 {
		return false, nil
	}
	for _, name := range []string{id, vector} {
		c, there := e.Table.Column(name)
		if name == "" || there && firstNull(c) < 0 {
			continue
		}
		all = !there || allNull(c)
		if all { // a column that is named is there even if the message has no such field
			if err := e.unknown(name); err != nil {
				return all, err
			}
		}
		if there && name == id {
			return all, e.Table.Origin.BadAt(firstNull(c), name, "the event has no id").Suggest("every event needs one, since source.id names the column")
		}
	}
	return false, nil
}

// Lacking explains which of the columns the message does not have, the first of them; nil if it has all. It looks at
// what the message itself holds: a column that is named is in its table in any case.
func (e *Events) Lacking(names ...string) error {
	for _, name := range names {
		if c, there := e.Table.Column(name); name == "" || e.Len() == 0 || there && !allNull(c) {
			continue
		}
		if err := e.unknown(name); err != nil {
			return err
		}
	}
	return nil
}

// unknown is the error for a column that the message does not have; nil if it has it.
func (e *Events) unknown(name string) error {
	schema := e.Table.Schema()
	if e.fields != nil {
		if all := e.fields(); all != nil {
			schema = all
		}
	}
	if schema.May(name) {
		return nil
	}
	return table.UnknownColumn(e.Table.Origin, name, schema.Flat().Names())
}

// firstNull is the first row of a column without a value, -1 if there is none.
func firstNull(c table.Column) int {
	for i := range c.Len() {
		if c.IsNull(i) {
			return i
		}
	}
	return -1
}

func allNull(c table.Column) bool {
	for i := range c.Len() {
		if !c.IsNull(i) {
			return false
		}
	}
	return true
}

// Own returns this package's events; those of another decoder are an error.
func Own(e stream.Events) (*Events, error) {
	if mine, ok := e.(*Events); ok {
		return mine, nil
	}
	return nil, fmt.Errorf("embed: events of type %T were decoded by another decoder", e)
}

// Encode is Encoder.Encode for a message, which is untrusted input, within limits. Labels
// are not written out as text, which nobody needs here.
func Encode(with *ingest.Encoder, t *table.Table, limits arrowfmt.Limits) (*ingest.Batch, error) {
	if err := limits.CheckVectors(t, with.Dim()); err != nil {
		return nil, err
	}
	return labelIfThere(with, t).Unlabelled().Encode(t)
}

// labelIfThere returns the encoder without its column of labels if a table lacks that:
// labels come with some events, and may have messages of their own. A column that is
// to be kept is missed.
func labelIfThere(e *ingest.Encoder, t *table.Table) *ingest.Encoder {
	pick := e.Selection()
	if _, there := t.Column(pick.Label); there || pick.Label == "" || slices.Contains(pick.Keep, pick.Label) {
		return e
	}
	pick.Label = ""
	return e.With(pick)
}

// Decoder is the stream.Decoder of a Map: of messages in formats that package format reads,
// and tombstones.
type Decoder struct{ *format.Decoder }

var (
	_ stream.Decoder = (*Decoder)(nil)
	_ stream.Weigher = (*Decoder)(nil)
)

// NewDecoder makes a decoder of Arrow IPC streams within limits.
func NewDecoder(limits arrowfmt.Limits) *Decoder { return &Decoder{format.OfArrow(limits)} }

// DecoderOf is one of messages as d reads them, of Arrow IPC streams within limits if that
// is nil.
func DecoderOf(d *format.Decoder, limits arrowfmt.Limits) *Decoder {
	if d == nil {
		return NewDecoder(limits)
	}
	return &Decoder{d}
}

// Decode implements stream.Decoder.
func (d *Decoder) Decode(m stream.Message) (stream.Events, error) {
	got, err := d.Decoder.Decode(&m)
	if err != nil {
		return nil, &stream.MessageError{Stage: stream.StageDecode, Err: err}
	}
	return &Events{
		Table: got.Table, Gone: got.Gone, Truncated: got.Truncated, Unchanged: got.Unchanged, Wire: got.Wire,
		Position: m.Position(), At: eventTime(m.Time), limits: d.Limits(),
		fields: func() table.Schema { return d.Fields(&m) },
	}, nil
}

// eventTime is the message's, unless it has none or one that is still to come: a
// single message from the far future would make everything else old.
func eventTime(t time.Time) int64 {
	now := time.Now()
	if t.IsZero() || t.After(now) || t.Unix() < 0 {
		t = now
	}
	return t.UnixNano()
}
