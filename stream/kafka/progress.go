package kafka

import (
	"cmp"
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Progress implements stream.Generation.
func (g *generation) Progress(ctx context.Context) ([]stream.Progress, error) {
	ctx, cancel := g.within(ctx)
	defer cancel()
	topic := g.source.settings.Topic
	partitions := make([]int, len(g.assigned))
	for i, a := range g.assigned {
		partitions[i] = a.Partition
	}
	if len(partitions) == 0 {
		return nil, nil
	}
	// The log's end comes last, so that committed offsets do not exceed it.
	r, err := g.source.link.client(connectTimeout).OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: g.source.settings.Group, Topics: map[string][]int{topic: partitions}})
	if err == nil {
		err = r.Error
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of group %s: %w", g.source.settings.Group, lacking(err, "Read"))
	}
	committed := map[int]int64{}
	for _, p := range r.Topics[topic] {
		if p.Error == nil && p.CommittedOffset >= 0 {
			committed[p.Partition] = p.CommittedOffset
		}
	}
	ends, err := g.source.link.ends(ctx, topic, partitions, kafka.ReadUncommitted)
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of topic %s: %w", topic, lacking(err, "Describe"))
	}
	all := make([]stream.Progress, len(g.assigned))
	for i, a := range g.assigned {
		at := a
		at.Offset = cmp.Or(committed[a.Partition], a.Offset)
		all[i] = stream.Progress{Position: at, End: ends[a.Partition]}
	}
	return all, nil
}
