package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/streamtest"
)

// cluster starts an embedded broker with topics of two partitions.
func cluster(t *testing.T, topics ...string) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topics...),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// broker starts an embedded broker with topics. It also returns a configuration for it.
func broker(t *testing.T, topics ...string) (brokers []string, configuration string) {
	t.Helper()
	c, configuration := breakable(t, topics...)
	return c.ListenAddrs(), configuration
}

// breakable is broker with access to the broker, so that it can be made to fail.
func breakable(t *testing.T, topics ...string) (c *kfake.Cluster, configuration string) {
	t.Helper()
	c = cluster(t, topics...)
	return c, configured(t, c.ListenAddrs()[0])
}

// configured writes a configuration for a broker.
func configured(t *testing.T, address string) (configuration string) {
	t.Helper()
	dir := t.TempDir()
	configuration = filepath.Join(dir, "stage.yaml")
	write(t, configuration, fmt.Sprintf(`
source: {kafka: {brokers: [%q], topic: events}, vector: v, id: name}
model: {steps: 30}
reference: {min: 100, size: 500}
refresh: {every: 1s}
sink: {kafka: {topic: places}}
dead_letter: {topic: dead}
state: %s
http: 127.0.0.1:0
`, address, filepath.Join(dir, "state")))
	return configuration
}

// send writes numbered messages to the events topic. columns returns the table of message k. The
// messages in more follow unchanged.
func send(t *testing.T, brokers []string, from, messages int, columns func(k int) []table.Column, more ...stream.Message) {
	t.Helper()
	sink, err := kafka.NewSink(t.Context(), kafka.SinkSettings{Cluster: kafka.Cluster{Brokers: brokers}, Topic: "events"})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	var all []stream.Message
	for k := from; k < from+messages; k++ {
		records, err := table.NewTable(table.Origin{}, columns(k)...)
		if err != nil {
			t.Fatal(err)
		}
		value, err := emit.EncodeTable(records)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stream.Message{TopicPartition: stream.TopicPartition{Partition: k}, Value: value, Key: fmt.Append(nil, k)})
	}
	if err := sink.Write(t.Context(), append(all, more...)); err != nil {
		t.Fatal(err)
	}
}

// produce sends messages of 10 events each, and then a broken one.
func produce(t *testing.T, brokers []string, from, messages int) {
	t.Helper()
	send(t, brokers, from, messages, func(k int) []table.Column {
		r := rand.New(rand.NewPCG(uint64(k), 1))
		x := vec.New[float32](10, 4)
		names := make([]string, 10)
		for i := range names {
			names[i] = fmt.Sprintf("e%d", 10*k+i)
			for j := range x.Cols {
				x.Row(i)[j] = float32(r.NormFloat64()) + float32(5*(i%2))
			}
		}
		return []table.Column{table.StringColumn("name", names), table.VectorColumn("v", x)}
	}, stream.Message{Value: []byte("not Arrow")})
}

// TestRun runs the stage as an operator does: a configuration, a broker, probes, an interrupt, a
// restart. Maps have several dimensions and both kinds of tails.
func TestRun(t *testing.T) {
	for _, model := range []string{"steps: 30", "steps: 30, tails: gaussian", "steps: 30, dims: 3", "steps: 30, dims: 10, coarse: shared"} {
		t.Run(model, func(t *testing.T) { testRun(t, model, "") })
	}
	t.Run("exactly once", func(t *testing.T) { testRun(t, "steps: 30", "delivery: exactly-once\n") })
}

