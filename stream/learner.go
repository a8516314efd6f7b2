package stream

import (
	"context"
	"time"
)

// Events are the decoded events of one message. Only a matching Decoder, Map and Learner know the
// concrete type; the pipeline passes it between them.
type Events interface {
	// Len is the number of events; it may be 0.
	Len() int
}

// Formatted is implemented by Events that know the format of their message. Format returns "" for a
// message without a format, such as a tombstone.
type Formatted interface {
	Format() string
}

// Decoder turns a message into events.
type Decoder interface {
	// Decode is a pure function of the message. After an *UnavailableError the message is decoded
	// again. Any other error means that the message is bad and becomes a dead letter.
	Decode(m Message) (Events, error)
}

// Map is one immutable version of the map that places events.
type Map interface {
	// Place returns for each message the value of the output message, or the reason why its events
	// cannot be placed. Such a message becomes a dead letter. Place is a pure function: an outcome
	// depends on the map and on that message only, bit for bit. An error is returned for failures
	// that no message caused.
	Place(ctx context.Context, events []Events) ([]Outcome, error)
}

// Outcome is the result of placing a message: the output's value or an error. After an
// *UnavailableError the batch is placed again.
type Outcome struct {
	Value []byte
	Err   error
	// ContentType is the content type of the value for the message header. An empty one means the
	// constant ContentType.
	ContentType string
	// Parts, if not nil, creates smaller messages of the same events for a topic that rejects the
	// whole.
	Parts Parts
	// Nothing is true if no output is to be written for the message.
	Nothing bool
}

// Parts creates messages from ranges of a message's events.
type Parts interface {
	// Part returns the value of an output with only the events from..to (to excluded).
	Part(from, to int) ([]byte, error)
}

// Published is a map on which events are placed.
type Published struct {
	Map Map
	// MapID is the unique id of the map. It is empty for a map from before maps had ids.
	MapID string
	// Version counts the snapshots of one map from 1, and Epoch its coordinate frames. Position,
	// map id and version determine the bytes of an output.
	Version uint64
	Epoch   uint32
	// Points is the number of reference points.
	Points int
	// At is the time at which the map was published or loaded.
	At time.Time
	// Stats are the statistics of learning, if known.
	Stats Stats
}

// Learner learns the map from the stream and publishes it.
//
// The pipeline offers every event that it has read, in the order of each partition. Before the
// first map, events are offered first and placed later; meanwhile their offsets are not committed.
// They are offered again when they are delivered. After the first map, events are placed and
// delivered before they are offered, so that learning never delays placement. Events also come
// again after a restart or a rebalance. A learner therefore remembers the offsets it has seen and
// ignores repeated events.
type Learner interface {
	// Offer passes one message's events to the learner, which copies the data it keeps. Before the
	// first map Offer blocks while the learner has enough events and is fitting, which blocks
	// reading. Afterwards it returns at once. A *MessageError means that these events are bad; the
	// message becomes a dead letter unless it has already been placed. Any other error is final.
	Offer(ctx context.Context, events Events) error
	// Current returns the newest map, nil before the first map. It never blocks.
	Current() *Published
	// Ready is closed when the first map is available.
	Ready() <-chan struct{}
	// Run learns until the context is done, then returns nil. An error is final.
	Run(ctx context.Context) error
}

// Stage is the step in which a message turned out to be bad, named as in Kafka Connect's dead
// letters.
type Stage string

const (
	// StageRead: a batch of messages cannot be read from the log (see Message.Unreadable).
	StageRead Stage = "KAFKA_CONSUME"
	// StageDecode: the bytes cannot be decoded.
	StageDecode Stage = "VALUE_CONVERTER"
	// StagePlace: the events cannot be turned into vectors or placed.
	StagePlace Stage = "TRANSFORMATION"
	// StageWrite: the topic rejects the output.
	StageWrite Stage = "KAFKA_PRODUCE"
)

// MessageError is the error of a bad message. To retry it is useless.
type MessageError struct {
	Stage Stage
	Err   error
	// Misnamed is true if every event of the message lacks a column that the settings name, and no
	// event is known to have had it (Names).
	Misnamed bool
}

func (e *MessageError) Error() string { return e.Err.Error() }

func (e *MessageError) Unwrap() error { return e.Err }
