package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"unfold/stream/kafka/kafkatest"
	"unfold/stream/store/storetest"
	"unfold/stream/streamtest"
)

// fleetPage returns the configuration of docs/operations.md.
func fleetPage(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(page(t, filepath.Join(repository, "docs", "operations.md")), "## More than one process")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	block, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.Contains(block, "snapshots:") {
		t.Fatal("docs/operations.md shows no configuration of a fleet")
	}
	return block
}

// TestFleet runs the configuration of docs/operations.md: a learner and two embedders with an S3
// store, a second learner, invalid announcements, and the loss of the learner's disk.
func TestFleet(t *testing.T) {
	block := fleetPage(t)
	t.Chdir(t.TempDir())
	brokers := cluster(t, "events", "places", "events-dead").ListenAddrs()
	kafkatest.NewClient(t, brokers).Create(t, "unfold-maps", 1, 1, map[string]string{"cleanup.policy": "compact"})
	server := storetest.StartS3(t)
	write(t, "fleet.yaml", block)
	must(t, "lint", "--offline", "-c", "fleet.yaml", "--role", "learn")
	must(t, "lint", "--offline", "-c", "fleet.yaml", "--role", "embed")
	if code, _, stderr := run(t, "lint", "--offline", "-c", "fleet.yaml"); code != 2 || !strings.Contains(stderr, "--role learn") {
		t.Errorf("without a role: exit %d, %s", code, stderr)
	}
	settings := []string{"-c", "fleet.yaml", "--source-kafka-brokers", brokers[0], "--snapshots-store", server.URL("unfold"), "--state", filepath.Join(t.TempDir(), "state"),
		"--source-vector", "v", "--source-id", "name", "--reference-min", "100", "--reference-size", "500", "--refresh-every", "300ms", "--model-steps", "20", "--http", "127.0.0.1:0"}
	as := func(role string, more ...string) []string {
		return append(append([]string{"--role", role}, settings...), more...)
	}
	before := goleak.IgnoreCurrent()
	defer func() {
		server.Stop() // this also closes idle client connections
		goleak.VerifyNone(t, before)
	}()
	produce(t, brokers, 0, 40)
	for _, role := range []string{"learn", "embed"} {
		out := must(t, append([]string{"lint"}, as(role)...)...)
		for _, want := range []string{"ok       the store of maps, s3://maps/unfold", "ok       the topic of announcements, unfold-maps"} {
			if !strings.Contains(out, want) {
				t.Errorf("lint with role %s says\n%swithout %q", role, out, want)
			}
		}
	}

	// Embedders wait for a map.
	one := join(t, as("embed")...)
	one.said(`no map yet: waiting for one that is announced`)
	if status, body := get(t, one.address(), "/readyz"); status != 503 || !strings.Contains(body, "there is no map yet") {
		t.Errorf("/readyz without a map: %d %s", status, body)
	}
	learner := join(t, as("learn")...)
	learner.said(`map version 1 \(epoch 1\) announced`)
	one.said(`map version \d+ \(epoch 1\) loaded`)
	another := join(t, as("learn", "--state", "")...) // it is rejected, see below
	two := join(t, as("embed")...)
	figure := func(name string) (sum int) {
		for _, m := range []*member{one, two} {
			_, body := get(t, m.address(), "/metrics")
			var n int
			if f := regexp.MustCompile(`(?m)^` + name + ` (\d+)$`).FindStringSubmatch(body); f != nil {
				fmt.Sscan(f[1], &n)
			}
			sum += n
		}
		return sum
	}
	// Events placed during the rebalance may be aborted and placed again.
	streamtest.Await(t, "400 events are placed", func() bool { return figure("unfold_events_placed_total") >= 400 })
	streamtest.Await(t, "the learner has read them all", func() bool {
		_, body := get(t, learner.address(), "/metrics")
		return strings.Contains(body, "unfold_events_read_total 400\n") && strings.Contains(body, "unfold_events_placed_total 0\n") &&
			strings.Contains(body, `unfold_messages_skipped_total{stage="VALUE_CONVERTER"} 1`) && strings.Contains(body, "unfold_messages_delivered_total 0\n")
	})

	// A second learner is rejected after the time in which a dead first one would have left the
	// group.
	if code := another.wait(); code != 1 || !strings.Contains(another.log.String(), "another learner is a member of group unfold-learn already") {
		t.Errorf("a second learner: exit %d, %s", code, &another.log)
	}

	// Invalid announcements are rejected and reported.
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, text := range []string{"nonsense", `{"format":1,"name":"unfold","generation":99999999999,"version":1000,"epoch":9,"key":"unfold/nothing.unfold","bytes":5,` +
		`"sha256":"` + strings.Repeat("ab", 32) + `","dim":4,"dims":3,"points":9}`} {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "unfold-maps", Key: []byte("unfold"), Value: []byte(text)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	one.said(`map version 1000 REFUSED \(dimension\), the one before stays".* model_version=1000 reason=dimension error="fleet: map version 1000 has 3 dimensions`)
	one.said(`skipped".* topic=unfold-maps partition=0 offset=\d+ error="fleet: `)
	if status, body := get(t, one.address(), "/readyz"); status != 200 || !strings.Contains(body, "although version 1000 was announced: fleet: map version 1000 has 3 dimensions") {
		t.Errorf("/readyz with a bad map: %d %s", status, body)
	}
	if figure("unfold_snapshot_refused") != 2 || figure("unfold_announcements_malformed_total") < 2 {
		t.Error("the metrics do not count the bad announcements")
	}
	// To the learner they looked like the announcements of another learner.
	learner.said(`there is another learner of unfold`)
	if code := learner.leave(); code != 1 {
		t.Errorf("the learner that was replaced ended with exit code %d", code)
	}

	// Another fleet name starts anew. A learner that lost its disk continues from the last
	// announcement.
	again := as("learn", "--snapshots-name", "second", "--state", "")
	learner = join(t, again...)
	learner.said(`map version 1 \(epoch 1\) announced`)
	if code := learner.leave(); code != 0 {
		t.Errorf("exit %d:\n%s", code, &learner.log)
	}
	learner = join(t, again...)
	learner.said(`map version 1 \(epoch 1\) loaded`)
	produce(t, brokers, 40, 40)
	learner.said(`map version 2 \(epoch \d\) announced`)
	for _, m := range []*member{one, two, learner} {
		if code := m.leave(); code != 0 {
			t.Errorf("exit %d:\n%s", code, &m.log)
		}
	}
}
