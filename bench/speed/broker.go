package main

import (
	"context"
	"errors"

	"unfold/bench/internal/traffic"
	"unfold/stream/kafka/kafkatest/apache"
)

// startBroker starts a broker without topics: an Apache Kafka or, with -small, one within
// this process.
func (b *bench) startBroker(ctx context.Context) (*traffic.Broker, error) {
	if b.small {
		return traffic.Embedded()
	}
	broker, err := traffic.Apache(ctx)
	if errors.Is(err, apache.ErrUnavailable) {
		return nil, unavailable(err.Error())
	}
	return broker, err
}
