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

// CompactedSettings are the settings of a CompactedTopic or a FencedWriter. Brokers and Topic are
// required.
type CompactedSettings struct {
	Cluster
	Topic string
	// Retrying, if not nil, is called before a retry. stream.Hooks.Retrying fits.
	Retrying func(what string, attempt int, err error, pause time.Duration)
}

// retry returns a new counter of attempts.
func (s *CompactedSettings) retry() *retry { return &retry{what: "announcements", hook: s.Retrying} }

// retry is the retry of the settings, for a topic that may have been read.
func (b *CompactedTopic) retry() *retry {
	r := b.settings.retry()
	r.granted = &b.served
	return r
}

// CompactedTopic reads a topic of one partition from its beginning, without a group, because every
// reader needs all its messages. Messages of open and aborted transactions are skipped. It is used
// by one goroutine. It implements fleet.Topic.
type CompactedTopic struct {
	settings CompactedSettings
	link     *link
	tp       stream.TopicPartition
	// cursor reads on. end is the end of the topic when it was opened.
	cursor *cursor
	end    int64
	caught bool
	// served is true once a fetch succeeded. Rights that are missing later have been revoked.
	served atomic.Bool
}

// errPartitions is the error of a topic with a number of partitions other than one.
var errPartitions = errors.New("messages in several partitions have no common order: it needs exactly one")

// OpenCompacted connects to the cluster and finds the beginning and the end of the topic.
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

// openCompacted connects for a topic with one partition and calls begin. If that fails, it closes
// the connections.
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

// find finds the beginning and the end of the topic and moves to its beginning.
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

// Next returns the next messages in order. The first call returns all messages that the topic
// contained when it was opened. Later calls wait for at least one message.
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
			// The offset was compacted or deleted, or the topic was created again. All messages are
			// read again, which is harmless.
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

// Close closes all connections.
func (b *CompactedTopic) Close() error {
	b.link.close()
	return nil
}

// CheckCompacted checks whether a topic is suitable for announcements. detail describes it; whether
// it is compacted may be unknown, because that needs a permission.
func CheckCompacted(ctx context.Context, c Cluster, topic string) (detail string, err error) {
	err = openCompacted(ctx, c, topic, func(ctx context.Context, l *link) (err error) {
		if detail, err = l.compacted(ctx, topic); err == nil {
			l.close()
		}
		return err
	})
	return detail, err
}

// compacted describes whether a topic of one partition is compacted.
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
	// ID is its id at the coordinator. Client and Host are its client id and its host.
	ID, Client, Host string
	// Who is SourceSettings.Who of a member with Alone.
	Who string
}

func (m Member) String() string {
	if m.Who != "" {
		return m.Who
	}
	return fmt.Sprintf("%s at %s", m.Client, strings.TrimPrefix(m.Host, "/"))
}

// Members lists the members of a group that its coordinator knows. A dead member stays until its
// session times out.
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

// group asks the group's coordinator for its members. settled is true if no rebalance is in
// progress.
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
