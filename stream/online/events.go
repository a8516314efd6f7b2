package online

import (
	"fmt"

	"unfold/ingest"
	"unfold/stream"
)

// events are what one message holds. It is a stream.Events.
type events struct {
	table    *ingest.Table
	position stream.Position
	limits   ingest.Limits
	// batch is the table as encoder has encoded it, kept because placing and
	// learning both need it.
	batch   *ingest.Batch
	encoder *ingest.Encoder
}

// Len implements stream.Events.
func (e *events) Len() int { return e.table.Len() }

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
	return with.Unlabelled().Encode(t)
}

// Decode implements stream.Decoder: a message is one complete Arrow IPC stream.
func (l *Learner) Decode(m stream.Message) (stream.Events, error) {
	origin := ingest.Origin{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
	t, err := ingest.DecodeMessage(m.Value, origin, l.set.Limits)
	if err != nil {
		return nil, &stream.MessageError{Stage: stream.StageDecode, Err: err}
	}
	position := stream.Position{TopicPartition: m.TopicPartition, Offset: m.Offset}
	return &events{table: t, position: position, limits: l.set.Limits}, nil
}

// own returns this package's events.
func own(e stream.Events) (*events, error) {
	if mine, ok := e.(*events); ok {
		return mine, nil
	}
	return nil, fmt.Errorf("online: events of type %T were not decoded by this learner", e)
}
