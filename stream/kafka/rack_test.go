package kafka_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// TestRack: a reader with a rack reads from the replica that the leader names, and from the leader
// again when the replica fails. Nothing is lost. A reader without a rack stays with the leader.
func TestRack(t *testing.T) {
	for _, rack := range []string{"r2", ""} {
		t.Run("rack "+rack, func(t *testing.T) {
			f, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(1, "events"), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(f.Close)
			far := f.LeaderFor("events", 0)
			near := 1 - far
			f.SetFollowers("events", 0, []int32{near})
			var named, nearby, leading atomic.Int64
			f.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				fetch := r.(*kmsg.FetchRequest)
				if f.CurrentNode() == near {
					nearby.Add(1)
					return nil, nil, false
				}
				leading.Add(1)
				if fetch.Rack != "r2" {
					return nil, nil, false
				}
				named.Add(1)
				resp := fetch.ResponseKind().(*kmsg.FetchResponse)
				topic, partition := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
				topic.Topic, partition.HighWatermark, partition.PreferredReadReplica = "events", 0, near
				topic.Partitions = append(topic.Partitions, partition)
				resp.Topics = append(resp.Topics, topic)
				return resp, nil, true
			})
			s, err := kafka.NewSource(t.Context(), kafka.SourceSettings{Cluster: kafka.Cluster{Brokers: f.ListenAddrs(), Rack: rack}, Topic: "events", Group: "g"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			gen, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c := kafkatest.NewClient(t, f.ListenAddrs())
			next := int64(0)
			read := func(to int64) {
				t.Helper()
				for i := next; i < to; i++ {
					c.Produce(t, "events", 0, stream.Message{Value: fmt.Append(nil, i)})
				}
				for next < to {
					run, err := gen.Fetch(t.Context(), stream.TopicPartition{Topic: "events"}, nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, m := range run.Messages {
						if m.Offset != next || string(m.Value) != fmt.Sprint(next) {
							t.Fatalf("offset %d holds %q, want %d", m.Offset, m.Value, next)
						}
						next++
					}
				}
			}
			read(10)
			if rack == "" {
				if nearby.Load() != 0 || named.Load() != 0 {
					t.Errorf("%d requests to the follower", nearby.Load())
				}
				return
			}
			if named.Load() != 1 || nearby.Load() == 0 || leading.Load() != 1 {
				t.Errorf("%d requests to the leader, %d to the follower", leading.Load(), nearby.Load())
			}
			f.SetFollowers("events", 0, nil)
			read(20)
			if leading.Load() < 2 || named.Load() != 1 {
				t.Errorf("after the follower's failure: %d requests to the leader, which named another %d times", leading.Load(), named.Load()-1)
			}
		})
	}
}

// TestClientID: brokers know members by the client id in the settings.
func TestClientID(t *testing.T) {
	f, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	cluster := kafka.Cluster{Brokers: f.ListenAddrs(), ClientID: "maps-eu"}
	s, err := kafka.NewSource(t.Context(), kafka.SourceSettings{Cluster: cluster, Topic: "events", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "the member has its name", func() bool {
		members, err := kafka.Members(t.Context(), cluster, "g")
		return err == nil && len(members) == 1 && members[0].Client == "maps-eu"
	})
}

// TestMetadataOfOwnTopics: a stage asks for its own topics only. The list of all topics of a large
// cluster would take megabytes, every few seconds.
func TestMetadataOfOwnTopics(t *testing.T) {
	f, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events", "places", "others"), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	var asked, all atomic.Int64
	f.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		names := map[string]bool{"events": true, "places": true}
		if asked.Add(1); r.(*kmsg.MetadataRequest).Topics == nil {
			all.Add(1)
		}
		for _, topic := range r.(*kmsg.MetadataRequest).Topics {
			if topic.Topic != nil && !names[*topic.Topic] {
				all.Add(1)
			}
		}
		return nil, nil, false
	})
	cluster := kafka.Cluster{Brokers: f.ListenAddrs()}
	s, err := kafka.NewSource(t.Context(), kafka.SourceSettings{Cluster: cluster, Topic: "events", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: cluster, Topic: "places"})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if err := sink.Write(t.Context(), []stream.Message{{Value: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	if asked.Load() == 0 || all.Load() > 0 {
		t.Errorf("%d of %d requests ask for other topics", all.Load(), asked.Load())
	}
}
