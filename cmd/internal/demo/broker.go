package demo

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Places is the topic of the output.
const Places = "places"

// partitions of every topic.
const partitions = 2

// retention is the broker's retention time in ms. It applies once the broker deletes old messages.
const retention = "120000"

// Broker is a Kafka broker inside this process. It keeps everything in memory.
type Broker struct{ cluster *kfake.Cluster }

// StartBroker starts a broker on a free local port, with the topics of a stream.
func StartBroker(s *Stream) (*Broker, error) {
	c, err := kfake.NewCluster(
		kfake.NumBrokers(1), kfake.SeedTopics(partitions, s.Topic, Places, s.deadLetters()),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0", "log.retention.ms": retention}),
	)
	if err != nil {
		return nil, fmt.Errorf("starting the embedded broker: %w", err)
	}
	return &Broker{c}, nil
}

// Addresses returns the broker's addresses.
func (b *Broker) Addresses() []string { return b.cluster.ListenAddrs() }

// forget deletes messages older than the retention time.
func (b *Broker) forget() { b.cluster.ApplyRetention() }

// Close stops the broker and discards its messages.
func (b *Broker) Close() { b.cluster.Close() }
