// Package offsets has the types of message positions: topic, partition and offset. Sources,
// snapshots and errors of ingest share them.
package offsets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// TopicPartition names one ordered log.
type TopicPartition struct {
	Topic     string
	Partition int
}

func (tp TopicPartition) String() string { return fmt.Sprintf("%s/%d", tp.Topic, tp.Partition) }

// Position is an offset in a partition. For a message it is the message's own offset. For consumed,
// committed or learnt messages it is the offset of the next one: all messages before Offset are
// done.
type Position struct {
	TopicPartition
	Offset int64
}

// At is the position of an offset.
func At(topic string, partition int, offset int64) Position {
	return Position{TopicPartition{topic, partition}, offset}
}

// String names the position in errors.
func (p Position) String() string {
	return fmt.Sprintf("topic %s, partition %d, offset %d", p.Topic, p.Partition, p.Offset)
}

// Sorted returns the offsets of the partitions, sorted by topic and partition.
func Sorted(of map[TopicPartition]int64) []Position {
	out := make([]Position, 0, len(of))
	for tp, offset := range of {
		out = append(out, Position{tp, offset})
	}
	slices.SortFunc(out, func(a, b Position) int {
		return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out
}
