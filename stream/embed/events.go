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

// Events are the events of one message. It is a stream.Events, and not safe for concurrent use.
type Events struct {
	// Table has the events. It is nil for a tombstone or a deleted record; Gone is then the id of
	// the deleted event.
	Table *table.Table
	Gone  string
	// Truncated means that all earlier events are deleted. Table is then nil.
	Truncated bool
	// Unchanged are the columns of the single event that a change did not touch, whose values are
	// missing.
	Unchanged []string
	// Wire is the encoding of the message.
	Wire format.Wire
	// Position is the message's own.
	Position stream.Position
	// At is the time of the event, in Unix nanoseconds.
	At int64

	limits arrowfmt.Limits
	// fields describes all columns of the message, for errors; nil if unknown.
	fields func() table.Schema
	// batch is the table as encoded by encoder, cached because placing and learning both need it.
	batch   *ingest.Batch
	encoder *ingest.Encoder
	placed  *Placement
}

// Placement has the positions of events: row i of At, n x d, on the map identified by the other
// fields.
type Placement struct {
	At      vec.Matrix[float32]
	MapID   string
	Epoch   uint32
	Version uint64
}

// Placed returns the last placement of the events, nil if they have not been placed.
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

// Known returns the encoded vector of the newest event with an id; nil if unknown. The caller must
// not change it.
type Known func(id string) []float32

// Encode encodes the records as vectors, once for each encoder. A vector that a change did not
// touch comes from known, which may be nil. Its errors are *stream.MessageError.
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

// leftOut returns an error for an event with omitted pass-through columns, whose values are
// unknown.
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

// encodeSame encodes an event with its unchanged vector.
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

// Absent returns an error for a missing column that every event needs: the id or vector column, if
// named. The error is a *table.Error, nil if nothing is missing; all reports whether every event
// lacks the column, rather than some.
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

// Lacking returns an error for the first of the columns that the message does not have; nil if it
// has all. It checks the original message, since named columns always exist in its table.
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

// unknown returns the error for a column that the message does not have; nil if it has it.
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

// firstNull returns the first row of a column without a value, -1 if there is none.
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

// Encode is Encoder.Encode for a message, which is untrusted input, within limits. Labels are not
// converted to text, which is not needed here.
func Encode(with *ingest.Encoder, t *table.Table, limits arrowfmt.Limits) (*ingest.Batch, error) {
	if err := limits.CheckVectors(t, with.Dim()); err != nil {
		return nil, err
	}
	return labelIfThere(with, t).Unlabelled().Encode(t)
}

// labelIfThere returns the encoder without its label column if a table lacks it: labels come with
// some events, and may have their own messages. It is required if it is to be kept.
func labelIfThere(e *ingest.Encoder, t *table.Table) *ingest.Encoder {
	pick := e.Selection()
	if _, there := t.Column(pick.Label); there || pick.Label == "" || slices.Contains(pick.Keep, pick.Label) {
		return e
	}
	pick.Label = ""
	return e.With(pick)
}

// Decoder is the stream.Decoder of a Map, for messages in the formats of package format, and
// tombstones.
type Decoder struct{ *format.Decoder }

var (
	_ stream.Decoder = (*Decoder)(nil)
	_ stream.Weigher = (*Decoder)(nil)
)

// NewDecoder makes a decoder of Arrow IPC streams within limits.
func NewDecoder(limits arrowfmt.Limits) *Decoder { return &Decoder{format.OfArrow(limits)} }

// DecoderOf returns a decoder that uses d, or decodes Arrow IPC streams within limits if d is nil.
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

// eventTime returns the message's time, or the current time if it has none or one in the future: a
// single message from the far future would make everything else old.
func eventTime(t time.Time) int64 {
	now := time.Now()
	if t.IsZero() || t.After(now) || t.Unix() < 0 {
		t = now
	}
	return t.UnixNano()
}
