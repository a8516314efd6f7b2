package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

func TestTransactions(t *testing.T) { testTransactions(t, newFake(t)) }

// testTransactions: only committed records are read. Markers between them are skipped, and reading
// continues after both.
func testTransactions(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 1, nil)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	var want []string
	producer := func(id string) *kgo.Client {
		p, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID(topic+id), kgo.ProducerLinger(0), kgo.DefaultProduceTopic(topic))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	a, b := producer("a"), producer("b")
	write := func(p *kgo.Client, keep bool, values ...string) {
		for _, v := range values {
			if err := p.ProduceSync(ctx, kgo.StringRecord(v)).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if keep {
				want = append(want, v)
			}
		}
	}
	begin := func(p *kgo.Client) {
		if err := p.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
	}
	end := func(p *kgo.Client, how kgo.TransactionEndTry) {
		if err := p.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if err := p.EndTransaction(ctx, how); err != nil {
			t.Fatal(err)
		}
	}
	begin(a)
	write(a, true, "a1", "a2")
	end(a, kgo.TryCommit)
	begin(a)
	begin(b)
	write(a, false, "lost 1")
	write(b, true, "b1")
	write(a, false, "lost 2")
	end(a, kgo.TryAbort)
	begin(a)
	write(a, true, "a3")
	write(b, true, "b2")
	end(b, kgo.TryCommit)
	end(a, kgo.TryCommit)
	c.Produce(t, topic, 0, stream.Message{Value: []byte("plain")})
	want = append(want, "plain")
	begin(b)
	write(b, false, "lost 3")
	end(b, kgo.TryAbort)

	_, g := open(t, c.quick(topic, topic))
	tp := stream.TopicPartition{Topic: topic}
	var got []string
	for _, m := range fetchN(t, g, tp, len(want)) {
		got = append(got, string(m.Value))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read %q, want %q", got, want)
	}
	c.Produce(t, topic, 0, stream.Message{Value: []byte("after")})
	if m := fetchN(t, g, tp, 1); len(m) != 1 || string(m[0].Value) != "after" {
		t.Errorf("after the last marker: %v", m)
	}
}

func TestCompaction(t *testing.T) {
	c, f := newFakeCluster(t)
	testCompaction(t, c, f.Compact)
}

// testCompaction: reading skips the gaps that compaction leaves.
func testCompaction(t *testing.T, c *cluster, compact func()) {
	topic := topicFor(t, c, 1, map[string]string{"cleanup.policy": "compact", "segment.ms": "500", "min.cleanable.dirty.ratio": "0.01",
		"min.compaction.lag.ms": "0", "delete.retention.ms": "0"})
	tp := stream.TopicPartition{Topic: topic}
	var batch []stream.Message
	for n := range 300 {
		batch = append(batch, stream.Message{Key: fmt.Appendf(nil, "k%d", n%3), Value: fmt.Append(nil, n)})
	}
	c.Produce(t, topic, 0, batch...)
	last := int64(300)
	write := func() {
		c.Produce(t, topic, 0, stream.Message{Key: []byte("roll"), Value: fmt.Append(nil, last)})
		last++
	}
	first := 0
	for end := time.Now().Add(wait); time.Now().Before(end); {
		time.Sleep(600 * time.Millisecond)
		write()
		compact()
		if first = len(c.Read(t, topic)); first < 100 {
			break
		}
	}
	if first >= 100 {
		t.Fatalf("not compacted: %d messages", first)
	}
	_, g := open(t, c.quick(topic, topic))
	got := fetchUntil(t, g, tp, func(got []stream.Message) bool { return len(got) > 0 && got[len(got)-1].Offset >= last-1 })
	if end := got[len(got)-1].Offset; end != last-1 {
		t.Fatalf("read to offset %d, not to the end (%d)", end, last)
	}
	newest := map[string]string{}
	for i, m := range got {
		if i > 0 && m.Offset <= got[i-1].Offset {
			t.Fatalf("offset %d after %d", m.Offset, got[i-1].Offset)
		}
		newest[string(m.Key)] = string(m.Value)
	}
	for k, v := range map[string]string{"k0": "297", "k1": "298", "k2": "299"} {
		if newest[k] != v {
			t.Errorf("%s is %q, want %s", k, newest[k], v)
		}
	}
	t.Logf("%d of %d offsets left", len(got), last)
}

