package learn

import (
	"fmt"
	"slices"
	"time"

	"unfold/ingest"
	"unfold/stream"
	"unfold/stream/reference"
)

// events are what one message holds. It is a stream.Events.
type events struct {
	// table holds the events; nil for a tombstone, of the event whose id is gone.
	table    *ingest.Table
	gone     string
	position stream.Position
	// at is when it happened, Unix nanoseconds.
	at     int64
	limits ingest.Limits
	// batch is the table as encoder has encoded it, kept because placing and
	// learning both need it.
	batch   *ingest.Batch
	encoder *ingest.Encoder
}

// Len implements stream.Events.
func (e *events) Len() int {
	if e.table == nil {
		return 0
	}
	return e.table.Len()
}

// encode turns the raw records into vectors, once.
func (e *events) encode(with *ingest.Encoder) (*ingest.Batch, error) {
	if e.encoder == with {
		return e.batch, nil
	}
	b, err := encode(with, e.table, e.limits)
	if err != nil {
		return nil, &stream.MessageError{Stage: stream.StagePlace, Err: err}
	}
	e.batch, e.encoder = b, with
	return b, nil
}

// encode is Encoder.Encode for a message that need not be trusted. Nobody here
// needs labels as text.
func encode(with *ingest.Encoder, t *ingest.Table, limits ingest.Limits) (*ingest.Batch, error) {
	if err := limits.CheckVectors(t, with.Dim()); err != nil {
		return nil, err
	}
	return labelIfThere(with, t).Unlabelled().Encode(t)
}

// labelIfThere returns the encoder without its column of labels if a table lacks that:
// labels come with some events, and may have messages of their own. A column that is
// to be kept is missed.
func labelIfThere(e *ingest.Encoder, t *ingest.Table) *ingest.Encoder {
	pick := e.Selection()
	if _, there := t.Column(pick.Label); there || pick.Label == "" || slices.Contains(pick.Keep, pick.Label) {
		return e
	}
	pick.Label = ""
	return e.With(pick)
}

// addTo shows the events of a batch, and their classes if they have any, to a
// reference set.
func addTo(ref *reference.Set, b *ingest.Batch, at int64, classes []int32) {
	for i := range b.Len() {
		id := ""
		if b.ID.Valid() {
			id = b.ID.Text(i)
		}
		if p := ref.Add(b.X.Row(i), id, at); p >= 0 && classes != nil && classes[i] != noClass {
			setClass(ref, p, classes[i])
		}
	}
}

// Decode implements stream.Decoder: a message is one complete Arrow IPC stream, or
// a tombstone.
func (l *Learner) Decode(m stream.Message) (stream.Events, error) {
	e := &events{position: stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}, at: eventTime(m.Time), limits: l.set.Limits}
	if m.Tombstone() {
		e.gone = string(m.Key)
		return e, nil
	}
	origin := ingest.Origin{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
	var err error
	if e.table, err = l.decoder.Decode(m.Value, origin); err != nil {
		return nil, &stream.MessageError{Stage: stream.StageDecode, Err: err}
	}
	return e, nil
}

// Weigh implements stream.Weigher.
func (l *Learner) Weigh(m *stream.Message) int64 { return l.decoder.Weigh(m.Value) }

// eventTime is the message's, unless it has none or one that is still to come: a
// single message from the far future would make everything else old.
func eventTime(t time.Time) int64 {
	now := time.Now()
	if t.IsZero() || t.After(now) || t.Unix() < 0 {
		t = now
	}
	return t.UnixNano()
}

// own returns this package's events.
func own(e stream.Events) (*events, error) {
	if mine, ok := e.(*events); ok {
		return mine, nil
	}
	return nil, fmt.Errorf("online: events of type %T were not decoded by this learner", e)
}
