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

// Headers of a dead letter, as Kafka Connect writes them (values are strings).
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

// Headers of a dead letter that is too large for its topic to be there whole.
const (
	// headerElsewhere says what was left out: "value", or "key,headers,value".
	headerElsewhere = "unfold-elsewhere"
	// headerLength and headerSHA256 are the value's length in bytes and checksum (in
	// hexadecimal), headerBegin its first bytes.
	headerLength = "unfold-value-length"
	headerSHA256 = "unfold-value-sha256"
	headerBegin  = "unfold-value-begin"
)

const (
	// beginLength is how much of a value that is left out stands in a header, and how
	// much of an error's text with a message of which everything is.
	beginLength = 1 << 10
	// textLength bounds the text of any error, which may quote the message.
	textLength = 8 << 10
)

// spared is what a dead letter does without, for its topic does not take more.
type spared int

const (
	sparesNothing spared = iota
	sparesValue
	sparesAll // but for where it is and what was wrong
)

// spare makes do with a smaller dead letter, if that helps.
func (e *entry) spare(refused *RefusedError) error {
	if refused.Messages[0].Why != nil {
		return fmt.Errorf("%s: the dead letter of this message can never be kept (%v): %w", e.message.Where(), e.bad, refused)
	}
	if e.spared == sparesAll {
		return fmt.Errorf("%s: not even what is known of this dead letter can be kept: %w", e.message.Where(), refused)
	}
	e.spared++
	return nil
}

// DeadLetter keeps messages that cannot be read or placed. A dead letter is the
// message itself, its key, value, timestamp and headers untouched, with headers
// that say where it came from and what was wrong. Headers that are already there
// stay: a message that becomes a dead letter twice carries both sets, the newest
// last. One that is too large for its topic has an empty value: headers say how long it is,
// its checksum and how it begins; it is where the message came from.
type DeadLetter struct {
	// Sink writes to the dead-letter topic.
	Sink Sink
	// Name names this stage in the header connector.name. Default "unfold".
	Name string
}

// Message composes the dead letter of m.
func (d *DeadLetter) Message(m Message, stage Stage, reason error) Message {
	return d.message(m, stage, reason, sparesNothing)
}

// message composes a dead letter that does without some of the message.
func (d *DeadLetter) message(m Message, stage Stage, reason error, without spared) Message {
	name := d.Name
	if name == "" {
		name = "unfold"
	}
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
	add(headerErrorConnector, name)
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

// stageWords are what the steps are called in this program.
var stageWords = map[Stage]string{StageRead: "read", StageDecode: "decode", StagePlace: "place", StageWrite: "write"}

// ParseStage reads a step as dead letters, figures and logs name it (KAFKA_CONSUME,
// VALUE_CONVERTER, TRANSFORMATION, KAFKA_PRODUCE), or by this program's word for it
// (read, decode, place, write).
func ParseStage(text string) (Stage, error) {
	for stage, word := range stageWords {
		if strings.EqualFold(text, string(stage)) || strings.EqualFold(text, word) {
			return stage, nil
		}
	}
	return "", fmt.Errorf("%q is none of %s, %s, %s, %s", text, StageRead, StageDecode, StagePlace, StageWrite)
}

// typeOf names the error that carries the data: the first in the chain that is
// more than text around another error. Who filters dead letters by it relies on the name,
// so an error may keep one that is not that of its Go type (method Class).
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

// Reason is what a dead letter says of itself.
type Reason struct {
	// Position is where the message lay.
	Position
	// Connector names the stage that gave the message up, Stage the step; Class and
	// Exception are the kind of the error and Message its text.
	Connector, Class, Exception, Message string
	Stage                                Stage
	// Elsewhere is there if the dead letter does not hold the message's value, which is
	// to be found at Position.
	Elsewhere *Elsewhere
}

// Elsewhere says what a dead letter does not hold.
type Elsewhere struct {
	// Length is the value's, in bytes, SHA256 its checksum in hexadecimal, Begin its
	// first bytes.
	Length int64
	SHA256 string
	Begin  []byte
	// All says that the key and the headers are not there either.
	All bool
}

// ErrAnother says that a message is not the one that a dead letter is about.
var ErrAnother = errors.New("another message lies there now")

// Check returns ErrAnother if a message is not the one whose value is elsewhere.
func (e *Elsewhere) Check(m *Message) error {
	if int64(len(m.Value)) != e.Length {
		return fmt.Errorf("%s: %w (of %d bytes, not %d)", m.Where(), ErrAnother, len(m.Value), e.Length)
	}
	if sum := sha256.Sum256(m.Value); hex.EncodeToString(sum[:]) != e.SHA256 {
		return fmt.Errorf("%s: %w (with another checksum)", m.Where(), ErrAnother)
	}
	return nil
}

// headersPerLetter is how many headers DeadLetter.Message adds, headersElsewhere how many
// more if something is left out.
const headersPerLetter, headersElsewhere = 8, 4

// ReadDeadLetter takes a dead letter apart into the message as it was and the
// newest reason why it was given up; what Reason.Elsewhere says is missing. A message
// that says nothing of where it came from is not ok.
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

// elsewhere reads what a dead letter does not hold; nil if it is whole. Its last headers
// say so: others may be of the message itself.
func elsewhere(m *Message) *Elsewhere {
	last := m.Headers[max(0, len(m.Headers)-headersElsewhere):]
	if len(last) < headersElsewhere || last[0].Key != headerElsewhere || last[3].Key != headerBegin {
		return nil
	}
	length, err := strconv.ParseInt(string(last[1].Value), 10, 64)
	if err != nil {
		return nil
	}
	return &Elsewhere{Length: length, SHA256: string(last[2].Value), Begin: last[3].Value, All: string(last[0].Value) != "value"}
}
