package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr/srfake"

	"unfold/internal/testkit/tier"
	"unfold/stream/kafka/kafkatest"
)

// Six lines and no schema turn a topic of JSON events into places.
func TestRecipeJSON(t *testing.T) {
	k := newKitchen(t, "json.md")
	k.placed = 3000
	k.follow(k.page)
	for _, b := range blocksOf(k.page) {
		if n := strings.Count(b.text, "\n") - 1; b.language == "yaml" && n != 6 {
			t.Errorf("the configuration has %d lines, expected 6", n)
		}
	}
}

// registryHere starts a local schema registry. names are the replacements for the pages.
func registryHere(t *testing.T) (r *srfake.Registry, names []string) {
	tier.Full(t, "it runs Python libraries")
	r = srfake.New()
	t.Cleanup(r.Close)
	r.Intercept(func(_ http.ResponseWriter, q *http.Request) bool {
		readable(t, q)
		return false
	})
	return r, []string{"http://localhost:8081", r.URL()}
}

// readable converts a Protobuf schema from its base64 descriptor to source text, as real registries
// do.
func readable(t *testing.T, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		t.Error(err)
	}
	var posted map[string]any
	if json.Unmarshal(body, &posted) == nil && posted["schemaType"] == "PROTOBUF" {
		text, _ := posted["schema"].(string)
		if _, err := base64.StdEncoding.DecodeString(text); err == nil {
			source, err := os.ReadFile("event.proto")
			if err != nil {
				t.Error(err)
			}
			posted["schema"] = string(source)
			if body, err = json.Marshal(posted); err != nil {
				t.Error(err)
			}
		}
	}
	q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

// A topic of Avro events becomes places in Avro, which Confluent's deserializer reads.
func TestRecipeAvro(t *testing.T) {
	_, names := registryHere(t)
	k := newKitchen(t, "avro.md", names...)
	k.placed = 3000
	k.follow(k.page)
}

// A topic of Protobuf events becomes places, with a registry and with a descriptor file.
func TestRecipeProtobuf(t *testing.T) {
	_, names := registryHere(t)
	k := newKitchen(t, "protobuf.md", names...)
	k.placed = 3000
	k.follow(k.page)
}

// Novel events go to a topic of alerts, and ordinary events do not.
func TestRecipeAlerts(t *testing.T) {
	producer := recipePage(t, "json.md")
	k := newKitchen(t, "alerts.md")
	k.events(producer)
	k.placed = 3000
	k.arguments["alerts.py"] = []string{"10"}
	k.follow(k.page)
	alerts := strings.Count(k.said["alerts.py"], "\n")
	if alerts < 10 || alerts > 300 {
		t.Errorf("%d alerts of 3,000 events:\n%.500s", alerts, k.said["alerts.py"])
	}
	for line := range strings.Lines(k.said["alerts.py"]) {
		var place struct {
			Local   float64 `json:"novelty_local"`
			Global  float64 `json:"novelty_global"`
			Kind    string
			Reasons []struct {
				Column string
				Share  float64
			}
			Neighbors []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &place); err != nil || max(place.Local, place.Global) <= 0.99 || place.Kind == "" {
			t.Errorf("an alert is %s: %v", line, err)
		}
		if len(place.Reasons) == 0 || len(place.Reasons) > 5 || place.Reasons[0].Share <= 0 || len(place.Neighbors) == 0 || place.Neighbors[0].ID == "" {
			t.Errorf("an alert does not say why: %s", line)
		}
	}
}

// A topic of clusters is a table of them, and files with the map contain their numbers.
func TestRecipeClusters(t *testing.T) {
	k := newKitchen(t, "clusters.md")
	k.placed = 3000
	k.group = func(row []float32) int32 { // by the logarithm of the bytes: about 80, 2,000 or 50,000,000
		switch {
		case row[0] < 6:
			return 0
		case row[0] < 12:
			return 1
		}
		return 2
	}
	k.settled = func() bool { return len(kafkatest.NewClient(t, []string{k.broker}).Read(t, "clusters")) >= 3 }
	k.follow(k.page)
	if said := k.said["inspect /var/lib/unfold/map.unfold"]; !strings.Contains(said, "3 clusters of at least 200 points, ") {
		t.Errorf("inspect says\n%s", said)
	}
	var found []int64
	placed, err := os.ReadFile("today-places.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(placed)) {
		var place struct {
			ID      string
			Cluster int64
		}
		if err := json.Unmarshal([]byte(line), &place); err != nil {
			t.Fatal(err)
		}
		found = append(found, place.Cluster)
	}
	if len(found) != 2 || found[0] < 1 || found[1] < 1 || found[0] == found[1] {
		t.Errorf("rows of two kinds are in the clusters %v", found)
	}
}

