package cli

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"unfold/ingest"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/score"
	"unfold/stream"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
	"unfold/stream/streamtest"
)

// example is a configuration from a page or from deploy/, with matching events of three groups in
// turn.
type example struct {
	file string // path in the repository
	name string // first line of the block, if the page has several
	// row returns event k. message returns the message of a row; nil encodes the row as JSON.
	row     func(k int, r *rand.Rand) map[string]any
	message func(row map[string]any) []byte
	// columns are the flags of a fit of the same vectors. flags are further flags of the stage.
	columns, flags []string
	// seed registers schemas. files writes files next to the configuration.
	seed  func(t *testing.T, page string, schemas *registrytest.Fake)
	files func(t *testing.T, page, folder string)
	// full restricts the example to make test-all, because another example in the quick tier has
	// the same map settings.
	full bool
}

// eventGroups is the number of groups of an example's events: event k is of group k % eventGroups.
const eventGroups = 3

// vectorRow returns rows with a vector around one of three centres, which lie 3 apart in each of
// dim dimensions.
func vectorRow(id string, dim int) func(k int, r *rand.Rand) map[string]any {
	return func(k int, r *rand.Rand) map[string]any {
		v := make([]float32, dim)
		for i := range v {
			v[i] = 3*float32(k%eventGroups) + float32(r.NormFloat64())
		}
		row := map[string]any{id: fmt.Sprintf("e%d", k), "embedding": v, "kind": fmt.Sprintf("k%d", k%eventGroups)}
		if id == "id" {
			row[id] = k
		}
		return row
	}
}

// connectionRow returns an event of clusters.md.
func connectionRow(k int, r *rand.Rand) map[string]any {
	of := []struct {
		service        string
		bytes, seconds float64
	}{{"http", 2_000, 20}, {"dns", 80, 0.02}, {"backup", 50_000_000, 600}}[k%eventGroups]
	return map[string]any{"event_id": fmt.Sprintf("e%d", k), "service": of.service,
		"bytes": int(of.bytes * math.Exp(0.3*r.NormFloat64())), "seconds": of.seconds * math.Exp(0.3*r.NormFloat64())}
}

// changeOf encodes a row as Debezium's snapshot record of an existing row.
func changeOf(row map[string]any) []byte {
	return asJSON(map[string]any{"before": nil, "after": row, "source": map[string]any{"connector": "postgresql"}, "op": "r", "ts_ms": 1700000000500})
}

func asJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// withSchemaID prepends the id of schema 1 to a message, as registry serializers do.
func withSchemaID(message []byte) []byte { return append([]byte{0, 0, 0, 0, 1}, message...) }