func TestSizes(t *testing.T) { testSizes(t, newFake(t)) }

// testSizes: batches fit the topic's limit. A message that is too large is an error that says what
// to do.
func testSizes(t *testing.T, c *cluster) {
	topic := topicFor(t, c, 1, map[string]string{"max.message.bytes": "20000"})
	sink, err := c.NewSink(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	var batch []stream.Message
	for n := range 100 {
		batch = append(batch, stream.Message{Key: []byte("k"), Value: append(fmt.Appendf(nil, "%03d", n), make([]byte, 3000)...)})
	}
	if err := sink.Write(ctx, batch); err != nil {
		t.Fatal(err)
	}
	batch[40].Value = make([]byte, 30000)
	batch[40].Offset = 4711
	err = sink.Write(ctx, batch[38:43])
	var we *stream.WriteError
	if !errors.As(err, &we) || len(we.Remaining) == 0 || we.Remaining[len(we.Remaining)-1] != 4 || we.Remaining[0] > 2 {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "max.message.bytes") || !strings.Contains(err.Error(), "4711") {
		t.Errorf("the error does not say what to do: %v", err)
	}
	got := c.Read(t, topic)
	if len(got) < 100 {
		t.Fatalf("%d messages in the topic", len(got))
	}
	for n := range 100 {
		if string(got[n].Value[:3]) != fmt.Sprintf("%03d", n) {
			t.Fatalf("message %d is %s", n, got[n].Value[:3])
		}
	}
}

// writeAll writes messages, and those again that were not acknowledged, as a stage does: the leader of
// a new topic may not know that it is one.
func writeAll(t *testing.T, sink stream.Sink, messages []stream.Message) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		err := sink.Write(t.Context(), messages)
		var we *stream.WriteError
		if !errors.As(err, &we) || time.Now().After(deadline) {
			return err
		}
		again := make([]stream.Message, len(we.Remaining))
		for k, i := range we.Remaining {
			again[k] = messages[i]
		}
		messages = again
	}
}

func TestCodecs(t *testing.T) { testCodecs(t, newFake(t)) }

// testCodecs compares written and read messages with each compression.
func testCodecs(t *testing.T, c *cluster) {
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		topic := topicFor(t, c, 1, nil)
		sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c.cluster(), Topic: topic, Compression: codec})
		if err != nil {
			t.Fatal(err)
		}
		var sent []stream.Message
		for n := range 500 {
			sent = append(sent, stream.Message{Value: bytes.Repeat(fmt.Appendf(nil, "%d ", n), 300)})
		}
		if err := errors.Join(writeAll(t, sink, sent), sink.Close()); err != nil {
			t.Fatalf("%s: %v", codec, err)
		}
		for who, got := range map[string][]stream.Message{
			"the other library": c.Read(t, topic),
			"the source": func() []stream.Message {
				_, g := open(t, c.quick(topic, topic))
				return fetchN(t, g, stream.TopicPartition{Topic: topic}, len(sent))
			}(),
		} {
			if len(got) != len(sent) {
				t.Fatalf("%s: %s reads %d messages", codec, who, len(got))
			}
			for n := range got {
				if !bytes.Equal(got[n].Value, sent[n].Value) {
					t.Fatalf("%s: %s reads another message %d", codec, who, n)
				}
			}
		}
	}
	if _, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c.cluster(), Topic: "x", Compression: "zip"}); err == nil {
		t.Error("an unknown codec is accepted")
	}
}