// testRun runs the stage with model settings and further lines of configuration.
func testRun(t *testing.T, model, more string) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead", "moved")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.NewReplacer("steps: 30", model, "{topic: places}", "{topic: places}, moves: moved").Replace(string(text)))
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	produce(t, brokers, 0, 40)

	log := runUntil(t, configuration, `committed|map version 1`, func(address string) {
		if status, body := get(t, address, "/livez"); status != 200 {
			t.Errorf("/livez: %d %s", status, body)
		}
		if code, _, stderr := run(t, "run", "-c", configuration); code != 1 || !strings.Contains(stderr, "in use by another stage") {
			t.Errorf("a second stage on the same state: exit %d, %s", code, stderr)
		}
		streamtest.Await(t, "/readyz is 200", func() bool { status, _ := get(t, address, "/readyz"); return status == 200 })
		streamtest.Await(t, "400 events are placed", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_events_placed_total 400\n") && strings.Contains(body, "unfold_messages_delivered_total 40\n") &&
				strings.Contains(body, `unfold_messages_dead_lettered_total{stage="VALUE_CONVERTER"} 1`)
		})
	})
	for _, want := range []string{"no map yet: waiting for 100 events", "map version 1 (epoch 1) learnt in", `level=WARN msg="dead letter" event=dead_letter topic=events partition=`, "400 events placed, 40 messages delivered, 1 dead letter"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}

	private(t, filepath.Join(filepath.Dir(configuration), "state"))

	// After a restart the map is available immediately, and only new events are placed.
	produce(t, brokers, 40, 10)
	log = runUntil(t, configuration, `map version \d+ \(epoch \d+\) loaded`, func(address string) {
		streamtest.Await(t, "100 events are placed", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_events_placed_total 100\n")
		})
	})
	if !strings.Contains(log, "100 events placed, 10 messages delivered") {
		t.Errorf("after the restart:\n%s", log)
	}
	state := filepath.Join(filepath.Dir(configuration), "state")
	if text := must(t, "-q", "plot", "--history", state, "-o", "history.png"); !strings.Contains(text, "history.png: 1 map") && !strings.Contains(text, " maps") {
		t.Errorf("the state's history: %s", text)
	}
	if info, err := os.Stat("history.png"); err != nil || info.Size() < 5000 {
		t.Errorf("the picture of its history: %v", err)
	}
}