// avroOf encodes a row as a record of avro.md: event_id, at, page.kind, embedding.
func avroOf(row map[string]any) []byte {
	text := func(b []byte, s any) []byte {
		b = binary.AppendVarint(b, int64(len(s.(string))))
		return append(b, s.(string)...)
	}
	b := binary.AppendVarint(text(nil, row["event_id"]), 1767225600000)
	b = text(append(b, 2), row["kind"]) // the second type of the union
	v := row["embedding"].([]float32)
	b = binary.AppendVarint(b, int64(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return withSchemaID(append(b, 0))
}

// protobufOf encodes a row as a message of event.proto. If registered is set, the message starts
// with the schema's id and message index.
func protobufOf(registered bool) func(row map[string]any) []byte {
	field := func(b []byte, number byte, of []byte) []byte {
		return append(binary.AppendUvarint(append(b, number<<3|2), uint64(len(of))), of...)
	}
	return func(row map[string]any) []byte {
		b := field(nil, 1, []byte(row["event_id"].(string)))
		b = field(b, 2, binary.AppendUvarint([]byte{1 << 3}, 1767225600))
		b = field(b, 3, field(nil, 1, []byte(row["kind"].(string))))
		var packed []byte
		for _, x := range row["embedding"].([]float32) {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
		}
		if b = field(b, 4, packed); registered {
			return withSchemaID(append([]byte{0}, b...))
		}
		return b
	}
}

// blockOf returns the block of a page that is accepts.
func blockOf(t *testing.T, page string, is func(b block) bool) string {
	t.Helper()
	blocks := blocksOf(page)
	at := slices.IndexFunc(blocks, is)
	if at < 0 {
		t.Fatal("the page has no such block")
	}
	return blocks[at].text
}

func examples() []example {
	vector, both := []string{"--vector", "embedding"}, []string{"--vector", "embedding", "--id", "event_id"}
	plain := vectorRow("event_id", 16)
	return []example{
		{file: "README.md", row: vectorRow("event_id", 64), columns: both},
		{file: "docs/recipes/json.md", row: plain, columns: both, full: true},
		{file: "docs/recipes/alerts.md", row: plain, columns: both, full: true},
		{file: "docs/recipes/sinks.md", row: plain, columns: both, full: true},
		{file: "docs/recipes/clusters.md", row: connectionRow, columns: []string{"--columns", "bytes:log1p,seconds:log1p,service", "--id", "event_id"}},
		{file: "docs/recipes/debezium.md", row: vectorRow("id", 16), message: changeOf, columns: append(vector, "--id", "id")},
		{file: "docs/recipes/avro.md", row: plain, message: avroOf, columns: both, seed: func(t *testing.T, page string, schemas *registrytest.Fake) {
			_, text, _ := strings.Cut(blockOf(t, page, func(b block) bool { return b.name() == "produce.py" }), `schema = """`)
			text, _, _ = strings.Cut(text, `"""`)
			schemas.Seed("events-value", 1, registry.Avro, text)
		}},
		{file: "docs/recipes/protobuf.md", name: "unfold.yaml", row: plain, message: protobufOf(true), columns: both, seed: func(t *testing.T, page string, schemas *registrytest.Fake) {
			schemas.Seed("events-value", 1, registry.Protobuf, blockOf(t, page, func(b block) bool { return b.language == "proto" }))
		}},
		{file: "docs/recipes/protobuf.md", name: "plain.yaml", row: plain, message: protobufOf(false), columns: both, full: true, files: func(t *testing.T, page, folder string) {
			write(t, filepath.Join(folder, "event.proto"), blockOf(t, page, func(b block) bool { return b.language == "proto" }))
		}},
		{file: "deploy/compose/unfold.yaml", row: plain, columns: both, full: true},
		{file: "deploy/systemd/unfold.yaml", row: plain, columns: both, full: true},
		{file: "deploy/kubernetes/single.yaml", row: plain, columns: both, full: true},
		{file: "deploy/kubernetes/settings.yaml", row: plain, columns: both, flags: []string{"--role", "learn"}},
	}
}

// configurationOf returns the stage's configuration in a file.
func (e example) configurationOf(t *testing.T, text string) string {
	t.Helper()
	switch {
	case strings.HasSuffix(e.file, ".md"):
		return blockOf(t, text, func(b block) bool {
			return b.language == "yaml" && strings.Contains(b.text, "source:") && (e.name == "" || b.name() == e.name)
		})
	case strings.Contains(e.file, "kubernetes"):
		var m struct{ Data map[string]string }
		if err := yaml.Unmarshal([]byte(text), &m); err != nil || m.Data["unfold.yaml"] == "" {
			t.Fatalf("%s holds no unfold.yaml: %v", e.file, err)
		}
		return m.Data["unfold.yaml"]
	}
	return text
}

// TestMapsOfExamples: the configurations in README, the recipes and deploy/ produce maps as good as
// a fit's. Three distant groups arrive in the format of each example. The first map is learnt from
// some events, and a major refresh adds the others. The quick tier uses small maps; make test-all
// uses all examples with as many events as the pages.
func TestMapsOfExamples(t *testing.T) {
	for _, e := range examples() {
		t.Run(strings.TrimSpace(e.file+" "+e.name), func(t *testing.T) {
			first, all := 2000, 3100
			if !tier.All() {
				first, all = 150, 240
			}
			if e.full {
				tier.Full(t, "another example has the same map")
			}
			t.Parallel()
			e.run(t, first, all)
		})
	}
}

// run runs the stage until its map has all events, and compares the map with a fit's.
func (e example) run(t *testing.T, first, all int) {
	text, folder := page(t, filepath.Join(repository, e.file)), t.TempDir()
	brokers := cluster(t, "events", "plain", "shop.public.documents", "places", "events-dlq", "events-dead").ListenAddrs()
	client := kafkatest.NewClient(t, brokers)
	for _, topic := range []string{"clusters", "unfold-maps"} {
		client.Create(t, topic, 1, 1, map[string]string{"cleanup.policy": "compact"})
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	configuration := strings.NewReplacer("event.desc", at("event.proto")).Replace(e.configurationOf(t, text))
	write(t, at("unfold.yaml"), configuration)
	flags := append([]string{"-c", at("unfold.yaml"), "--source-kafka-brokers", brokers[0], "--state", at("state"), "--http", "127.0.0.1:0",
		"--reference-min", fmt.Sprint(first), "--refresh-every", "200ms"}, e.flags...)
	if strings.Contains(configuration, "probe:") {
		flags = append(flags, "--probe", "127.0.0.1:0")
	}
	if strings.Contains(configuration, "registry:") {
		schemas := registrytest.StartFake(t)
		if e.seed != nil {
			e.seed(t, text, schemas)
		}
		flags = append(flags, "--registry-url", schemas.URL())
	}
	if strings.Contains(configuration, "snapshots:") {
		flags = append(flags, "--snapshots-store", "file://"+at("maps")+"?create=true")
	}
	clusters := strings.Contains(configuration, "min_size:")
	if clusters && all < first+1000 {
		flags = append(flags, "--clusters-min-size", fmt.Sprint(all/10)) // as many as fit few events
	}
	if e.files != nil {
		e.files(t, text, folder)
	}
	e.send(t, client, configuration, at("rows.jsonl"), all)

	m := join(t, flags...)
	streamtest.Await(t, "the map has all events", func() bool {
		_, body := get(t, m.address(), "/metrics")
		return strings.Contains(body, fmt.Sprintf("unfold_snapshot_points %d\n", all))
	})
	if code := m.leave(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	must(t, append([]string{"-q", "fit", at("rows.jsonl"), "-o", at("fit.unfold")}, e.columns...)...)
	own, fit := nearestGroup(t, at("rows.jsonl"), at("state/map.unfold")), nearestGroup(t, at("rows.jsonl"), at("fit.unfold"))
	t.Logf("the nearest event is of the same group for %.3f, on the map of a fit for %.3f", own, fit)
	if own < min(fit-0.01, 0.95) || fit < 0.95 {
		t.Errorf("the nearest event is of the same group for %.3f, on the map of a fit for %.3f", own, fit)
	}
	if clusters {
		checkClusters(t, at("rows.jsonl"), at("state/map.unfold"))
	}
}

// checkClusters places the rows of a file on a map with clusters. Each group must be a cluster of its
// own, with at least nine rows in ten.
func checkClusters(t *testing.T, rows, model string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "places.csv")
	must(t, "-q", "embed", rows, "-m", model, "-o", out)
	lines, err := csv.NewReader(strings.NewReader(page(t, out))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(lines[0], "cluster")
	if column < 0 {
		t.Fatalf("places have no cluster: %q", lines[0])
	}
	var counts [eventGroups]map[string]int
	for k, line := range lines[1:] {
		if counts[k%eventGroups] == nil {
			counts[k%eventGroups] = map[string]int{}
		}
		counts[k%eventGroups][line[column]]++
	}
	least, own := (len(lines)-1)/eventGroups*9/10, map[string]bool{}
	for _, count := range counts {
		for cluster, n := range count {
			if cluster != "-1" && n >= least {
				own[cluster] = true
			}
		}
	}
	if len(own) != eventGroups {
		t.Errorf("%d of %d groups are a cluster of their own; rows of the groups by cluster: %v", len(own), eventGroups, counts)
	}
}

// send writes events to the topic that a configuration names, and their rows to a file.
func (e example) send(t *testing.T, client *kafkatest.Client, configuration, file string, n int) {
	t.Helper()
	var c struct {
		Source struct{ Kafka struct{ Topic string } }
	}
	if err := yaml.Unmarshal([]byte(configuration), &c); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(44, 3))
	var rows strings.Builder
	parts := [2][]stream.Message{}
	for k := range n {
		row := e.row(k, r)
		value := asJSON(row)
		fmt.Fprintf(&rows, "%s\n", value)
		if e.message != nil {
			value = e.message(row)
		}
		parts[k%2] = append(parts[k%2], stream.Message{Key: fmt.Append(nil, k), Value: value})
	}
	write(t, file, rows.String())
	for partition, messages := range parts {
		client.Produce(t, c.Source.Kafka.Topic, partition, messages...)
	}
}

// nearestGroup places the rows of a file on a map. It returns the share of rows whose nearest other
// row is in the same group.
func nearestGroup(t *testing.T, rows, model string) float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "places.arrow")
	must(t, "-q", "embed", rows, "-m", model, "-o", out)
	placed, err := ingest.ReadMap(t.Context(), out, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	group := make([]int32, placed.Len())
	for k := range group {
		group[k] = int32(k % eventGroups)
	}
	a, err := score.LeaveOneOut(t.Context(), vec.As[float32](placed.Embedding), group, []int{1}, score.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Share[0]
}
