package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// CompactedSettings describe a CompactedTopic or a FencedWriter; Brokers and Topic are needed.
type CompactedSettings struct {
	Cluster
	Topic string
	// Retrying, if set, is called for failures that are waited out. stream.Hooks.Retrying
	// fits.
	Retrying func(what string, attempt int, err error, pause time.Duration)
}

// retry starts the count of attempts at one thing.
func (s *CompactedSettings) retry() *retry { return &retry{what: "announcements", hook: s.Retrying} }

// retry is that of the settings, for a topic that has been read.
func (b *CompactedTopic) retry() *retry {
	r := b.settings.retry()
	r.granted = &b.served
	return r
}

// CompactedTopic reads a topic of one partition from its beginning, without a group: what it
// holds is for all who read it. Messages of open and aborted transactions are left
// out. It is used by one goroutine. It is a fleet.Topic.
type CompactedTopic struct {
	settings CompactedSettings
	link     *link
	tp       stream.TopicPartition
	// cursor reads on, end is where the topic ended when it was opened.
	cursor *cursor
	end    int64
	caught bool
	// served says that a fetch was answered: rights that are missing later were taken away.
	served atomic.Bool
}

// errPartitions says that a topic has not one partition.
var errPartitions = errors.New("its messages would have no common order: it needs exactly one")

// OpenCompacted reaches the cluster and looks where the topic begins and ends.
func OpenCompacted(ctx context.Context, s CompactedSettings) (*CompactedTopic, error) {
	if s.Topic == "" {
		return nil, errors.New("kafka: a reader of announcements needs a topic")
	}
	b := &CompactedTopic{settings: s, tp: stream.TopicPartition{Topic: s.Topic}}
	err := openCompacted(ctx, s.Cluster, s.Topic, func(ctx context.Context, l *link) error {
		b.link = l
		return b.find(ctx)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// openCompacted connects for a topic with one partition, and begins; if that fails the
// connections are closed.
func openCompacted(ctx context.Context, c Cluster, topic string, begin func(ctx context.Context, l *link) error) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	l, err := connect(ctx, c, topic)
	if err != nil {
		return err
	}
	n, err := l.partitions(ctx, topic)
	if err == nil && n != 1 {
		err = fmt.Errorf("kafka: topic %s has %d partitions: %w", topic, n, errPartitions)
	}
	if err == nil {
		err = begin(ctx, l)
	}
	if err != nil {
		l.close()
	}
	return err
}

// find asks where the topic begins and ends, and goes to its beginning.
func (b *CompactedTopic) find(ctx context.Context) error {
	if err := b.retry().until(ctx, func() error { return b.ask(ctx) }); err != nil {
		return fmt.Errorf("kafka: topic %s: %w", b.settings.Topic, err)
	}
	return nil
}

func (b *CompactedTopic) ask(ctx context.Context) error {
	r, err := b.link.client(connectTimeout).ListOffsets(ctx, &kafka.ListOffsetsRequest{IsolationLevel: kafka.ReadCommitted,
		Topics: map[string][]kafka.OffsetRequest{b.tp.Topic: {kafka.FirstOffsetOf(0), kafka.LastOffsetOf(0)}}})
	if err != nil {
		return err
	}
	if len(r.Topics[b.tp.Topic]) == 0 {
		return kafka.UnknownTopicOrPartition
	}
	p := r.Topics[b.tp.Topic][0]
	b.cursor, b.end = newCursor(b.link, b.tp, p.FirstOffset, defaultFetchBytes, defaultFetchWait), p.LastOffset
	return p.Error
}

// Next returns the next messages, in order. The first call returns all that the topic
// held when it was opened, later ones wait for at least one message.
func (b *CompactedTopic) Next(ctx context.Context) ([]stream.Message, error) {
	var out []stream.Message
	retry := b.retry()
	for {
		if !b.caught && b.cursor.next >= b.end {
			b.caught = true
			return out, nil
		}
		run, err := b.cursor.read(ctx, nil)
		if errors.Is(err, kafka.OffsetOutOfRange) {
			// Compaction or deletion was ahead, or the topic was made again: all that
			// it holds now is read again, which does no harm.
			err = b.find(ctx)
		}
		if err != nil {
			if err := retry.again(ctx, err); err != nil {
				return nil, fmt.Errorf("kafka: reading topic %s: %w", b.tp.Topic, lacking(err, "Read"))
			}
			continue
		}
		b.served.Store(true)
		retry = b.retry()
		out = append(out, run.Messages...)
		if b.caught && len(out) > 0 {
			return out, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
}

// Close lets go of all connections.
func (b *CompactedTopic) Close() error {
	b.link.close()
	return nil
}

// CheckCompacted looks whether a topic can hold announcements, and returns what it has to say of
// it if all is well: whether it is compacted is not for every client to know.
func CheckCompacted(ctx context.Context, c Cluster, topic string) (detail string, err error) {
	err = openCompacted(ctx, c, topic, func(ctx context.Context, l *link) (err error) {
		if detail, err = l.compacted(ctx, topic); err == nil {
			l.close()
		}
		return err
	})
	return detail, err
}

// compacted says whether a topic of one partition is compacted.
func (l *link) compacted(ctx context.Context, topic string) (detail string, err error) {
	const setting = cleanupSetting
	r, err := l.client(connectTimeout).DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic, ConfigNames: []string{setting}}}})
	if err != nil {
		return " (whether it is compacted cannot be seen: " + err.Error() + ")", nil
	}
	for _, resource := range r.Resources {
		if resource.Error != nil {
			return " (whether it is compacted cannot be seen: " + resource.Error.Error() + ")", nil
		}
		for _, e := range resource.ConfigEntries {
			if e.ConfigName != setting {
				continue
			}
			if e.ConfigValue != compact {
				return "", fmt.Errorf("kafka: topic %s has %s=%s: announcements would be deleted; set it to compact", topic, setting, e.ConfigValue)
			}
			return ", one partition, compacted", nil
		}
	}
	return ", one partition", nil
}

