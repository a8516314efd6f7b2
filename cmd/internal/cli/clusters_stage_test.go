package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// A stage that finds clusters writes them to their topic, in figures, and into the map that it
// leaves, which inspect and embed read.
func TestRunFindsClusters(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead", "groups")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "{topic: places}", "{topic: places}, clusters: groups", 1)+"\nclusters: {min_size: 20, min_samples: 5}\n")
	produceLabelled(t, brokers, 40)
	runUntil(t, configuration, `map version 1 `, func(address string) {
		streamtest.Await(t, "clusters are found, and all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return !strings.Contains(body, "unfold_clusters 0\n") && !strings.Contains(body, "unfold_cluster_births_total 0\n") &&
				strings.Contains(body, "unfold_messages_delivered_total 40\n") && strings.Contains(body, "unfold_refresh_failures_total 0\n")
		})
	})
	groups := kafkatest.NewClient(t, brokers).Read(t, "groups")
	if len(groups) == 0 {
		t.Error("nothing is on the topic of clusters")
	}
	if said := must(t, "inspect", filepath.Join(filepath.Dir(configuration), "state", "map.unfold")); !strings.Contains(said, "of at least 20 points, ") {
		t.Errorf("inspect says\n%s", said)
	}
}
