package registry_test

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/avrorec"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/stream"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
)

// TestReal tests the client with a real registry: registering, reading, rejected schemas, and known
// schemas while the registry is unavailable.
func TestReal(t *testing.T) {
	r := registrytest.Start(t)
	c := client(t, registry.Settings{URL: r.URL})
	ctx := t.Context()
	t.Run("unknown", func(t *testing.T) {
		var unknown *registry.UnknownError
		if _, err := c.Schema(ctx, 4711); !errors.As(err, &unknown) {
			t.Errorf("got %v", err)
		}
	})
	id, err := c.Register(ctx, "point", &registry.Schema{Type: registry.Avro, Text: point})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("references", func(t *testing.T) {
		line := &registry.Schema{Type: registry.Avro, Text: `{"type":"record","name":"Line","fields":[{"name":"from","type":"Point"}]}`,
			References: []registry.Reference{{Name: "Point", Subject: "point", Version: 1}}}
		id, err := c.Register(ctx, "line-value", line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Schema(ctx, id)
		if err != nil || len(got.References) != 1 || !strings.Contains(got.References[0].Text, `"Point"`) || got.Type != registry.Avro {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("registered before", func(t *testing.T) {
		again, err := client(t, registry.Settings{URL: r.URL}).Register(ctx, "point", &registry.Schema{Type: registry.Avro, Text: point})
		if err != nil || again != id {
			t.Errorf("%d, %v, want %d", again, err, id)
		}
	})
	t.Run("refused", func(t *testing.T) {
		r.Compatibility(t, "point", "FULL")
		var refused *registry.RefusedError
		other := strings.Replace(point, `"double"`, `"string"`, 1)
		if _, err := c.Register(ctx, "point", &registry.Schema{Type: registry.Avro, Text: other}); !errors.As(err, &refused) || !refused.Incompatible {
			t.Errorf("an incompatible schema: %v", err)
		}
		for text, want := range map[string]bool{point: true, other: false} {
			if ok, why, err := c.Compatible(ctx, "point", &registry.Schema{Type: registry.Avro, Text: text}); err != nil || ok != want {
				t.Errorf("%s is compatible: %t (%s), %v; want %t", text, ok, why, err, want)
			}
		}
		if latest, err := c.Latest(ctx, "point"); err != nil || latest == nil || !strings.Contains(latest.Text, `"Point"`) {
			t.Errorf("the newest schema: %+v, %v", latest, err)
		}
		if none, err := c.Latest(ctx, "nobody's"); err != nil || none != nil {
			t.Errorf("the newest schema of no subject: %+v, %v", none, err)
		}
	})
	t.Run("Python", func(t *testing.T) { python(t, c, r.URL) })
	t.Run("away", func(t *testing.T) {
		if _, err := c.Schema(ctx, id); err != nil {
			t.Fatal(err)
		}
		r.Stop()
		if _, err := c.Schema(ctx, id); err != nil {
			t.Errorf("a known schema: %v", err)
		}
		var unavailable *stream.UnavailableError
		if _, err := c.Schema(ctx, id+1000); !errors.As(err, &unavailable) {
			t.Errorf("an unknown schema: %v", err)
		}
		r.Start()
		var unknown *registry.UnknownError
		if _, err := c.Schema(ctx, id+1000); !errors.As(err, &unknown) {
			t.Errorf("once it is back: %v", err)
		}
	})
}

// python decodes what AvroSerializer of confluent-kafka encodes, and has AvroDeserializer decode
// what this package encodes.
func python(t *testing.T, c *registry.Client, url string) {
	const serialize = `
import sys
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import SerializationContext, MessageField
schema = '{"type":"record","name":"Event","namespace":"shop","fields":[{"name":"id","type":"string"},{"name":"bytes","type":["null","long"],"default":null},{"name":"v","type":{"type":"array","items":"float"}}]}'
s = AvroSerializer(SchemaRegistryClient({"url": sys.argv[1]}), schema)
sys.stdout.buffer.write(s({"id": "a", "bytes": 7, "v": [0.5, 2.0]}, SerializationContext("events", MessageField.VALUE)))
`
	value := foreign.Run(t, serialize, url)
	id, body, err := registry.ParseID(value)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Schema(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	d, err := avrorec.Compile(s.Text, nil, record.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Decode(body, table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, column := range in.Table.Columns() {
		names = append(names, column.Name()+" "+column.Text(0))
	}
	if !slices.Equal(names[:2], []string{"id a", "bytes 7"}) {
		t.Errorf("read %q", names)
	}
	for name, encode := range map[string]func() (*emit.AvroSchema, []byte, error){
		"alone": func() (*emit.AvroSchema, []byte, error) { return new(emit.Avro).Encode(nil, ingesttest.Output(1, 2)) },
		"passed": func() (*emit.AvroSchema, []byte, error) {
			return new(emit.Avro).Pass(nil, ingesttest.Output(1, 2), d, body)
		},
	} {
		schema, out, err := encode()
		if err != nil {
			t.Fatal(err)
		}
		subject := registry.TopicName.Subject(name, schema.Name)
		id, err := c.Register(t.Context(), subject, &registry.Schema{Type: registry.Avro, Text: schema.Text})
		if err != nil {
			t.Fatal(err)
		}
		const deserialize = `
import sys
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import SerializationContext, MessageField
d = AvroDeserializer(SchemaRegistryClient({"url": sys.argv[1]}))
v = d(bytes.fromhex(sys.argv[2]), SerializationContext("x", MessageField.VALUE))
print(v["id"], v.get("bytes"), v.get("v"), v.get("word"), round(v["x"], 4), round(v["y"], 4), v["sigma"], v["model_version"])
`
		framed := append(registry.AppendID(nil, id), out...)
		got := strings.TrimSpace(string(foreign.Run(t, deserialize, url, hex.EncodeToString(framed))))
		want := map[string]string{"alone": "ea None None  0.0 0.1429 0.0 1099511627776", "passed": "a 7 [0.5, 2.0] None 0.0 0.1429 0.0 1099511627776"}[name]
		if got != want {
			t.Errorf("%s: Python reads %q, want %q", name, got, want)
		}
	}
}
