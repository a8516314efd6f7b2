package traffic

import (
	"context"
	"errors"
	"fmt"

	"unfold/stream/kafka/kafkatest/apache"
	"unfold/stream/kafka/kafkatest/embedded"
)

// Broker is a broker, without topics at first.
type Broker struct {
	Cluster
	Version string // version of Apache Kafka; "" for an embedded one
	PID     int    // 0 for an embedded one
	Close   func() error
}

// Apache starts an Apache Kafka in a separate process. It returns apache.ErrUnavailable if that is
// not possible.
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

// Embedded starts a broker within this process, which suffices to test that a program works.
func Embedded() (*Broker, error) {
	addr, stop, err := embedded.Start()
	return &Broker{Cluster: Cluster{addr}, Close: func() error { stop(); return nil }}, err
}
