package kafka

import (
	"fmt"
	"time"

	"unfold/stream"
)

// Journal stores the offsets that a group has committed outside the cluster. Brokers drop the
// offsets of inactive groups (offsets.retention.minutes), and anyone may delete them. Without a
// journal such a group would silently start from the beginning and deliver everything twice.
type Journal interface {
	// Known returns the last stored offsets, of this process or an earlier one, or the zero value.
	Known() Noted
	// Note is called after each commit by several goroutines. It must return quickly.
	Note(topic [16]byte, positions []stream.Position)
}

// Noted are the offsets that a group had committed for a topic.
type Noted struct {
	// Topic is the topic's id, zero if brokers have none.
	Topic [16]byte
	// Offsets are by partition, at the time At.
	Offsets map[int]int64
	At      time.Time
}

// OnLost selects the behaviour if the group has no offset of a partition but the journal has one.
type OnLost int

const (
	// Resume continues at the journal's offset.
	Resume OnLost = iota
	// FailLost ends reading with a *LostOffsetError.
	FailLost
	// Restart begins at Start.
	Restart
)

// LostOffsetError is the error of a group that has lost its offset of a partition.
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

// lost returns the journal's offset of a partition for which the group has none. ok is false if the
// journal has none, or one of another topic.
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

// note records committed positions in the journal.
func (g *generation) note(positions ...stream.Position) {
	if j := g.source.settings.Journal; j != nil {
		j.Note(g.topic.id, positions)
	}
}
