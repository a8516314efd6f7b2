package stream

import (
	"time"

	"unfold/internal/offsets"
)

// TopicPartition names one ordered log, Position an offset of one. Assigned and committed
// are the offsets of the next message: everything before is done with.
type (
	TopicPartition = offsets.TopicPartition
	Position       = offsets.Position
)

// Header is a message header.
type Header struct {
	Key   string
	Value []byte
}

// Message is one message of a source or for a sink, with its bytes untouched.
// A nil Key or Value is Kafka's null and differs from an empty one.
type Message struct {
	TopicPartition
	Offset  int64
	Key     []byte
	Value   []byte
	Headers []Header
	Time    time.Time
	// Unreadable says why the source could not read a batch of messages. Offset is then
	// its last, and Value its bytes as they lie in the log. nil for any other message.
	Unreadable error
}

// Tombstone reports whether the message says that what its key names is no more: a
// key with a null value, as compacted topics hold it.
func (m *Message) Tombstone() bool { return m.Value == nil && m.Key != nil }

// Header returns the value of the last header named key and whether there is one.
func (m *Message) Header(key string) ([]byte, bool) {
	for i := len(m.Headers) - 1; i >= 0; i-- {
		if m.Headers[i].Key == key {
			return m.Headers[i].Value, true
		}
	}
	return nil, false
}

// Position is where the message lies.
func (m *Message) Position() Position {
	return Position{TopicPartition: m.TopicPartition, Offset: m.Offset}
}

// Where names the message in errors: topic, partition and offset.
func (m *Message) Where() string { return m.Position().String() }

// Bytes of a message and of a header beside what they hold.
const (
	messageBytes = 160
	headerBytes  = 48
)

// Overhead is what a message takes in memory beside its key, value and headers: of
// messages that hold next to nothing that is nearly all.
func (m *Message) Overhead() int64 { return messageBytes + headerBytes*int64(len(m.Headers)) }

// Weight is what a message takes in memory.
func (m *Message) Weight() int64 { return int64(m.size()) + m.Overhead() }

// size is what a message weighs when batches are bounded by bytes.
func (m *Message) size() int {
	n := len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}
