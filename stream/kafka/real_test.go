package kafka_test

import (
	"testing"

	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// TestReal runs the conformance suite, and tests that need a real broker, on an Apache Kafka that
// it starts.
func TestReal(t *testing.T) {
	b := kafkatest.StartReal(t, "")
	c := newCluster(t, 1, b.Addr())
	t.Run("conformance", func(t *testing.T) { streamtest.TestBroker(t, c) })
	t.Run("transactions", func(t *testing.T) { testTransactions(t, c) })
	t.Run("markers", func(t *testing.T) { testMarkers(t, c) })
	t.Run("compaction", func(t *testing.T) { testCompaction(t, c, func() {}) })
	t.Run("sizes", func(t *testing.T) { testSizes(t, c) })
	t.Run("too large", func(t *testing.T) { testTooLarge(t, c) })
	t.Run("refused", func(t *testing.T) { testRefused(t, c, func(string, map[string]string) {}) })
	t.Run("codecs", func(t *testing.T) { testCodecs(t, c) })
	t.Run("map", func(t *testing.T) { testMap(t, c) })
	t.Run("holders", func(t *testing.T) { testHolders(t, c) })
	t.Run("blocked", func(t *testing.T) { testBlocked(t, c) })
	t.Run("lost offsets", func(t *testing.T) { testLostOffsets(t, c) })
	t.Run("alone", func(t *testing.T) { testAlone(t, c) })
	t.Run("topic of announcements", func(t *testing.T) { testTopic(t, c) })
	t.Run("topic created again", func(t *testing.T) { testCreatedAgain(t, c) })
	t.Run("restart", func(t *testing.T) { testBrokerRestart(t, c, false, b) })
}
