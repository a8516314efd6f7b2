package kafkatest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/internal/testkit/tier"
	"unfold/stream/kafka/kafkatest/apache"
)

// Cluster is a running Apache Kafka of several nodes, each of which is broker and controller.
type Cluster struct {
	t       testing.TB
	brokers []*apache.Broker
	client  *Client
	// down is the broker that was killed, nil if all are running.
	down *apache.Broker
}

// StartCluster starts several brokers like StartReal.
func StartCluster(t testing.TB, nodes int) *Cluster {
	t.Helper()
	tier.Full(t, startsKafka)
	start := time.Now()
	brokers, err := apache.NewCluster(nodes)
	if errors.Is(err, apache.ErrUnavailable) {
		tier.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, brokers: brokers}
	t.Cleanup(func() {
		for _, b := range brokers {
			// The last brokers cannot stop by themselves without a quorum.
			if b.PID() != 0 {
				if err := b.Kill(); err != nil {
					t.Error(err)
				}
			}
			if err := b.Remove(); err != nil {
				t.Error(err)
			}
		}
	})
	var starting sync.WaitGroup
	errs := make([]error, nodes)
	for i, b := range brokers {
		starting.Go(func() { errs[i] = b.Start(t.Context()) })
	}
	starting.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	c.client = c.Client(t)
	t.Logf("%s on %s, ready after %v", c.Name(), c.Addr(), time.Since(start).Round(100*time.Millisecond))
	return c
}

// Name describes the brokers.
func (c *Cluster) Name() string {
	return fmt.Sprintf("Apache Kafka %s, %d nodes", c.brokers[0].Version(), len(c.brokers))
}

// Addr returns the brokers' addresses, separated by commas.
func (c *Cluster) Addr() string {
	var all []string
	for _, b := range c.brokers {
		all = append(all, b.Addr)
	}
	return strings.Join(all, ",")
}

// Client returns a client.
func (c *Cluster) Client(t testing.TB) *Client {
	var all []string
	for _, b := range c.brokers {
		all = append(all, b.Inner)
	}
	return NewClient(t, all, kgo.DisableIdempotentWrite())
}

// KillLeader kills the broker that leads a partition, or the first one if there is no leader.
func (c *Cluster) KillLeader(topic string, partition int) {
	c.t.Helper()
	leader := c.leader(topic, partition)
	for _, b := range c.brokers {
		if b.Node() == leader || leader < 0 && c.down == nil {
			c.down = b
			if err := b.Kill(); err != nil {
				c.t.Error(err)
			}
			return
		}
	}
}

// leader returns the leader of a topic's partition, counted modulo its partitions, or -1 if there
// is none.
func (c *Cluster) leader(topic string, partition int) int {
	c.t.Helper()
	all, err := c.client.partitions(c.t.Context(), topic)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, p := range all {
		if int(p.Partition) == partition%len(all) {
			return int(p.Leader)
		}
	}
	return -1
}

// Start restarts the killed broker and waits until it is ready.
func (c *Cluster) Start() {
	c.t.Helper()
	if c.down == nil {
		return
	}
	if err := c.down.Start(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	c.down = nil
}
