//go:build linux

package chaos

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/procfs"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/chaos/results"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/learn"
)

// inflating is a load of a few messages that are small on the wire and large in memory. short and
// long are the numbers of messages in the two extents.
type inflating struct {
	name        string
	short, long int
	partitions  int
	bytes       int
	// events selects readable messages: rows of inflatedDim values.
	events bool
	// zeros selects unreadable messages of zeros; otherwise they repeat words.
	zeros bool
}

var inflatings = []inflating{
	{name: "junk of 60 MB", short: 3, long: 20, partitions: 1, bytes: 60_000_000},
	{name: "junk of 100 MB in four partitions", short: 6, long: 200, partitions: 4, bytes: 100_000_000},
	{name: "events of 30 MB", short: 6, long: 60, partitions: 4, bytes: 30_000_000, events: true},
	{name: "120 MB of zeros in one record", short: 1, long: 5, partitions: 1, bytes: 120_000_000, zeros: true},
}

const (
	inflatedDim  = 256
	queueLimit   = 64 << 20
	messageLimit = 256 << 20
	spareMemory  = 200_000_000
	pagePoints   = 20_000
	// Memory of the page: 400 bytes per point including those of the map, its vectors and changes,
	// encoding buffers for that many points, and other responses.
	pageMemory     = 400*(pagePoints+referencePoint*11/10) + (160+64+16)<<20
	referencePoint = 800
)

// TestInflating sends messages that are small on the wire and large in memory. All of them become
// places or dead letters, and the stage stays within the documented memory. It runs many with
// UNFOLD_CHAOS=full, half a minute with UNFOLD_CHAOS=short, and otherwise only the last load.
func TestInflating(t *testing.T) {
	loads := inflatings
	if os.Getenv("UNFOLD_CHAOS") == "" {
		loads = loads[len(loads)-1:]
	}
	for _, load := range loads {
		t.Run(load.name, func(t *testing.T) {
			n := load.short
			if os.Getenv("UNFOLD_CHAOS") == "full" {
				n = load.long
			}
			r := load.run(t, n)
			t.Logf("%d messages in %.1f s: at most %.0f MB, the bound is %.0f MB", r.Inputs, r.Seconds, float64(r.Peak)/1e6, float64(r.Bound)/1e6)
			for _, c := range r.Complaints {
				t.Error(c)
			}
			keep(t, "inflating", load.name, r)
		})
	}
}

