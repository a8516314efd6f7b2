package embed

import (
	"context"
	"testing"

	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/format/formattest"
	"unfold/stream/streamtest"
	"unfold/stream/streamtest/formats"
)

// A fleet with messages of one event, in each format, satisfies the pipeline's promises: order, one
// output for each input, exactly once if requested, the same bytes for the same event, unchanged
// dead letters, tombstones.
func TestFormats(t *testing.T) { testFormats(t, Settings{}) }

// testFormats is TestFormats for maps opened with settings, except for their writer.
func testFormats(t *testing.T, set Settings) {
	s := learnt(t)
	for _, n := range formattest.Formats() {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			h := streamtest.MemoryHarness{Broker: streamtest.NewBroker()}
			streamtest.TestPipelines(t, h, true, func(t *testing.T) streamtest.Kind {
				return formats.Kind(t, n, func(own formats.Stage) (stream.Decoder, stream.Learner, error) {
					set := set
					set.Writer = own.Encoder
					e, err := NewEmbedder(EmbedderSettings{Embed: set, Decoder: own.Decoder,
						Follow: func(_ context.Context, install func(*snapshot.Snapshot) error) error { return install(s) }})
					return e, e, err
				})
			})
		})
	}
}
