package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

const lookOften = 20 * time.Millisecond

// numbersFrom returns messages of the numbers from..to.
func numbersFrom(from, to int) (out []stream.Message) {
	for n := from; n < to; n++ {
		out = append(out, stream.Message{Value: fmt.Append(nil, n)})
	}
	return out
}

// count counts the requests of a kind.
func count(f *kfake.Cluster, key kmsg.Key) *atomic.Int64 {
	var n atomic.Int64
	f.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		n.Add(1)
		return nil, nil, false
	})
	return &n
}

// placedNumbers returns the numbers of the outputs of a topic.
func placedNumbers(t *testing.T, c *cluster, topic string) map[int]int {
	t.Helper()
	out := map[int]int{}
	for _, m := range c.Read(t, topic) {
		text, _, _ := strings.Cut(string(m.Value), "@")
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		out[n]++
	}
	return out
}

// A topic is deleted under a running stage and created again, at once or later, with fewer or more
// messages. Everything in the new topic is read. Meanwhile the stage reports why it reads nothing,
// and joins its group at most once per change of the topic.
func TestTopicCreatedAgain(t *testing.T) {
	t.Parallel()
	const before = 20
	for _, exactly := range []bool{false, true} {
		for _, after := range []int{before / 2, before * 3} {
			for _, away := range []bool{false, true} {
				t.Run(fmt.Sprintf("exactly once %v, %d then %d, away %v", exactly, before, after, away), func(t *testing.T) {
					t.Parallel()
					c, f := newFakeCluster(t, kfake.AllowAutoTopicCreation())
					out := topicFor(t, c, 1, nil)
					in := "in"
					c.createTopic(t, in, 2, nil)
					joins := count(f, kmsg.JoinGroup)
					set := c.quick(in, "g")
					set.Alone, set.LookEvery, set.Start = true, lookOften, kafka.Latest
					if exactly {
						set.Transactions = &kafka.Transactions{Outputs: out}
					}
					var looks, assigned, empty, again atomic.Int64
					set.CreatedAgain = func(topic string) {
						if again.Add(1); topic != in {
							t.Errorf("topic %q was created again", topic)
						}
					}
					set.Retrying = func(what string, attempt int, err error, _ time.Duration) {
						if what == "topic" && errors.Is(err, stream.ErrUnknownTopic) && strings.Contains(err.Error(), in) {
							looks.Add(1)
						}
					}
					life := streamtest.Go(t, func(ctx context.Context) error {
						return c.deliver(ctx, set, out, "", &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{},
							Settings: stream.Settings{CommitEvery: time.Millisecond},
							Hooks: stream.Hooks{Assigned: func(tps []stream.TopicPartition) {
								if assigned.Add(1); len(tps) == 0 {
									empty.Add(1)
								}
							}}})
					})
					life.Await("it has a share", func() bool { return assigned.Load() == 1 })
					c.Produce(t, in, 0, numbersFrom(0, before)...)
					life.Await("all is committed", func() bool { return c.done(t, "g", in) == before })
					if err := f.DeleteTopic(in); err != nil {
						t.Fatal(err)
					}
					if away {
						life.Await("it says that the topic is gone", func() bool { return looks.Load() > 10 && empty.Load() > 0 })
						if n := joins.Load(); n > 3 {
							t.Errorf("it has joined its group %d times", n)
						}
						if f.TopicInfo(in) != nil {
							t.Error("the stage has created the topic")
						}
					}
					// With as many partitions as before, only the topic's id differs.
					if err := f.CreateTopic(in, 2, nil); err != nil {
						t.Fatal(err)
					}
					begun := time.Now()
					c.client.PurgeTopicsFromClient(in)
					c.Produce(t, in, 0, numbersFrom(1000, 1000+after)...)
					c.Produce(t, in, 1, numbersFrom(2000, 2000+after)...)
					life.Await("all of the new topic is read", func() bool {
						got := placedNumbers(t, c, out)
						for n := range after {
							if got[1000+n] == 0 || got[2000+n] == 0 {
								return false
							}
						}
						return true
					})
					if d := time.Since(begun); d > 10*time.Second+slack {
						t.Errorf("that took %v", d)
					}
					life.Await("its end is committed", func() bool { return c.done(t, "g", in) == int64(2*after) })
					if err := life.Stop(); err != nil {
						t.Fatal(err)
					}
					if n := again.Load(); n != 1 {
						t.Errorf("it says %d times that the topic was created again", n)
					}
					got := placedNumbers(t, c, out)
					for n := range before {
						if got[n] != 1 {
							t.Errorf("%d of the old topic comes %d times", n, got[n])
						}
					}
				})
			}
		}
	}
}

