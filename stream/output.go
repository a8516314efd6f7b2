package stream

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"unfold/internal/offsets"
)

// Headers of an output message. Offset and version are decimal numbers.
const (
	HeaderContentType     = "content-type"
	HeaderSourceTopic     = "unfold-source-topic"
	HeaderSourcePartition = "unfold-source-partition"
	HeaderSourceOffset    = "unfold-source-offset"
	HeaderModelVersion    = "unfold-model-version"
	HeaderMapID           = "unfold-map-id"
	// HeaderPart, HeaderParts and HeaderPartRow are set if an output was too large for its topic:
	// the number of the part from 1, the number of parts, and the index of its first event in the
	// input from 0.
	HeaderPart    = "unfold-part"
	HeaderParts   = "unfold-parts"
	HeaderPartRow = "unfold-part-row"
	// HeaderTraceParent and HeaderTraceState are those of W3C Trace Context and are copied to the
	// output. If the stage traces, the first one identifies its own span.
	HeaderTraceParent = "traceparent"
	HeaderTraceState  = "tracestate"
	// HeaderKeySchema identifies the schema of the key and is copied with the key.
	// HeaderValueSchema identifies the schema of the value and is not copied, because an output has
	// another value.
	HeaderKeySchema   = "__key_schema_id"
	HeaderValueSchema = "__value_schema_id"
)

// ContentType is the content type of a value that is one complete Arrow IPC stream. Outputs have it
// unless Outcome.ContentType is set.
const ContentType = "application/vnd.apache.arrow.stream"

// output composes the output message of a placed entry, with the key and the time of the input. The
// result depends only on the message and the map, so that a duplicate has the same bytes.
func (p *Pipeline) output(e *entry, value []byte) Message {
	in := &e.message
	var headers []Header
	if value != nil { // a tombstone has no content
		headers = append(headers, Header{HeaderContentType, []byte(cmp.Or(e.outcome.ContentType, ContentType))})
	}
	headers = append(headers,
		Header{HeaderSourceTopic, []byte(in.Topic)},
		Header{HeaderSourcePartition, strconv.AppendInt(nil, int64(in.Partition), 10)},
		Header{HeaderSourceOffset, strconv.AppendInt(nil, in.Offset, 10)})
	headers = append(headers, e.by.Headers()...)
	if v, ok := p.traceparent(in); ok {
		headers = append(headers, Header{HeaderTraceParent, v})
	}
	if v, ok := in.Header(HeaderTraceState); ok {
		headers = append(headers, Header{HeaderTraceState, v})
	}
	if v, ok := in.Header(HeaderKeySchema); ok {
		headers = append(headers, Header{HeaderKeySchema, v})
	}
	if p.PassHeaders {
		for _, h := range in.Headers {
			if !own(h.Key) {
				headers = append(headers, h)
			}
		}
	}
	return Message{TopicPartition: in.TopicPartition, Offset: in.Offset, Key: in.Key, Value: value, Headers: headers, Time: in.Time}
}

// own reports whether the stage sets a header itself or has a special rule for it. Such headers are
// not copied.
func own(key string) bool {
	switch key {
	case HeaderContentType, HeaderTraceParent, HeaderTraceState, HeaderKeySchema, HeaderValueSchema:
		return true
	}
	return strings.HasPrefix(key, "unfold-")
}

// Headers returns the headers that identify the map: its version, and its id if it has one.
func (p *Published) Headers() []Header {
	headers := []Header{{HeaderModelVersion, strconv.AppendUint(nil, p.Version, 10)}}
	if p.MapID != "" {
		headers = append(headers, Header{HeaderMapID, []byte(p.MapID)})
	}
	return headers
}

// String returns a description of the map for logs.
func (p *Published) String() string {
	if p.MapID == "" {
		return fmt.Sprintf("map version %d", p.Version)
	}
	return fmt.Sprintf("map version %d (map id %s)", p.Version, p.MapID)
}

// Origin returns the position of the input and the map version from the headers of an output
// message. ok is false if a header is missing.
func Origin(m *Message) (p Position, version uint64, ok bool) {
	topic, ok1 := m.Header(HeaderSourceTopic)
	partition, err2 := number(m, HeaderSourcePartition)
	offset, err3 := number(m, HeaderSourceOffset)
	v, err4 := number(m, HeaderModelVersion)
	p = offsets.At(string(topic), int(partition), int64(offset))
	return p, v, ok1 && err2 == nil && err3 == nil && err4 == nil
}

func number(m *Message, key string) (uint64, error) {
	v, _ := m.Header(key)
	return strconv.ParseUint(string(v), 10, 63)
}
