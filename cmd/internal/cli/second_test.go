package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"unfold/stream/streamtest"
)

// A group accepts only one process that learns a map. The second one ends with an error that names
// the first and explains how to run several. It may start after the first has left.
func TestSecondStageIsRefused(t *testing.T) {
	brokers, configuration := broker(t, "events", "places", "dead")
	produce(t, brokers, 0, 20)
	first := join(t, "-c", configuration, "--source-kafka-session-timeout", "6s")
	first.said("map version 1")
	other := []string{"-c", configuration, "--source-kafka-session-timeout", "6s", "--state", filepath.Join(t.TempDir(), "state")}
	second := join(t, other...)
	second.said("join failed, attempt 1.*group unfold is taken by .*, process ")
	if status, body := get(t, second.address(), "/readyz"); status != 503 {
		t.Errorf("/readyz of the second: %d %s", status, body)
	}
	if code := second.wait(); code != 1 {
		t.Errorf("the second ends with exit code %d", code)
	}
	for _, want := range []string{"group unfold is taken by ", ", process ", "let one learn and the others embed (--role)"} {
		if log := second.log.String(); !strings.Contains(log, want) {
			t.Errorf("the second does not say %q:\n%s", want, log)
		}
	}
	third := join(t, other...)
	third.said("join failed, attempt 1")
	if code := first.leave(); code != 0 {
		t.Errorf("the first ends with exit code %d", code)
	}
	third.said("reading 2 partitions")
	streamtest.Await(t, "it goes on where the first has stopped", func() bool {
		_, body := get(t, third.address(), "/readyz")
		return strings.HasPrefix(body, "not ready: there is no map yet")
	})
}
