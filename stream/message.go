package stream

import (
	"time"

	"unfold/internal/offsets"
)

// TopicPartition identifies one partition of a topic, and Position an offset in it. Assigned and
// committed offsets are those of the next message: all messages before them are done.
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
	// Unreadable is the reason why the source could not read a batch of messages, nil for other
	// messages. Offset is then the last offset of the batch, and Value contains its raw bytes.
	Unreadable error
}

// Tombstone reports whether the message has a key and a null value. In compacted topics such a
// message deletes its key.
func (m *Message) Tombstone() bool { return m.Value == nil && m.Key != nil }

// Header returns the value of the last header named key, and whether it exists.
func (m *Message) Header(key string) ([]byte, bool) {
	for i := len(m.Headers) - 1; i >= 0; i-- {
		if m.Headers[i].Key == key {
			return m.Headers[i].Value, true
		}
	}
	return nil, false
}

// Position returns the position of the message.
func (m *Message) Position() Position {
	return Position{TopicPartition: m.TopicPartition, Offset: m.Offset}
}

// Where returns topic, partition and offset of the message for errors.
func (m *Message) Where() string { return m.Position().String() }

// Bytes of a message and of a header in memory besides their contents.
const (
	messageBytes = 160
	headerBytes  = 48
)

// Overhead returns the bytes in memory besides key, value and header contents. For tiny messages
// that is nearly everything.
func (m *Message) Overhead() int64 { return messageBytes + headerBytes*int64(len(m.Headers)) }

// Weight returns the bytes of the message in memory.
func (m *Message) Weight() int64 { return int64(m.size()) + m.Overhead() }

// size returns the size of the message for the byte limit of batches.
func (m *Message) size() int {
	n := len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}
