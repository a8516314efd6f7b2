package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest/emit"
	"unfold/internal/testkit/tier"
	"unfold/stream"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/streamtest"
)

// A stage that finds clusters writes them to their topic, to its statistics, and to the saved map,
// which inspect reads.
func TestRunFindsClusters(t *testing.T) {
	for in, among := range map[string]string{"map": "of at least 20 points, ", "input": "of at least 20 points among the vectors, "} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			brokers, configuration := broker(t, "events", "places", "dead", "groups")
			testRunFindsClusters(t, brokers, configuration, in, among)
		})
	}
}

// The same with Apache Kafka, exactly-once delivery and a compacted topic. A second run continues
// the ids of the first.
func TestRunFindsClustersOnKafka(t *testing.T) {
	tier.Full(t, "it starts Apache Kafka")
	t.Parallel()
	b := kafkatest.StartReal(t, "")
	client, configuration := b.Client(t), configured(t, b.Addr())
	for _, topic := range []string{"events", "places", "dead"} {
		client.Create(t, topic, 2, 1, nil)
	}
	client.Create(t, "groups", 1, 1, map[string]string{"cleanup.policy": "compact"})
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, string(text)+"delivery: exactly-once\n")
	testRunFindsClusters(t, []string{b.Addr()}, configuration, "map", "of at least 20 points, ")
	first := client.Read(t, "groups")
	produceLabelled(t, []string{b.Addr()}, 20)
	runUntil(t, configuration, `map version [2-9]`, func(address string) {
		streamtest.Await(t, "the rest is delivered, and clusters are emitted again", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_messages_delivered_total 20\n") && len(client.Read(t, "groups")) > len(first)
		})
	})
	// The clusters of so few points depend on the timing of reads. Ids of the first run continue,
	// and new clusters have higher ids.
	of := func(m stream.Message) int {
		id, err := strconv.Atoi(string(m.Key))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	highest, before, kept := 0, map[int]bool{}, 0
	for _, m := range first {
		before[of(m)] = true
		highest = max(highest, of(m))
	}
	for _, m := range client.Read(t, "groups")[len(first):] {
		switch id := of(m); {
		case before[id] && len(m.Value) > 0:
			kept++
		case id <= highest && !before[id]:
			t.Errorf("cluster %d is new, though the first run had ids to %d", id, highest)
		}
	}
	if kept == 0 {
		t.Errorf("no cluster of %v goes on", before)
	}
}

func testRunFindsClusters(t *testing.T, brokers []string, configuration, in, among string) {
	t.Helper()
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "{topic: places}", "{topic: places}, clusters: groups", 1)+"\nclusters: {min_size: 20, min_samples: 5, in: "+in+"}\n")
	produceLabelled(t, brokers, 40)
	runUntil(t, configuration, `map version 1 `, func(address string) {
		streamtest.Await(t, "clusters are found, and all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return !strings.Contains(body, "unfold_clusters 0\n") && !strings.Contains(body, "unfold_cluster_births_total 0\n") &&
				strings.Contains(body, "unfold_messages_delivered_total 40\n") && strings.Contains(body, "unfold_refresh_failures_total 0\n")
		})
		streamtest.Await(t, "clusters are on their topic", func() bool { return len(kafkatest.NewClient(t, brokers).Read(t, "groups")) > 0 })
	})
	model := filepath.Join(filepath.Dir(configuration), "state", "map.unfold")
	if said := must(t, "inspect", model); !strings.Contains(said, among) {
		t.Errorf("inspect says\n%s", said)
	}
	embedsClusters(t, model)
}

// embedsClusters embeds rows of both kinds into files of every format. Their clusters equal those
// of the map in all formats.
func embedsClusters(t *testing.T, model string) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "rows.jsonl")
	var rows strings.Builder
	for i := range 8 {
		fmt.Fprintf(&rows, `{"name": "n%d", "v": [%[2]d.1, %[2]d.2, %[2]d, %[2]d]}`+"\n", i, i%2*6)
	}
	write(t, in, rows.String())
	var want []float64
	for _, ext := range []string{".arrow", ".parquet", ".csv", ".jsonl"} {
		out := filepath.Join(dir, "places"+ext)
		must(t, "-q", "embed", in, "-m", model, "-o", out)
		got := column(t, out, emit.ClusterName)
		if len(got) != 8 || got[0] < 1 || got[1] < 1 || got[0] == got[1] {
			t.Errorf("%s: rows of two kinds are in the clusters %v", ext, got)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, the first had %v", ext, got, want)
		}
		for _, name := range []string{emit.ClusterProbabilityName, emit.ClusterOutlierName} {
			for i, v := range column(t, out, name) {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: %s of row %d is %v", ext, name, i, v)
				}
			}
		}
	}
}