// Member is a member of a consumer group.
type Member struct {
	// ID is what the coordinator calls it, Client and Host what it says of itself and
	// where it comes from.
	ID, Client, Host string
	// Who is SourceSettings.Who of a member that is alone.
	Who string
}

func (m Member) String() string {
	if m.Who != "" {
		return m.Who
	}
	return fmt.Sprintf("%s at %s", m.Client, strings.TrimPrefix(m.Host, "/"))
}

// Members lists the members of a group as its coordinator knows them: one that died
// stays until its session has timed out.
func Members(ctx context.Context, c Cluster, group string) (members []Member, err error) {
	err = visit(ctx, c, func(ctx context.Context, l *link) error {
		retry := &retry{what: "members"}
		err := retry.until(ctx, func() (err error) {
			members, _, err = l.group(ctx, group)
			return err
		})
		if err != nil {
			return fmt.Errorf("kafka: asking who is in group %s: %w", group, err)
		}
		return nil
	})
	return members, err
}

// group asks the group's coordinator for its members, and whether it is settled: no
// rebalance is under way.
func (l *link) group(ctx context.Context, group string) (members []Member, settled bool, err error) {
	r, err := l.client(connectTimeout).DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})
	if err != nil {
		return nil, false, err
	}
	for _, g := range r.Groups {
		if g.Error != nil && !errors.Is(g.Error, kafka.GroupIdNotFound) {
			return nil, false, g.Error
		}
		settled = g.GroupState == "Stable" || g.GroupState == "Empty" || g.GroupState == "Dead"
		for _, m := range g.Members {
			who, named := strings.CutPrefix(string(m.MemberMetadata.UserData), whoPrefix)
			if !named {
				who = ""
			}
			members = append(members, Member{m.MemberID, m.ClientID, m.ClientHost, who})
		}
	}
	return members, settled, nil
}
