package kafka_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// strict makes topics of an in-process broker refuse records as Apache Kafka's do: without a key in
// compacted topics, and with an old time if the topic limits it. The answer may name the refused
// records.
type strict struct {
	compacted, recent sync.Map // topics
	says              bool
}

func (s *strict) control(f *kfake.Cluster) {
	f.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		request := r.(*kmsg.ProduceRequest)
		response := request.ResponseKind().(*kmsg.ProduceResponse)
		handled := false
		for _, t := range request.Topics {
			topic := kmsg.NewProduceResponseTopic()
			topic.Topic, topic.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				partition := kmsg.NewProduceResponseTopicPartition()
				partition.Partition = p.Partition
				if code, which := s.judge(t.Topic, p.Records); code != 0 {
					handled = true
					partition.ErrorCode = code
					for _, i := range which {
						e := kmsg.NewProduceResponseTopicPartitionErrorRecord()
						e.RelativeOffset, e.ErrorMessage = i, kmsg.StringPtr("one of those")
						partition.ErrorRecords = append(partition.ErrorRecords, e)
					}
				}
				topic.Partitions = append(topic.Partitions, partition)
			}
			response.Topics = append(response.Topics, topic)
		}
		return response, nil, handled
	})
}

// judge returns the records of an uncompressed batch that a topic refuses, and the reason.
func (s *strict) judge(topic string, records []byte) (code int16, which []int32) {
	_, compacted := s.compacted.Load(topic)
	_, recent := s.recent.Load(topic)
	if !compacted && !recent {
		return 0, nil
	}
	var batch kmsg.RecordBatch
	if err := batch.ReadFrom(records); err != nil {
		return kerr.CorruptMessage.Code, nil
	}
	rest := batch.Records
	for i := range batch.NumRecords {
		var r kmsg.Record
		if err := r.ReadFrom(rest); err != nil {
			return kerr.CorruptMessage.Code, nil
		}
		rest = rest[len(r.AppendTo(nil)):]
		at := batch.FirstTimestamp + r.TimestampDelta64
		switch {
		case compacted && r.Key == nil:
			code, which = kerr.InvalidRecord.Code, append(which, i)
		case recent && time.Since(time.UnixMilli(at)) > time.Hour:
			code, which = kerr.InvalidTimestamp.Code, append(which, i)
		}
	}
	if !s.says {
		which = nil
	}
	return code, which
}

// TestRefused: a record that its topic refuses for reasons other than size does not block its
// partition, whether the broker names the record or not.
func TestRefused(t *testing.T) {
	for _, says := range []bool{true, false} {
		t.Run(fmt.Sprintf("which is said %v", says), func(t *testing.T) {
			c, f := newFakeCluster(t)
			s := &strict{says: says}
			s.control(f)
			testRefused(t, c, func(topic string, settings map[string]string) {
				if settings["cleanup.policy"] != "" {
					s.compacted.Store(topic, true)
				}
				if settings["message.timestamp.before.max.ms"] != "" {
					s.recent.Store(topic, true)
				}
			})
		})
	}
}

// testRefused delivers to topics that refuse some messages; made is given their settings.
func testRefused(t *testing.T, c *cluster, made func(topic string, settings map[string]string)) {
	compacted := map[string]string{"cleanup.policy": "compact"}
	recent := map[string]string{"message.timestamp.before.max.ms": "3600000"}
	past := time.UnixMilli(1_600_000_000_000)
	for _, exactlyOnce := range []bool{false, true} {
		for name, test := range map[string]struct {
			out, dlq map[string]string
			odd      stream.Message // the form of every third message
			// reason is in the dead letters, final in the error that stops the stage.
			reason, final []string
		}{
			"no key":              {compacted, nil, stream.Message{}, []string{"[87]", "has no key", "cleanup.policy"}, nil},
			"an old time":         {recent, nil, stream.Message{Key: []byte("old"), Time: past}, []string{"[32]", "2020-09-13T12:26:40Z", "message.timestamp.before.max.ms"}, nil},
			"dead, no key":        {compacted, compacted, stream.Message{}, nil, []string{"[87]", "partition 0, offset 1", "can never be kept", "cleanup.policy"}},
			"dead, an old time":   {recent, recent, stream.Message{Key: []byte("old"), Time: past}, nil, []string{"[32]", "can never be kept", "message.timestamp.before.max.ms"}},
			"junk, dead, no keys": {nil, compacted, stream.Message{Value: []byte("junk")}, nil, []string{"[87]", "invalid syntax", "can never be kept", "cleanup.policy"}},
		} {
			t.Run(fmt.Sprintf("%s, exactly once %v", name, exactlyOnce), func(t *testing.T) {
				in, out, dlq := topicFor(t, c, 1, nil), topicFor(t, c, 2, test.out), topicFor(t, c, 1, test.dlq)
				made(out, test.out)
				made(dlq, test.dlq)
				const n = 30
				var messages []stream.Message
				for i := range n {
					m := stream.Message{Key: fmt.Append(nil, "key ", i), Value: fmt.Append(nil, i), Time: time.Now()}
					if i%3 == 1 {
						m.Key = test.odd.Key
						if !test.odd.Time.IsZero() {
							m.Time = test.odd.Time
						}
						if test.odd.Value != nil {
							m.Value = test.odd.Value
						}
					}
					messages = append(messages, m)
				}
				c.Produce(t, in, 0, messages...)
				set := c.quick(in, in)
				if exactlyOnce {
					set.Transactions = &kafka.Transactions{Outputs: out, Letters: dlq}
				}
				running := streamtest.Go(t, func(ctx context.Context) error {
					p := &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{}, Settings: stream.Settings{CommitEvery: 20 * time.Millisecond}}
					return c.deliverCompressed(ctx, set, out, dlq, "none", p)
				})
				streamtest.Await(t, "all is committed, or it ended", func() bool { return c.done(t, in, in) >= n || running.Ended() })
				err := running.Stop()
				if test.final != nil {
					for _, part := range test.final {
						if err == nil || !strings.Contains(err.Error(), part) {
							t.Fatalf("it ends with %v, which does not say %q", err, part)
						}
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				count, err := streamtest.Log{In: c.Read(t, in), Out: c.Read(t, out), Letters: c.Read(t, dlq)}.Check()
				if err != nil || count != (streamtest.Count{Placed: n - n/3, Letters: n / 3}) {
					t.Errorf("%+v, %v", count, err)
				}
				for _, m := range c.Read(t, dlq) {
					_, why, ok := stream.ReadDeadLetter(m)
					if !ok || why.Offset%3 != 1 || why.Stage != stream.StageWrite || why.Elsewhere != nil {
						t.Errorf("a dead letter says %+v", why)
					}
					for _, part := range test.reason {
						if !strings.Contains(why.Message, part) {
							t.Errorf("a dead letter says %q, not %q", why.Message, part)
						}
					}
				}
			})
		}
	}
}