// run sends one load to one stage.
func (load inflating) run(t *testing.T, n int) results.Inflating {
	begun := time.Now()
	b := kafkatest.StartEmbedded(t, "")
	c := b.Client(t)
	large := map[string]string{"max.message.bytes": "500000000"}
	c.Create(t, "events", load.partitions, 1, large)
	c.Create(t, "places", load.partitions, 1, large)
	c.Create(t, "dead", 1, 1, large)
	in := load.produce(t, b.Addr(), n)
	dir := t.TempDir()
	configuration := filepath.Join(dir, "unfold.yaml")
	if err := os.WriteFile(configuration, fmt.Appendf(nil, `
source: {kafka: {brokers: [%q], topic: events, group: %s}, vector: v, id: %s}
sink: {kafka: {topic: places}}
dead_letter: {topic: dead}
model: {steps: 15, threads: 1}
reference: {min: 400, size: %d}
refresh: {every: 0s}
state: %q
http: 127.0.0.1:0
page: {points: %d}
`, b.Addr(), group, Column, referencePoint, filepath.Join(dir, "state"), pagePoints), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launch(t, configuration)
	peak := int64(0)
	for end := time.Now().Add(soon + time.Duration(n)*3*time.Second); ; time.Sleep(50 * time.Millisecond) {
		if !p.alive() || time.Now().After(end) {
			t.Fatalf("it ended, or is not done with its messages yet; at most %d MB:\n%s", peak>>20, p.log)
		}
		peak = max(peak, highWater(t, p.cmd.Process.Pid))
		done := int64(0)
		for _, offset := range c.Committed(t, group, "events") {
			done += offset
		}
		if done == int64(n) {
			break
		}
	}
	peak = max(peak, highWater(t, p.cmd.Process.Pid))
	p.stop(t)
	bound := int64(queueLimit + messageLimit + pageMemory + spareMemory)
	if load.events {
		learner, err := learn.Settings{Min: 400, Size: referencePoint, RefreshEvery: learn.Never}.Bytes(inflatedDim, 64)
		if err != nil {
			t.Fatal(err)
		}
		bound += learner
	}
	v := Judge(Evidence{In: in, Out: digested(t, b.Addr(), "places", c, false), Letters: digested(t, b.Addr(), "dead", c, true), ID: Column})
	r := results.Inflating{Load: load.name, Broker: b.Name(), Begun: begun, Seconds: time.Since(begun).Seconds(), Bytes: int64(n) * int64(load.bytes),
		Inputs: v.Inputs, Placed: v.Placed, Letters: v.Letters, Lost: v.Lost, Peak: peak, Bound: bound, Complaints: v.Complaints}
	if peak > bound {
		r.Complaints = append(r.Complaints, fmt.Sprintf("%d MB were taken, the bound is %d MB", peak/1e6, bound/1e6))
	}
	if want := v.Placed; load.events && want != n || !load.events && v.Letters != n {
		r.Complaints = append(r.Complaints, fmt.Sprintf("%d placed, %d dead letters of %d messages", v.Placed, v.Letters, n))
	}
	return r
}

// produce writes each message in a batch of its own, and returns inputs for the judge: the ids of
// events, or a digest of anything else.
func (load inflating) produce(t *testing.T, addr string, n int) (in []stream.Message) {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(400<<20),
		kgo.BrokerMaxWriteBytes(500<<20), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := range n {
		var value, known []byte
		switch {
		case load.events:
			value, known = eventsOf(t, load.bytes, i)
		case load.zeros:
			value = make([]byte, load.bytes)
		default:
			value = []byte(strings.Repeat(fmt.Sprintf("message %d is no Arrow stream. ", i), 1+load.bytes/32))
		}
		if known == nil {
			known = digest(value)
		}
		r := &kgo.Record{Topic: "events", Partition: int32(i % load.partitions), Value: value, Timestamp: time.Now().Truncate(time.Millisecond)}
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		in = append(in, stream.Message{TopicPartition: stream.TopicPartition{Topic: "events", Partition: int(r.Partition)}, Offset: r.Offset, Value: known, Time: r.Timestamp.UTC()})
	}
	return in
}

// eventsOf returns a message of about the given size, and one with only the ids of its rows.
func eventsOf(t *testing.T, bytes, n int) (value, ids []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	rows := bytes / (4 * inflatedDim)
	x, names := vec.New[float32](rows, inflatedDim), make([]string, rows)
	for i := range names {
		names[i] = fmt.Sprintf("%d-%d", n, i)
		for j := range 8 { // the rest is 0, and small on the wire
			x.Row(i)[j] = float32(rng.NormFloat64())
		}
	}
	for to, columns := range map[*[]byte][]table.Column{&value: {table.StringColumn(Column, names), table.VectorColumn("v", x)}, &ids: {table.StringColumn(Column, names)}} {
		records, err := table.NewTable(table.Origin{}, columns...)
		if err == nil {
			*to, err = emit.EncodeTable(records)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return value, ids
}

func digest(value []byte) []byte {
	sum := sha256.Sum256(value)
	return sum[:]
}

// digested reads a topic message by message. Large values are replaced by their digests.
func digested(t *testing.T, addr, topic string, c *kafkatest.Client, values bool) (out []stream.Message) {
	t.Helper()
	_, end := c.Bounds(t, topic)
	offsets, left := map[int32]kgo.Offset{}, int64(0)
	for p, n := range end {
		offsets[p] = kgo.NewOffset().At(0)
		left += n
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchMaxBytes(1), kgo.FetchMaxPartitionBytes(1), kgo.BrokerMaxReadBytes(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(errors.Join(err, fmt.Errorf("%d messages of %s are missing", left, topic)))
		}
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			m := stream.Message{TopicPartition: stream.TopicPartition{Topic: topic, Partition: int(r.Partition)}, Offset: r.Offset, Key: r.Key, Value: r.Value, Time: r.Timestamp.UTC()}
			if values {
				m.Value = digest(r.Value)
			}
			for _, h := range r.Headers {
				m.Headers = append(m.Headers, stream.Header{Key: h.Key, Value: h.Value})
			}
			out = append(out, m)
		})
	}
	return out
}

// highWater returns the peak memory of a process in bytes.
func highWater(t *testing.T, pid int) int64 {
	t.Helper()
	peak, err := procfs.Memory(pid, "VmHWM")
	if err != nil {
		t.Fatal(err)
	}
	return peak
}
