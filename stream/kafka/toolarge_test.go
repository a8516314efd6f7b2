package kafka_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// noise returns bytes that cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// refused returns the messages of a write that are too large.
func refused(err error) (indices []int) {
	var large *stream.RefusedError
	if errors.As(err, &large) {
		for _, m := range large.Messages {
			indices = append(indices, m.Index)
		}
	}
	return indices
}

// TestTooLarge: a sink writes the messages that fit after compression, and reports the others.
// Either the sink detects them before it writes anything, or the brokers do.
func TestTooLarge(t *testing.T) {
	c, f := newFakeCluster(t)
	batch := []stream.Message{{Value: []byte("small")}, {Value: make([]byte, 5_000_000)}, {Value: noise(2_000_000)}, {Value: []byte("last")}, {Value: noise(1_900_000)}}
	for name, test := range map[string]struct {
		settings    map[string]string
		compression string
		// silent brokers do not report their limits
		silent  bool
		refused string
	}{
		"compressed":                 {nil, "lz4", false, "[2 4]"},
		"compressed, silent":         {nil, "zstd", true, "[2]"}, // one after the other
		"not compressed":             {nil, "none", false, "[1 2 4]"},
		"brokers compress otherwise": {map[string]string{"compression.type": "uncompressed"}, "lz4", false, "[1 2 4]"},
		"all fits":                   {map[string]string{"max.message.bytes": "2100000"}, "gzip", false, "[]"},
	} {
		topic := topicFor(t, c, 1, test.settings)
		silence := func() {}
		if test.silent {
			silence = f.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed, Count: -1}).Remove
		}
		sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c.cluster(), Topic: topic, Compression: test.compression})
		if err != nil {
			t.Fatal(err)
		}
		defer sink.Close()
		err = sink.Write(t.Context(), batch)
		if got := fmt.Sprint(refused(err)); got != test.refused {
			t.Errorf("%s: refused are %s, want %s (%v)", name, got, test.refused, err)
		}
		there := len(c.Read(t, topic))
		if want := map[bool]int{true: 2, false: 0}[test.silent]; err != nil && there != want {
			t.Errorf("%s: %d messages were written, want %d", name, there, want)
		}
		if err := sink.Write(t.Context(), []stream.Message{batch[0], batch[3]}); err != nil {
			t.Errorf("%s: what fits: %v", name, err)
		}
		silence()
	}
}

// A raised limit of a topic is used after a refusal. The rest of the write before that continues.
func TestTooLargeNoMore(t *testing.T) {
	defer kafka.SetAskAgain(100 * time.Millisecond)()
	c := newFake(t)
	topic := topicFor(t, c, 1, map[string]string{"max.message.bytes": "3000000"})
	sink, err := c.NewSink(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	large := []stream.Message{{Value: noise(2_000_000)}}
	c.Limit(t, topic, 1_000_000)
	if err := sink.Write(t.Context(), large); fmt.Sprint(refused(err)) != "[0]" {
		t.Fatalf("the topic takes less, the sink says %v", err)
	}
	c.Limit(t, topic, 3_000_000)
	streamtest.Await(t, "the sink finds out", func() bool { return sink.Write(t.Context(), large) == nil })
}

// testTooLarge sends messages of sizes that once blocked their partitions. Each becomes a place or
// a dead letter, and the messages after it are placed.
func testTooLarge(t *testing.T, c *cluster) {
	for _, exactlyOnce := range []bool{false, true} {
		in := topicFor(t, c, 1, nil)
		out, dlq := topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)
		wide, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.BrokerMaxWriteBytes(200<<20), kgo.ProducerBatchMaxBytes(150<<20), kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.MaxBufferedBytes(200<<20))
		if err != nil {
			t.Fatal(err)
		}
		defer wide.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		var valid []byte
		for i := range 400_000 {
			if i > 0 {
				valid = append(valid, ' ')
			}
			valid = fmt.Append(valid, 1000+rng.IntN(9000))
		}
		c.Produce(t, in, 0, stream.Message{Value: []byte("1")})
		for _, value := range [][]byte{bytes.Repeat([]byte("compressible junk "), 280_000), valid, make([]byte, 120_000_000), append(noise(1_040_000), make([]byte, 4_000_000)...)} {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			err := wide.ProduceSync(ctx, &kgo.Record{Topic: in, Value: value}).FirstErr()
			cancel()
			if err != nil {
				t.Fatal(err)
			}
		}
		c.Produce(t, in, 0, stream.Message{Value: []byte("2")})
		set := c.quick(in, in)
		if exactlyOnce {
			set.Transactions = &kafka.Transactions{Outputs: out, Letters: dlq, Compression: "lz4"}
		}
		running := streamtest.Go(t, func(ctx context.Context) error {
			p := &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{}, Settings: stream.Settings{CommitEvery: 20 * time.Millisecond}}
			return c.deliverCompressed(ctx, set, out, dlq, "lz4", p)
		})
		streamtest.Await(t, "all is committed", func() bool { return c.done(t, in, in) >= 6 || running.Ended() })
		if err := running.Stop(); err != nil {
			t.Fatal(err)
		}
		count, err := streamtest.Log{In: c.Read(t, in), Out: c.Read(t, out), Letters: c.Read(t, dlq)}.Check()
		if err != nil || count != (streamtest.Count{Placed: 3, Letters: 3}) {
			t.Errorf("exactly once %v: %+v, %v", exactlyOnce, count, err)
		}
		parts, elsewhere := 0, 0
		for _, m := range c.Read(t, out) {
			if p, _ := stream.PartOf(&m); p.Of > 1 {
				parts++
			}
		}
		for _, m := range c.Read(t, dlq) {
			if _, why, _ := stream.ReadDeadLetter(m); why.Elsewhere != nil {
				elsewhere++
			}
		}
		if parts < 2 || elsewhere != 1 {
			t.Errorf("exactly once %v: %d parts, %d dead letters without their value", exactlyOnce, parts, elsewhere)
		}
	}
}
