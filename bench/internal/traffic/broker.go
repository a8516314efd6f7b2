package traffic

import (
	"context"
	"errors"
	"fmt"

	"unfold/stream/kafka/kafkatest/apache"
	"unfold/stream/kafka/kafkatest/embedded"
)

// Broker is what messages go through, without topics at first.
type Broker struct {
	Cluster
	Version string // of Apache Kafka; "" for one within this process
	PID     int    // 0: none of its own
	Close   func() error
}

// Apache starts an Apache Kafka in a process of its own; apache.ErrUnavailable where that
// cannot be.
func Apache(ctx context.Context) (*Broker, error) {
	a, err := apache.New("")
	if err != nil {
		return nil, err
	}
	if err := a.Start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting Apache Kafka: %w", err), a.Remove())
	}
	return &Broker{Cluster{a.Addr}, a.Version(), a.PID(), a.Remove}, nil
}

// Embedded starts a broker within this process, which is enough to see that a program
// works.
func Embedded() (*Broker, error) {
	addr, stop, err := embedded.Start()
	return &Broker{Cluster: Cluster{addr}, Close: func() error { stop(); return nil }}, err
}
