package stream

import (
	"context"
	"time"
)

// Events is what one message holds, decoded. Only a Decoder, a Map and a Learner
// that belong together know its shape; the pipeline passes it from one to the
// other.
type Events interface {
	// Len is the number of events; it may be 0.
	Len() int
}

// Formatted is what Events can say besides: in which format their message was, "" if it
// was in none, as a tombstone.
type Formatted interface {
	Format() string
}

// Decoder turns a message into events.
type Decoder interface {
	// Decode is a pure function of the message. Every error means that the message is
	// bad, and it becomes a dead letter; but for an *UnavailableError, after which it is
	// decoded again.
	Decode(m Message) (Events, error)
}

// Map is one immutable state of the map, able to place events.
type Map interface {
	// Place returns for each message's events the value of the output message, or the
	// reason why these events cannot be placed. Then the message becomes a dead letter. It
	// is a pure function: an outcome depends on the map and on that message alone, to the
	// bit. The error is for failures that are no message's fault.
	Place(ctx context.Context, events []Events) ([]Outcome, error)
}

// Outcome is a placed message: the output's value, or why there is none. After an
// *UnavailableError its batch is placed again.
type Outcome struct {
	Value []byte
	Err   error
	// ContentType is the value's, as its header says; ContentType of this package if
	// empty.
	ContentType string
	// Parts, if set, makes smaller messages of the same events, for a topic that the
	// whole is too large for.
	Parts Parts
	// Nothing says that nothing is to be written for the message.
	Nothing bool
}

// Parts makes messages of some of a message's events.
type Parts interface {
	// Part returns what Outcome.Value would be for events from..to (to excluded) alone.
	Part(from, to int) ([]byte, error)
}

// Published is a map that events are placed on.
type Published struct {
	Map Map
	// MapID is the map's own: no other map has it. Empty: it is from before maps had ids.
	MapID string
	// Version counts the snapshots of one map upwards from 1, Epoch its
	// coordinate frames. (position, map, version) determines an output's bytes.
	Version uint64
	Epoch   uint32
	// Points is the number of reference points.
	Points int
	// At is when it was published or loaded.
	At time.Time
	// Stats say how it was learnt, if that is known.
	Stats Stats
}

// Learner learns the map from the stream and publishes it.
//
// The pipeline offers every event that it has read, in order for each partition.
// Before the first map it offers first and places later (the events wait, their
// offsets uncommitted), and offers again when they are delivered; afterwards it places
// and delivers first, and offers then, so that learning never holds up placing. After a
// restart or a rebalance events come again as well: a learner knows the offsets it has
// seen and takes no event twice.
type Learner interface {
	// Offer shows the learner one message's events. It copies what it keeps.
	// Before the first map it blocks while the learner has enough and is busy
	// fitting, which holds back reading; afterwards it returns at once. A
	// *MessageError says that these events are bad, the message becomes a dead
	// letter if it has not been placed yet; any other error is final.
	Offer(ctx context.Context, events Events) error
	// Current returns the newest map, nil before the first. It never blocks.
	Current() *Published
	// Ready is closed when the first map is there.
	Ready() <-chan struct{}
	// Run learns until the context is done, then returns nil. An error is final.
	Run(ctx context.Context) error
}

// Stage says in which step a message turned out to be bad, in the words of Kafka
// Connect's dead letters.
type Stage string

const (
	// StageRead: a batch of messages cannot be read from the log; see
	// Message.Unreadable.
	StageRead Stage = "KAFKA_CONSUME"
	// StageDecode: the bytes are not what they should be.
	StageDecode Stage = "VALUE_CONVERTER"
	// StagePlace: the events cannot be turned into vectors or placed.
	StagePlace Stage = "TRANSFORMATION"
	// StageWrite: the output is larger than its topic takes.
	StageWrite Stage = "KAFKA_PRODUCE"
)

// MessageError says that a message is bad and will be so however often it is
// tried.
type MessageError struct {
	Stage Stage
	Err   error
	// Misnamed: every event of the message lacks a column that the settings name, and no event is known
	// to have had it (Names).
	Misnamed bool
}

func (e *MessageError) Error() string { return e.Err.Error() }

func (e *MessageError) Unwrap() error { return e.Err }
