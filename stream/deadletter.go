package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"unfold/internal/offsets"
)

// Headers of a dead letter, in the format of Kafka Connect (values are strings).
const (
	headerErrorTopic     = "__connect.errors.topic"
	headerErrorPartition = "__connect.errors.partition"
	headerErrorOffset    = "__connect.errors.offset"
	headerErrorConnector = "__connect.errors.connector.name"
	headerErrorStage     = "__connect.errors.stage"
	headerErrorClass     = "__connect.errors.class.name"
	headerErrorException = "__connect.errors.exception.class.name"
	headerErrorMessage   = "__connect.errors.exception.message"
)

// Headers of a dead letter that is too large for its topic and was shortened.
const (
	// headerElsewhere lists the omitted parts: "value", or "key,headers,value".
	headerElsewhere = "unfold-elsewhere"
	// headerLength and headerSHA256 are the value's length in bytes and its checksum in
	// hexadecimal. headerBegin contains its first bytes.
	headerLength = "unfold-value-length"
	headerSHA256 = "unfold-value-sha256"
	headerBegin  = "unfold-value-begin"
)

const (
	// beginLength is the number of bytes of an omitted value that are copied to a header. If
	// everything is omitted, it also limits the text of the error.
	beginLength = 1 << 10
	// textLength limits the text of any error, because it may quote the message.
	textLength = 8 << 10
)

// spared is the part of the message that a dead letter omits to fit into its topic.
type spared int

const (
	sparesNothing spared = iota
	sparesValue
	sparesAll // only the position and the error are left
)

// spare selects a smaller form of the dead letter. It returns an error if no smaller form can help.
func (e *entry) spare(refused *RefusedError) error {
	if refused.Messages[0].Why != nil {
		return fmt.Errorf("%s: the dead letter of this message can never be kept (%v): %w", e.message.Where(), e.bad, refused)
	}
	if e.spared == sparesAll {
		return fmt.Errorf("%s: not even the headers of this dead letter can be written: %w", e.message.Where(), refused)
	}
	e.spared++
	return nil
}

// DeadLetter writes messages that cannot be read or placed to a dead-letter topic. A dead letter is
// the message itself with unchanged key, value, timestamp and headers. Additional headers give its
// origin and the error. Existing headers stay: a message that becomes a dead letter twice has both
// sets, the newest last. A dead letter that is too large for its topic has an empty value. Its
// headers then give the length, the checksum and the first bytes of the value, which can be read at
// the message's origin.
type DeadLetter struct {
	// Sink writes to the dead-letter topic.
	Sink Sink
}

// Message composes the dead letter of m.
func (d *DeadLetter) Message(m Message, stage Stage, reason error) Message {
	return d.message(m, stage, reason, sparesNothing)
}

// message composes a dead letter that omits parts of the message.
func (d *DeadLetter) message(m Message, stage Stage, reason error, without spared) Message {
	was, text, longest := m.Value, reason.Error(), textLength
	if without == sparesAll {
		m.Key, m.Headers, longest = nil, nil, beginLength
	}
	text = strings.ToValidUTF8(text[:min(len(text), longest)], "")
	add := func(key, value string) {
		m.Headers = append(m.Headers, Header{Key: key, Value: []byte(value)})
	}
	m.Headers = append(make([]Header, 0, len(m.Headers)+headersPerLetter+headersElsewhere), m.Headers...)
	add(headerErrorTopic, m.Topic)
	add(headerErrorPartition, strconv.Itoa(m.Partition))
	add(headerErrorOffset, strconv.FormatInt(m.Offset, 10))
	add(headerErrorConnector, "unfold")
	add(headerErrorStage, string(stage))
	add(headerErrorClass, "unfold/"+stageWords[stage])
	add(headerErrorException, typeOf(reason))
	add(headerErrorMessage, text)
	if without == sparesNothing {
		return m
	}
	m.Value = []byte{} // null would be a tombstone
	what, begin := "value", was[:min(len(was), beginLength)]
	if without == sparesAll {
		what, begin = "key,headers,value", nil
	}
	sum := sha256.Sum256(was)
	add(headerElsewhere, what)
	add(headerLength, strconv.Itoa(len(was)))
	add(headerSHA256, hex.EncodeToString(sum[:]))
	add(headerBegin, string(begin))
	return m
}

// stageWords are the names of the steps in this program.
var stageWords = map[Stage]string{StageRead: "read", StageDecode: "decode", StagePlace: "place", StageWrite: "write"}

