package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stableOffsets returns the group's committed offsets. It waits until no open transaction would
// change them (KIP-447). A partition without an offset has -1.
//
// There is no timeout. Aborting a transaction that seems to hang would be wrong: its outputs may be
// committed (see hanging.go) and would be written twice.
func (g *generation) stableOffsets(ctx context.Context, partitions []int) (map[int]int64, error) {
	var r *positions
	err := g.source.retry("committed offsets").until(ctx, func() (err error) {
		if r, err = g.askOffsets(ctx, partitions); err == nil && r.unstable {
			err = kafka.UnstableOffsetCommit
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("kafka: asking for the offsets of group %s: %w", g.source.settings.Group, err)
	}
	out := make(map[int]int64, len(partitions))
	for _, p := range partitions {
		out[p] = -1
		if offset, ok := r.offsets[p]; ok {
			out[p] = offset
		}
	}
	return out, nil
}

// positions are committed offsets. unstable is true if some are part of an open transaction.
type positions struct {
	offsets  map[int]int64
	unstable bool
}

// stableFetch is the first version of OffsetFetch that supports stable offsets; kafka-go supports up
// to version 5.
const stableFetch = 7

// askOffsets requests the offsets once.
func (g *generation) askOffsets(ctx context.Context, partitions []int) (*positions, error) {
	topic := kmsg.OffsetFetchRequestTopic{Topic: g.source.settings.Topic}
	for _, p := range partitions {
		topic.Partitions = append(topic.Partitions, int32(p))
	}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Version, req.Group, req.RequireStable, req.Topics = stableFetch, g.source.settings.Group, true, []kmsg.OffsetFetchRequestTopic{topic}
	link := g.source.link
	r, err := ask[*kmsg.OffsetFetchResponse](ctx, link, toGroup{link.newer(req, protocol.OffsetFetch, 0), req.Group})
	if err != nil {
		return nil, err
	}
	return positionsIn(r)
}

// positionsIn returns the offsets in an answer.
func positionsIn(r *kmsg.OffsetFetchResponse) (*positions, error) {
	all, codes := &positions{offsets: map[int]int64{}}, []int16{r.ErrorCode}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			all.offsets[int(p.Partition)] = p.Offset
			codes = append(codes, p.ErrorCode)
		}
	}
	for _, code := range codes {
		switch err := coded(code); {
		case err == nil, errors.Is(err, kafka.GroupIdNotFound): // a group without commits
		case errors.Is(err, kafka.UnstableOffsetCommit):
			all.unstable = true
		default:
			return all, err
		}
	}
	return all, nil
}
