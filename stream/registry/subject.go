package registry

import (
	"fmt"
	"slices"
	"strings"
)

// Strategy says under which subject schemas of a topic are registered.
type Strategy string

// The strategies, named as Confluent's serializers name theirs.
const (
	TopicName       Strategy = "TopicName"       // TOPIC-value, TOPIC-key
	RecordName      Strategy = "RecordName"      // the record's full name
	TopicRecordName Strategy = "TopicRecordName" // TOPIC-RECORD
)

// Strategies lists them.
func Strategies() []Strategy { return []Strategy{TopicName, RecordName, TopicRecordName} }

// ParseStrategy reads one; empty is TopicName.
func ParseStrategy(text string) (Strategy, error) {
	if text == "" {
		return TopicName, nil
	}
	if s := Strategy(strings.TrimSuffix(text, "Strategy")); slices.Contains(Strategies(), s) {
		return s, nil
	}
	return "", fmt.Errorf("unknown strategy %q for subjects: write %s, %s or %s", text, TopicName, RecordName, TopicRecordName)
}

// Subject returns the subject for the values of a topic, or its keys. Record is the full
// name of the schema's record or message.
func (s Strategy) Subject(topic, record string, key bool) string {
	switch s {
	case RecordName:
		return record
	case TopicRecordName:
		return topic + "-" + record
	}
	if key {
		return topic + "-key"
	}
	return topic + "-value"
}
