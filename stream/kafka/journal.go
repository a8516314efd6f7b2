package kafka

import (
	"fmt"
	"time"

	"unfold/stream"
)

// Journal keeps, outside of the cluster, what a group has committed: brokers drop the offsets of
// a group that was away for long (offsets.retention.minutes), and anybody may delete them.
// Without it such a group starts from the beginning, and delivers everything twice with no report.
type Journal interface {
	// Known returns what was noted last, by this process or one before; the zero value if
	// nothing was.
	Known() Noted
	// Note is called after each commit, by several goroutines. It must be quick.
	Note(topic [16]byte, positions []stream.Position)
}

// Noted is what a group had committed in a topic.
type Noted struct {
	// Topic is the topic's id, zero where brokers have none.
	Topic [16]byte
	// Offsets are by partition, as of At.
	Offsets map[int]int64
	At      time.Time
}

// OnLost says what happens when the group has no offset of a partition for which the journal has
// one.
type OnLost int

const (
	// Resume goes on with the journal's.
	Resume OnLost = iota
	// FailLost ends reading with a *LostOffsetError.
	FailLost
	// Restart begins where Start says.
	Restart
)

// LostOffsetError says that the group has lost its offset of a partition.
type LostOffsetError struct {
	Group string
	// Position was committed at At.
	stream.Position
	At time.Time
}

func (e *LostOffsetError) Error() string {
	return fmt.Sprintf("topic %s, partition %d: group %s has no offset, and had committed %d at %s: brokers drop offsets of a group that is away "+
		"(offsets.retention.minutes); set the group's offsets to where reading shall go on (kafka-consumer-groups --reset-offsets) and start again",
		e.Topic, e.Partition, e.Group, e.Offset, e.At.UTC().Format(time.RFC3339))
}

// lost returns where reading goes on in a partition that the group has no offset for, as the
// journal knows; ok is false if it does not, or what it knows is of another topic.
func (g *generation) lost(tp stream.TopicPartition) (offset int64, ok bool, err error) {
	set := &g.source.settings
	if set.Journal == nil || set.OnLost == Restart {
		return 0, false, nil
	}
	noted := set.Journal.Known()
	if offset, ok = noted.Offsets[tp.Partition]; !ok || noted.Topic != g.topic.id || noted.Topic == [16]byte{} {
		return 0, false, nil
	}
	e := &LostOffsetError{set.Group, stream.Position{TopicPartition: tp, Offset: offset}, noted.At}
	if set.OnLost == FailLost {
		return 0, false, e
	}
	if set.Resumed != nil {
		set.Resumed(e.Position, e.At)
	}
	return offset, true, nil
}

// note notes what was committed.
func (g *generation) note(positions ...stream.Position) {
	if j := g.source.settings.Journal; j != nil {
		j.Note(g.topic.id, positions)
	}
}
