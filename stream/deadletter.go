package stream

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// DeadLetter keeps messages that cannot be read or placed. A dead letter is the
// message itself, its key, value, timestamp and headers untouched, with headers
// that say where it came from and what was wrong. Headers that are already there
// stay: a message that becomes a dead letter twice carries both sets, the newest
// last.
type DeadLetter struct {
	// Sink writes to the dead-letter topic.
	Sink Sink
	// Name names this stage in the header connector.name. Default "unfold".
	Name string
}

// Message composes the dead letter of m.
func (d *DeadLetter) Message(m Message, stage Stage, reason error) Message {
	name := d.Name
	if name == "" {
		name = "unfold"
	}
	add := func(key, value string) {
		m.Headers = append(m.Headers, Header{Key: key, Value: []byte(value)})
	}
	m.Headers = append(make([]Header, 0, len(m.Headers)+headersPerLetter), m.Headers...)
	add(headerErrorTopic, m.Topic)
	add(headerErrorPartition, strconv.Itoa(m.Partition))
	add(headerErrorOffset, strconv.FormatInt(m.Offset, 10))
	add(headerErrorConnector, name)
	add(headerErrorStage, string(stage))
	add(headerErrorClass, "unfold/"+stageWords[stage])
	add(headerErrorException, typeOf(reason))
	add(headerErrorMessage, reason.Error())
	return m
}

// stageWords are what the steps are called in this program.
var stageWords = map[Stage]string{StageRead: "read", StageDecode: "decode", StagePlace: "place"}

// ParseStage reads a step as dead letters, figures and logs name it (KAFKA_CONSUME,
// VALUE_CONVERTER, TRANSFORMATION), or by this program's word for it (read, decode,
// place).
func ParseStage(text string) (Stage, error) {
	for stage, word := range stageWords {
		if strings.EqualFold(text, string(stage)) || strings.EqualFold(text, word) {
			return stage, nil
		}
	}
	return "", fmt.Errorf("%q is none of %s, %s, %s", text, StageRead, StageDecode, StagePlace)
}

// typeOf names the error that carries the data: the first in the chain that is
// more than text around another error.
func typeOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		name := fmt.Sprintf("%T", err)
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
}

// headersPerLetter is how many headers DeadLetter.Message adds.
const headersPerLetter = 8

// ReadDeadLetter takes a dead letter apart into the message as it was and the
// newest reason why it was given up. A message that says nothing of where it came
// from is not ok.
func ReadDeadLetter(m Message) (original Message, why Reason, ok bool) {
	text := func(key string) string {
		v, _ := m.Header(key)
		return string(v)
	}
	partition, err1 := strconv.Atoi(text(headerErrorPartition))
	offset, err2 := strconv.ParseInt(text(headerErrorOffset), 10, 64)
	why = Reason{
		Position:  Position{TopicPartition{text(headerErrorTopic), partition}, offset},
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
	if last >= headersPerLetter && m.Headers[last-headersPerLetter].Key == headerErrorTopic {
		last -= headersPerLetter
	}
	original.Headers = append(original.Headers, m.Headers[:last]...)
	return original, why, true
}
