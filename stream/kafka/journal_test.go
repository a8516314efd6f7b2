package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// memory is a journal that survives sources.
type memory struct {
	mu    sync.Mutex
	noted kafka.Noted
}

func (m *memory) Known() kafka.Noted {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.noted
	out.Offsets = maps.Clone(out.Offsets)
	return out
}

func (m *memory) Note(topic [16]byte, positions []stream.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if topic != m.noted.Topic {
		m.noted = kafka.Noted{Topic: topic, Offsets: map[int]int64{}}
	}
	for _, p := range positions {
		m.noted.Offsets[p.Partition] = p.Offset
	}
	m.noted.At = time.Now()
}

// deleteGroup makes a group lose its offsets, as brokers do after offsets.retention.minutes.
func deleteGroup(t *testing.T, c *cluster, group string) {
	t.Helper()
	streamtest.Await(t, "the group can be deleted", func() bool {
		req := kmsg.NewPtrDeleteGroupsRequest()
		req.Groups = []string{group}
		resp, err := req.RequestWith(t.Context(), c.client)
		return err == nil && len(resp.Groups) == 1 && kerr.ErrorForCode(resp.Groups[0].ErrorCode) == nil
	})
}

func TestLostOffsets(t *testing.T) {
	t.Parallel()
	testLostOffsets(t, newFake(t))
}

// testLostOffsets: after a group has lost its offsets, a source with a journal continues, stops, or
// starts again, according to the settings. Entries for another topic of the same name do not count.
func testLostOffsets(t *testing.T, c *cluster) {
	for _, exactly := range []bool{false, true} {
		for _, row := range []struct {
			name string
			set  kafka.OnLost
			// other: the journal is that of another topic.
			other bool
			// none: there is no journal.
			none    bool
			fails   bool
			twice   int
			resumed int
			anew    int
			unknown int
		}{
			{name: "continue", set: kafka.Resume, resumed: 1, unknown: 1},
			{name: "fail", set: kafka.FailLost, fails: true},
			{name: "start", set: kafka.Restart, twice: 20, unknown: 2},
			{name: "no journal", none: true, twice: 20, unknown: 2},
			{name: "another topic", set: kafka.Resume, other: true, twice: 20, anew: 1, unknown: 1},
		} {
			t.Run(fmt.Sprintf("%s, exactly once %v", row.name, exactly), func(t *testing.T) {
				t.Parallel()
				in, out := topicFor(t, c, 1, nil), topicFor(t, c, 1, nil)
				var journal memory
				var resumed []stream.Position
				anew, unknown := 0, 0
				set := c.quick(in, in)
				set.Journal, set.OnLost = &journal, row.set
				set.Resumed = func(at stream.Position, noted time.Time) {
					if resumed = append(resumed, at); noted.IsZero() {
						t.Error("it is not said when it was noted")
					}
				}
				if row.none {
					set.Journal = nil
				}
				set.CreatedAgain = func(string) { anew++ }
				set.NoOffsets = func(at []stream.Position) {
					if unknown++; len(at) != 1 || at[0].Offset != 0 {
						t.Errorf("no offsets of %v", at)
					}
				}
				if exactly {
					set.Transactions = &kafka.Transactions{Outputs: out}
				}
				run := func() *streamtest.Background {
					return streamtest.Go(t, func(ctx context.Context) error {
						return c.deliver(ctx, set, out, "", &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{},
							Settings: stream.Settings{CommitEvery: time.Millisecond}})
					})
				}
				c.Produce(t, in, 0, numbersFrom(0, 20)...)
				life := run()
				life.Await("all is committed", func() bool { return c.done(t, in, in) == 20 })
				if err := life.Stop(); err != nil {
					t.Fatal(err)
				}
				deleteGroup(t, c, in)
				c.Produce(t, in, 0, numbersFrom(20, 30)...)
				if row.other {
					journal.noted.Topic[3]++
				}
				life = run()
				if row.fails {
					streamtest.Await(t, "it ends", life.Ended)
					var lost *kafka.LostOffsetError
					if err := life.Stop(); !errors.As(err, &lost) || lost.Offset != 20 || lost.Group != in {
						t.Errorf("%v", err)
					}
					return
				}
				life.Await("all is committed again", func() bool { return c.done(t, in, in) == 30 })
				if err := life.Stop(); err != nil {
					t.Fatal(err)
				}
				twice := 0
				got := placedNumbers(t, c, out)
				for n := range 30 {
					switch {
					case got[n] == 2:
						twice++
					case got[n] != 1:
						t.Errorf("%d comes %d times", n, got[n])
					}
				}
				if twice != row.twice || len(resumed) != row.resumed || anew != row.anew || unknown != row.unknown {
					t.Errorf("%d of 30 twice, %d resumed, %d anew, %d without offsets; want %+v", twice, len(resumed), anew, unknown, row)
				}
				if row.resumed > 0 && resumed[0] != (stream.Position{TopicPartition: stream.TopicPartition{Topic: in}, Offset: 20}) {
					t.Errorf("resumed at %v", resumed[0])
				}
			})
		}
	}
}

