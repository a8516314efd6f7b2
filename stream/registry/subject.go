package registry

// Strategy derives the subject of the schemas of a topic's values.
type Strategy string

// These are the strategies; Confluent's serializers call them TopicNameStrategy and so on.
const (
	TopicName       Strategy = "topic"        // TOPIC-value; "" as well
	RecordName      Strategy = "record"       // the record's full name
	TopicRecordName Strategy = "topic-record" // TOPIC-RECORD
)

// Subject returns the subject for the values of a topic. Record is the full name of the
// schema's record or message.
func (s Strategy) Subject(topic, record string) string {
	switch s {
	case RecordName:
		return record
	case TopicRecordName:
		return topic + "-" + record
	}
	return topic + "-value"
}
