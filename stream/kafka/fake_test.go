package kafka_test

import (
	"testing"

	"unfold/stream/streamtest"
)

// TestInProcess runs the conformance suite on the in-process broker.
func TestInProcess(t *testing.T) {
	t.Parallel()
	streamtest.TestBroker(t, newFake(t))
}