// The output has the schema of the page on sinks: the plain fields of its table.
func TestRecipeSinks(t *testing.T) {
	producer := recipePage(t, "json.md")
	r, names := registryHere(t)
	k := newKitchen(t, "sinks.md", names...)
	k.events(producer)
	k.placed = 3000
	k.follow(k.page)
	registered, there := r.GetSchema("places-value", 1)
	if !there {
		t.Fatal("the output's schema is not registered as places-value")
	}
	var schema struct {
		Fields []struct {
			Name string
			Type any
		}
	}
	if err := json.Unmarshal([]byte(registered.Schema.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	_, columns, _ := strings.Cut(k.page, "CREATE TABLE places (")
	columns, _, _ = strings.Cut(columns, "place vector(2)")
	want := regexp.MustCompile(`(\w+) (?:text|real|bigint)`).FindAllStringSubmatch(columns, -1)
	if len(want) != len(schema.Fields) {
		t.Errorf("the table has %d columns for %d fields", len(want), len(schema.Fields))
	}
	for i, f := range schema.Fields {
		if kind := fmt.Sprint(f.Type); strings.Contains(kind, "array") || strings.Contains(kind, "map[") {
			t.Errorf("field %s is %s, which sinks of databases do not write", f.Name, kind)
		}
		if union, ok := f.Type.([]any); ok && len(union) > 2 {
			t.Errorf("field %s is a union of %v: Connect's JDBC sinks take one type beside null", f.Name, union)
		}
		if i < len(want) && want[i][1] != f.Name {
			t.Errorf("column %d of the table is %s, field %d is %s", i+1, want[i][1], i+1, f.Name)
		}
	}
}

// changes writes Debezium's records for a table: existing rows, an updated one, a deleted one, and
// its tombstone.
const changes = `
import json, random
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
brokers = {"bootstrap.servers": "localhost:9092"}
admin = AdminClient(brokers)
admin.create_topics([NewTopic("shop.public.documents", num_partitions=1)])["shop.public.documents"].result()
producer = Producer(brokers)
random.seed(1)
def change(op, id, before, after):
    value = None if op is None else json.dumps({"before": before, "after": after, "source": {"connector": "postgresql", "lsn": 24023128}, "op": op, "ts_ms": 1700000000500})
    producer.produce("shop.public.documents", key=json.dumps({"id": id}), value=value)
def row(id, centre):
    return {"id": id, "title": f"document {id}", "embedding": [random.gauss(centre, 1) for _ in range(16)]}
for id in range(2200):
    change("r", id, None, row(id, 3 * (id % 3)))
change("u", 7, row(7, 3), row(7, 6))
change("d", 8, row(8, 6), None)
change(None, 8, None, None)
change("c", 2200, None, row(2200, 0))
producer.flush()
`

// answers reads one output for each change, and prints those of a row, by key.
const answers = `
import json
from confluent_kafka import Consumer
consumer = Consumer({"bootstrap.servers": "localhost:9092", "group.id": "reader", "auto.offset.reset": "earliest"})
consumer.subscribe(["places"])
seen = 0
while seen < 2204:
    message = consumer.poll(1)
    if message is None or message.error():
        continue
    seen += 1
    if json.loads(message.key())["id"] in (7, 8, 2200):
        place = json.loads(message.value()) if message.value() else {}
        print(message.key().decode(), place.get("id"), place.get("title"))
`

// Changes of a table as Debezium writes them: rows are placed, updated and deleted, with one output
// for each change, under its key.
func TestRecipeDebezium(t *testing.T) {
	k := newKitchen(t, "debezium.md")
	k.python(k.here(changes))
	k.placed = 2202
	k.follow(k.page)
	got := map[string][]string{}
	for line := range strings.Lines(string(k.python(k.here(answers)))) {
		key, place, _ := strings.Cut(line, "} ")
		got[key] = append(got[key], strings.TrimSpace(place))
	}
	want := map[string][]string{
		`{"id": 7`: {"7 document 7", "7 document 7"}, `{"id": 8`: {"8 document 8", "None None", "None None"}, `{"id": 2200`: {"2200 document 2200"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("of the rows 7, 8 and 2200 the outputs are %v, expected %v", got, want)
	}
}