// A group that never committed anything has lost nothing. A journal without the partition, as after
// partitions were added, changes nothing.
func TestJournalWithoutThePartition(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	topic := topicFor(t, c, 2, nil)
	journal := &memory{}
	set := c.quick(topic, "g")
	set.Journal = journal
	source, g := open(t, set)
	if err := errors.Join(g.Commit(t.Context(), []stream.Position{{TopicPartition: stream.TopicPartition{Topic: topic}, Offset: 0}}), g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
	c.Produce(t, topic, 1, numbersFrom(0, 5)...)
	deleteGroup(t, c, "g")
	set.OnLost = kafka.FailLost
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	source, err := kafka.NewSource(ctx, set)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	var lost *kafka.LostOffsetError
	if _, err := source.Next(ctx); !errors.As(err, &lost) || lost.Partition != 0 {
		t.Errorf("%v", err)
	}
}

// An offset from the journal is committed to the group before anything is read, so that the next
// start finds it.
func TestResumedOffsetIsCommitted(t *testing.T) {
	t.Parallel()
	c := newFake(t)
	in := topicFor(t, c, 1, nil)
	tp := stream.TopicPartition{Topic: in}
	c.Produce(t, in, 0, numbersFrom(0, 20)...)
	var journal memory
	set := c.quick(in, in)
	set.Journal = &journal
	source, g := open(t, set)
	if err := errors.Join(g.Commit(t.Context(), []stream.Position{{TopicPartition: tp, Offset: 13}}), g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
	deleteGroup(t, c, in)
	source, g = open(t, set)
	if at := g.Assigned(); len(at) != 1 || at[0].Offset != 13 || c.Committed(t, in, in)[0] != 13 {
		t.Errorf("it begins at %v, committed is %v", at, c.Committed(t, in, in))
	}
	if err := errors.Join(g.Close(), source.Close()); err != nil {
		t.Fatal(err)
	}
}

// In a fleet, a member's journal may be older than the log's beginning, because other members have
// read on. That is no loss, unlike for a stage that has the group alone.
func TestJournalBehindTheLog(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		c := newFake(t)
		in := topicFor(t, c, 1, nil)
		tp := stream.TopicPartition{Topic: in}
		c.Produce(t, in, 0, numbersFrom(0, 20)...)
		var journal memory
		set := c.quick(in, "g")
		set.Journal, set.Alone = &journal, alone
		source, g := open(t, set)
		if err := g.Commit(t.Context(), []stream.Position{{TopicPartition: tp, Offset: 5}}); err != nil {
			t.Fatal(err)
		}
		if err := source.Close(); err != nil {
			t.Fatal(err)
		}
		deleteGroup(t, c, "g")
		c.DeleteBefore(t, in, 0, 10)
		again, err := kafka.NewSource(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		g, err = again.Next(t.Context())
		var gap *stream.OffsetError
		switch {
		case alone && (!errors.As(err, &gap) || gap.Offset != 5 || gap.First != 10):
			t.Errorf("alone: %v", err)
		case !alone && (err != nil || g.Assigned()[0].Offset != 10):
			t.Errorf("of a fleet: %v", err)
		}
	}
}
