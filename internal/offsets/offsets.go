// Package offsets names where a message lies: topic, partition and offset. Sources,
// snapshots and errors of ingest share its types.
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

// Position is an offset of a partition. Of a message it is its own; of what has been
// read, committed or learnt it is that of the next message: everything before Offset is
// done with.
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

// Sorted lists the offset of each partition by topic and partition.
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
