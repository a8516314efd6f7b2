package streamtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"unfold/stream/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	streamtest.TestBroker(t, streamtest.MemoryHarness{Broker: streamtest.NewBroker()})
}