// testBrokerRestart kills the broker in the middle of a stream and starts it again. Every message
// arrives, and only once with transactions. Now and then a single node of Kafka 4.3.1 keeps an
// offset open after a restart (stableOffsets), so the test with transactions is not run.
func testBrokerRestart(t *testing.T, c *cluster, exactlyOnce bool, b *kafkatest.Real) {
	in, out := topicFor(t, c, 2, nil), topicFor(t, c, 2, nil)
	const n = 20000
	for p := range 2 {
		var batch []stream.Message
		for i := range n / 2 {
			batch = append(batch, stream.Message{Key: fmt.Append(nil, p), Value: fmt.Append(nil, i)})
		}
		c.Produce(t, in, p, batch...)
	}
	set := c.quick(in, in)
	set.SessionTimeout = 6 * time.Second // for the member that the broker still counts
	if exactlyOnce {
		set.Transactions = &kafka.Transactions{Outputs: out}
	}
	var delivered, retries atomic.Int64
	life := streamtest.Go(t, func(ctx context.Context) error {
		return c.deliver(ctx, set, out, "", &stream.Pipeline{
			Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{Every: 3000, Pause: 5 * time.Millisecond},
			Settings: stream.Settings{BatchMessages: 50},
			Hooks: stream.Hooks{
				Delivered: func(_ stream.TopicPartition, messages, _ int, _ time.Duration) { delivered.Add(int64(messages)) },
				Retrying:  func(string, int, error, time.Duration) { retries.Add(1) },
			}})
	})
	life.Await("the first commit", func() bool { return c.done(t, in, in) > 0 })
	before := delivered.Load()
	b.Kill()
	b.Start()
	life.Await("all positions are committed", func() bool { return c.done(t, in, in) == n })
	if err := life.Stop(); err != nil {
		t.Fatal(err)
	}
	count, err := streamtest.Log{In: c.Read(t, in), Out: c.Read(t, out)}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if count.Placed != n || exactlyOnce && count.Duplicates > 0 {
		t.Errorf("%+v", count)
	}
	t.Logf("killed after %d events: %+v, %d retries of the pipeline", before, count, retries.Load())
}

// The size limit of a topic is read from the brokers: the topic's own setting, and the smallest
// request limit of its leaders.
func TestAskSizes(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t, kfake.NumBrokers(3))
	topic := topicFor(t, c, 60, nil) // leaders are drawn: each broker leads some
	requests := map[string]string{"0": "5000", "1": "3000", "2": "4000"}
	own := map[string]string{"max.message.bytes": "700", "compression.type": "zstd", "cleanup.policy": "compact,delete", "message.timestamp.type": "CreateTime",
		"message.timestamp.before.max.ms": "8", "message.timestamp.after.max.ms": "9"}
	var denied int16
	f.ControlKey(int16(kmsg.DescribeConfigs), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		resp := r.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, of := range r.(*kmsg.DescribeConfigsRequest).Resources {
			resource := kmsg.NewDescribeConfigsResponseResource()
			resource.ResourceType, resource.ResourceName = of.ResourceType, of.ResourceName
			settings := own
			if of.ResourceType == kmsg.ConfigResourceTypeBroker {
				settings = map[string]string{"socket.request.max.bytes": requests[of.ResourceName]}
				resource.ErrorCode = denied
			}
			for name, value := range settings {
				config := kmsg.NewDescribeConfigsResponseResourceConfig()
				config.Name, config.Value = name, kmsg.StringPtr(value)
				resource.Configs = append(resource.Configs, config)
			}
			resp.Resources = append(resp.Resources, resource)
		}
		return resp, nil, true
	})
	check := func(what string, want kafka.Sizes) {
		t.Helper()
		if got, err := kafka.AskSizes(t.Context(), c.cluster(), topic); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", what, got, err, want)
		}
	}
	want := kafka.Sizes{Batch: 700, Request: 3000, Compression: "zstd", Compacted: true, Before: 8, After: 9}
	check("all is said", want)
	own["message.timestamp.type"], own["cleanup.policy"] = "LogAppendTime", "delete"
	want.Before, want.After, want.Compacted = 0, 0, false
	check("brokers give the time", want)
	for id, least := range map[string]int{"0": 3000, "1": 4000, "2": 3000} { // one of them answers last
		had := requests[id]
		requests[id], want.Request = "", least
		check("a leader has no limit", want)
		requests[id] = had
	}
	denied, want.Request = int16(kerr.ClusterAuthorizationFailed.Code), 0
	check("brokers do not say", want)
	if _, err := kafka.AskSizes(t.Context(), c.cluster(), "absent"); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("a topic that there is not: %v", err)
	}
}
