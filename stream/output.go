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
	// HeaderPart, HeaderParts and HeaderPartRow are there if an output was too large
	// for its topic: which part of how many, from 1, and its first event among those of
	// the input, from 0.
	HeaderPart    = "unfold-part"
	HeaderParts   = "unfold-parts"
	HeaderPartRow = "unfold-part-row"
	// HeaderTraceParent and HeaderTraceState are W3C Trace Context's. They are passed
	// on; where the stage traces, the first one names its own span.
	HeaderTraceParent = "traceparent"
	HeaderTraceState  = "tracestate"
	// HeaderKeySchema names the schema of a key, which is passed on with the key;
	// HeaderValueSchema that of a value, which an output's is not.
	HeaderKeySchema   = "__key_schema_id"
	HeaderValueSchema = "__value_schema_id"
)

// ContentType says that a message's value is one complete Arrow IPC stream. It is that of
// outputs unless Outcome.ContentType is another.
const ContentType = "application/vnd.apache.arrow.stream"

// output composes the output message of an entry that was placed. It is a function of the
// message and the map alone, so that a duplicate has the same bytes; the key and
// the time are the input's.
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

// own reports whether a header is one that the stage writes itself, or has a rule of
// its own for.
func own(key string) bool {
	switch key {
	case HeaderContentType, HeaderTraceParent, HeaderTraceState, HeaderKeySchema, HeaderValueSchema:
		return true
	}
	return strings.HasPrefix(key, "unfold-")
}

// Headers say which map events were placed on: its version, and its id if it has one.
func (p *Published) Headers() []Header {
	headers := []Header{{HeaderModelVersion, strconv.AppendUint(nil, p.Version, 10)}}
	if p.MapID != "" {
		headers = append(headers, Header{HeaderMapID, []byte(p.MapID)})
	}
	return headers
}

// String names the map for people.
func (p *Published) String() string {
	if p.MapID == "" {
		return fmt.Sprintf("map version %d", p.Version)
	}
	return fmt.Sprintf("map version %d (map id %s)", p.Version, p.MapID)
}

// Origin reads back from an output message where its input came from and which
// version of the map placed it. It reports whether all headers were there.
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