// private checks that only the owner can read the state.
func private(t *testing.T, state string) {
	t.Helper()
	entries, err := os.ReadDir(state)
	if err != nil || len(entries) < 2 {
		t.Fatalf("the state: %v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestRunSaysWhatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	_, configuration := broker(t, "events", "places")
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no topic":     {[]string{"run", "-c", configuration}, 1, "topic dead"},
		"no broker":    {[]string{"run", "-c", configuration, "--source-kafka-brokers", "127.0.0.1:1"}, 1, "cannot reach any broker"},
		"no setting":   {[]string{"run"}, 2, "source.kafka.topic: missing"},
		"bad setting":  {[]string{"run", "-c", configuration, "--refresh-every", "soon"}, 2, "--refresh-every: \"soon\" is not a time span"},
		"bad flag":     {[]string{"run", "--refresh-evry", "1s"}, 2, "--refresh-every"},
		"no file":      {[]string{"run", "-c", "nothere.yaml"}, 2, "there is no such file"},
		"bad columns":  {[]string{"run", "-c", configuration, "--source-vector", "", "--source-columns", "a:lug"}, 2, "unknown option"},
		"kept as ours": {[]string{"run", "-c", configuration, "--source-keep", "sigma"}, 2, "cannot be kept"},
	} {
		code, _, stderr := run(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q; expected exit %d and %q", name, code, stderr, c.code, c.want)
		}
	}
}

func TestRunRefusesADamagedMap(t *testing.T) {
	t.Chdir(t.TempDir())
	_, configuration := broker(t, "events", "places", "dead")
	state := filepath.Join(filepath.Dir(configuration), "state")
	if err := os.MkdirAll(state, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(state, "map.unfold"), "\x89UNFOLD\nnot much")
	code, _, stderr := run(t, "run", "-c", configuration)
	if code != exitBadInput || !strings.Contains(stderr, "map.unfold") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

func TestLint(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	produce(t, brokers, 0, 1)
	out := must(t, "lint", "-c", configuration)
	for _, want := range []string{"ok       the configuration", "ok       the topic of the source, events", "ok       the topic of dead letters, dead",
		"10 events of name, v, as vectors of 4 values; the learner holds up to 500 points, in at most "} {
		if !strings.Contains(out, want) {
			t.Errorf("lint says\n%swithout %q", out, want)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(configuration), "state")); err == nil {
		t.Error("lint made the state folder")
	}
	code, out, stderr := run(t, "lint", "-c", configuration, "--sink-kafka-topic", "nowhere", "--source-vector", "w")
	if code != 1 || !strings.Contains(out, "wrong    the topic of the sink, nowhere") || !strings.Contains(out, `column "w": there is no such column`) ||
		!strings.Contains(stderr, "would not run") {
		t.Errorf("exit %d:\n%s%s", code, out, stderr)
	}
	if code, out, _ := run(t, "lint", "-c", configuration, "--source-kafka-brokers", "127.0.0.1:1"); code != 1 || strings.Count(out, "cannot reach any broker") != 1 ||
		!strings.Contains(out, "wrong    the group, unfold: the same") {
		t.Errorf("without a broker: exit %d:\n%s", code, out)
	}
	must(t, "lint", "--offline", "-c", configuration)
	write(t, "typo.yaml", "source: {kafka: {topc: x}}\n")
	if code, _, stderr := run(t, "lint", "--offline", "-c", "typo.yaml"); code != 2 || !strings.Contains(stderr, "typo.yaml:1:18: source.kafka.topc: there is no such setting; did you mean source.kafka.topic?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Lint refuses a state folder whose map the stage would not go on from, with the same reason, and
// changes nothing in it.
func TestLintOfAState(t *testing.T) {
	t.Chdir(t.TempDir())
	brokers, configuration := broker(t, "events", "places", "dead")
	produce(t, brokers, 0, 20)
	runUntil(t, configuration, "map version 1", func(address string) {
		streamtest.Await(t, "/readyz is 200", func() bool { status, _ := get(t, address, "/readyz"); return status == 200 })
	})
	state := filepath.Join(filepath.Dir(configuration), "state")
	before := names(t, state)
	if out := must(t, "lint", "-c", configuration); !strings.Contains(out, "ok       the state folder, "+state+", with map version ") {
		t.Errorf("lint says\n%s", out)
	}
	for want, flags := range map[string][]string{
		"it is of kind lvm in 2 dimensions, the settings say lvm in 3": {"--model-dims", "3"},
		"metric euclidean, and the settings say cosine":                {"--source-metric", "cosine"},
	} {
		code, out, _ := run(t, append([]string{"lint", "-c", configuration}, flags...)...)
		if code != 1 || !strings.Contains(out, "wrong    the state folder: ") || !strings.Contains(out, want) {
			t.Errorf("%v: exit %d:\n%s", flags, code, out)
		}
		code, _, log := run(t, append([]string{"run", "-c", configuration}, flags...)...)
		if code != exitBadInput || !strings.Contains(log, want) {
			t.Errorf("%v: run exits with %d:\n%s", flags, code, log)
		}
	}
	if after := names(t, state); after != before {
		t.Errorf("the state folder has %v, before %v", after, before)
	}
}

// Without a message lint reports which checks it skipped.
func TestLintOfAnEmptyTopic(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead")
	const unchecked = "; so it is not checked whether messages hold the columns "
	out := must(t, "lint", "-c", configuration)
	if !strings.Contains(out, "unknown  a message of the source: there is nothing to see yet: the topic is empty"+unchecked) || !strings.Contains(out, ", and how much memory the learner will hold\n") {
		t.Errorf("lint says\n%s", out)
	}
	send(t, brokers, 0, 0, nil, stream.Message{Key: []byte("gone")}, stream.Message{Key: []byte("too")})
	if out := must(t, "lint", "-c", configuration); !strings.Contains(out, "the topic holds tombstones alone, 2"+unchecked) {
		t.Errorf("of tombstones lint says\n%s", out)
	}
}
