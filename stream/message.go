package stream

import "time"

// TopicPartition names one ordered log.
type TopicPartition struct {
	Topic     string
	Partition int
}

// Header is a message header.
type Header struct {
	Key   string
	Value []byte
}

// Message is one message of a source or for a sink, with its bytes untouched.
type Message struct {
	TopicPartition
	Offset  int64
	Key     []byte
	Value   []byte
	Headers []Header
	Time    time.Time
}