// Partitions are read that are added after the group's leader has counted them, and before it has
// them.
func TestPartitionsAddedWhileJoining(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		c, f := newFakeCluster(t)
		topic := topicFor(t, c, 2, nil)
		var once atomic.Bool
		f.ControlKey(int16(kmsg.SyncGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if once.CompareAndSwap(false, true) {
				f.SleepControl(func() {
					if err := addPartitions(t.Context(), c, topic, 5); err != nil {
						t.Error(err)
					}
				})
			}
			return nil, nil, false
		})
		set := c.quick(topic, "g")
		set.Alone, set.LookEvery = alone, time.Hour
		_, g := open(t, set)
		if n := len(g.Assigned()); n != 5 {
			t.Errorf("alone %v: %d of 5 partitions are read", alone, n)
		}
	}
}

func addPartitions(ctx context.Context, c *cluster, topic string, n int32) error {
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = topic, n
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.Topics[0].ErrorCode)
}

// A broker that does not know a topic at one check, as after its start, causes no rebalance.
func TestOneLookIsNoChange(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t)
	topic := topicFor(t, c, 1, nil)
	set := c.quick(topic, "g")
	set.LookEvery = lookOften
	_, g := open(t, set)
	var looks atomic.Int64
	f.ControlKey(int16(kmsg.Metadata), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		req := kreq.(*kmsg.MetadataRequest)
		if req.Version != 10 || len(req.Topics) != 1 || looks.Add(1)%2 == 0 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		rt := kmsg.NewMetadataResponseTopic()
		rt.Topic, rt.ErrorCode = kmsg.StringPtr(topic), kerr.UnknownTopicOrPartition.Code
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	over := func() bool {
		select {
		case <-g.Revoked():
			return true
		default:
			return false
		}
	}
	streamtest.Await(t, "many looks", func() bool { return looks.Load() > 10 || over() })
	if over() {
		t.Error("the generation has ended")
	}
}

// No request of a stage or of lint makes a broker create a topic.
func TestCreatesNoTopic(t *testing.T) {
	t.Parallel()
	c, f := newFakeCluster(t, kfake.AllowAutoTopicCreation())
	if err := kafka.Check(t.Context(), c.cluster(), "absent"); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("%v", err)
	}
	if _, err := kafka.NewSource(t.Context(), c.quick("absent", "g")); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("%v", err)
	}
	if _, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: c.cluster(), Topic: "absent"}); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("%v", err)
	}
	if f.TopicInfo("absent") != nil {
		t.Error("the topic was created")
	}
}

// testCreatedAgain deletes and creates a topic at different moments under a running stage. Each new
// topic is read completely within 10 s.
func testCreatedAgain(t *testing.T, c *cluster) {
	const rounds, each = 8, 200
	out := topicFor(t, c, 1, nil)
	in := out + "-in"
	set := c.quick(in, in)
	set.Alone = true
	c.createTopic(t, in, 2, nil)
	life := streamtest.Go(t, func(ctx context.Context) error {
		return c.deliver(ctx, set, out, "", &stream.Pipeline{Decoder: streamtest.Numbers{}, Learner: &streamtest.Learner{}})
	})
	for round := range rounds {
		n := each / (1 + round%3) // fewer and more than before
		begun := time.Now()
		c.Produce(t, in, 0, numbersFrom(1000*round, 1000*round+n)...)
		life.Await("all of the topic is read", func() bool {
			got := placedNumbers(t, c, out)
			for k := range n {
				if got[1000*round+k] == 0 {
					return false
				}
			}
			return true
		})
		d := time.Since(begun)
		t.Logf("round %d: %d messages are read after %v", round, n, d.Round(time.Millisecond))
		if d > 10*time.Second+slack {
			t.Errorf("round %d: that took %v", round, d)
		}
		c.Delete(t, in)
		time.Sleep(time.Duration(round) * 450 * time.Millisecond) // another moment each time
		c.createTopic(t, in, 2, nil)
	}
	if err := life.Stop(); err != nil {
		t.Fatal(err)
	}
}