// ParseStage parses the name of a step. It accepts the names in dead letters, metrics and logs
// (KAFKA_CONSUME, VALUE_CONVERTER, TRANSFORMATION, KAFKA_PRODUCE) and this program's names (read,
// decode, place, write).
func ParseStage(text string) (Stage, error) {
	for stage, word := range stageWords {
		if strings.EqualFold(text, string(stage)) || strings.EqualFold(text, word) {
			return stage, nil
		}
	}
	return "", fmt.Errorf("%q is none of %s, %s, %s, %s", text, StageRead, StageDecode, StagePlace, StageWrite)
}

// typeOf returns the type name of the root error: the first error in the chain that does not only
// add text to another. Users filter dead letters by this name, so an error can keep a name that
// differs from its Go type (method Class).
func typeOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		name := fmt.Sprintf("%T", err)
		if named, ok := err.(interface{ Class() string }); ok {
			return named.Class()
		}
		if inner == nil || name != "*fmt.wrapError" && name != "*stream.MessageError" {
			return name
		}
		err = inner
	}
}

// Reason is the reason that a dead letter gives in its headers.
type Reason struct {
	// Position is the position of the original message.
	Position
	// Connector is the name of the stage that rejected the message, and Stage the step. Class and
	// Exception are the kind of the error, and Message is its text.
	Connector, Class, Exception, Message string
	Stage                                Stage
	// Elsewhere is not nil if the dead letter omits the message's value. The value can be read at
	// Position.
	Elsewhere *Elsewhere
}

// Elsewhere describes the omitted parts of a dead letter.
type Elsewhere struct {
	// Length is the length of the value in bytes, SHA256 its checksum in hexadecimal.
	Length int64
	SHA256 string
	// All is true if the key and the headers are omitted, too.
	All bool
}

// ErrAnother is returned if a message is not the one that a dead letter refers to.
var ErrAnother = errors.New("another message lies there now")

// Check returns ErrAnother if m is not the message whose value was omitted.
func (e *Elsewhere) Check(m *Message) error {
	if int64(len(m.Value)) != e.Length {
		return fmt.Errorf("%s: %w (of %d bytes, not %d)", m.Where(), ErrAnother, len(m.Value), e.Length)
	}
	if sum := sha256.Sum256(m.Value); hex.EncodeToString(sum[:]) != e.SHA256 {
		return fmt.Errorf("%s: %w (with another checksum)", m.Where(), ErrAnother)
	}
	return nil
}

// headersPerLetter is the number of headers that DeadLetter.Message adds. headersElsewhere is the
// number of additional headers if something is omitted.
const headersPerLetter, headersElsewhere = 8, 4

// ReadDeadLetter separates a dead letter into the original message and the newest reason. The parts
// that Reason.Elsewhere describes are missing from the message. ok is false if m has no headers
// that give its origin.
func ReadDeadLetter(m Message) (original Message, why Reason, ok bool) {
	text := func(key string) string {
		v, _ := m.Header(key)
		return string(v)
	}
	partition, err1 := strconv.Atoi(text(headerErrorPartition))
	offset, err2 := strconv.ParseInt(text(headerErrorOffset), 10, 64)
	why = Reason{
		Position:  offsets.At(text(headerErrorTopic), partition, offset),
		Connector: text(headerErrorConnector), Stage: Stage(text(headerErrorStage)), Class: text(headerErrorClass),
		Exception: text(headerErrorException), Message: text(headerErrorMessage),
	}
	if why.Topic == "" || err1 != nil || err2 != nil {
		return m, why, false
	}
	original = m
	original.TopicPartition, original.Offset = why.TopicPartition, why.Offset
	original.Headers = nil
	last := len(m.Headers)
	if why.Elsewhere = elsewhere(&m); why.Elsewhere != nil {
		last -= headersElsewhere
	}
	if last >= headersPerLetter && m.Headers[last-headersPerLetter].Key == headerErrorTopic {
		last -= headersPerLetter
	}
	original.Headers = append(original.Headers, m.Headers[:last]...)
	return original, why, true
}

// elsewhere parses the description of omitted parts, nil if the dead letter is complete. Only the
// last headers count, because earlier ones may belong to the message itself.
func elsewhere(m *Message) *Elsewhere {
	last := m.Headers[max(0, len(m.Headers)-headersElsewhere):]
	if len(last) < headersElsewhere || last[0].Key != headerElsewhere || last[3].Key != headerBegin {
		return nil
	}
	length, err := strconv.ParseInt(string(last[1].Value), 10, 64)
	if err != nil {
		return nil
	}
	return &Elsewhere{Length: length, SHA256: string(last[2].Value), All: string(last[0].Value) != "value"}
}
