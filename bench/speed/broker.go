package main

import (
	"context"
	"errors"
	"fmt"

	"unfold/bench/internal/traffic"
	"unfold/stream/kafka/kafkatest/apache"
	"unfold/stream/kafka/kafkatest/embedded"
)

// broker is what messages go through: an Apache Kafka in a process of its own or, with
// -small, one within this process.
type broker struct {
	traffic.Cluster
	version string
	pid     int // 0: none of its own
	close   func() error
}

// startBroker starts a broker without topics.
func (b *bench) startBroker(ctx context.Context) (*broker, error) {
	if b.small {
		addr, stop, err := embedded.Start()
		return &broker{traffic.Cluster{Addr: addr}, "", 0, func() error { stop(); return nil }}, err
	}
	a, err := apache.New("")
	if errors.Is(err, apache.ErrUnavailable) {
		return nil, unavailable(err.Error())
	}
	if err != nil {
		return nil, err
	}
	if err := a.Start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting Apache Kafka: %w", err), a.Remove())
	}
	return &broker{traffic.Cluster{Addr: a.Addr}, a.Version(), a.PID(), a.Remove}, nil
}
