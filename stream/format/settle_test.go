package format_test

import (
	"strings"
	"testing"

	"unfold/ingest/emit"
	"unfold/ingest/record"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
)

// placed writes the event of a JSON record by an encoder, and returns the schema that was registered.
func placed(t *testing.T, e *format.Encoder, client *registry.Client, text string) (string, error) {
	t.Helper()
	got, err := decoder(t, format.Decoding{ID: "id", Spec: record.Spec{ID: "id", Paths: []string{"id", "w"}}}).DecodeNow(t.Context(), &stream.Message{Value: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := got.Table.Column("id")
	w, _ := got.Table.Column("w")
	o := &emit.Output{ID: id, Embedding: vec.Matrix[float32]{Rows: 1, Cols: 2, Data: []float32{1, 2}}, Version: 1, Epoch: 1, MapID: "0"}
	o.Kept = append(o.Kept, w)
	value, _, err := e.Encode(t.Context(), o, format.Wire{Format: format.JSON})
	if err != nil {
		return "", err
	}
	number, _, err := registry.ParseID(value)
	if err != nil {
		t.Fatal(err)
	}
	s, err := client.Schema(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return s.Text, nil
}

// Outputs in Avro have no unions of several types, and integer ids are long. A restarted stage, or
// another stage of the group, encodes columns as registered.
func TestColumnsInAvroHaveOneType(t *testing.T) {
	_, client := schemaRegistry(t)
	encoder := func() *format.Encoder {
		e, err := format.NewEncoder(format.Encoding{Format: format.Avro, Registry: client, Topic: "settled", Strategy: registry.RecordName, RecordName: "shop.Place"})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Subject(format.Avro); got != "shop.Place" {
			t.Errorf("the subject is %s", got)
		}
		return e
	}
	first := encoder()
	for _, c := range []struct{ text, want string }{
		{`{"id": 7, "w": null}`, `"name":"id","type":["null","long"]`}, {`{"id": 8, "w": 1}`, `"name":"w","type":["null","long"]`}, {`{"id": 9, "w": 0.5}`, `"name":"w","type":["null","double"]`},
	} {
		if text, err := placed(t, first, client, c.text); err != nil || !strings.Contains(text, c.want) || strings.Contains(text, `["null","boolean"`) || !strings.Contains(text, `"name":"shop.Place"`) {
			t.Errorf("%s: %s, %v; want %s", c.text, text, err, c.want)
		}
	}
	again := encoder()
	if text, err := placed(t, again, client, `{"id": 10, "w": 2}`); err != nil || !strings.Contains(text, `"name":"w","type":["null","double"]`) {
		t.Errorf("after a start: %s, %v", text, err)
	}
	if _, err := placed(t, again, client, `{"id": "x", "w": 2}`); err == nil || !strings.Contains(err.Error(), `source.types: ["id:text"]`) {
		t.Errorf("a text among integers: %v", err)
	}
}

// A pin that the registry would reject is detected before the first message.
func TestPinsThatComeLater(t *testing.T) {
	fake, client := schemaRegistry(t)
	fake.Seed("later-value", 900, registry.Avro, `{"type":"record","name":"Place","namespace":"unfold","fields":[{"name":"id","type":["null","long"],"default":null},{"name":"w_x","type":["null","double"],"default":null}]}`)
	e, err := format.NewEncoder(format.Encoding{Format: format.Avro, Registry: client, Topic: "later"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(types map[string]record.Type) error {
		return e.CheckPins(t.Context(), types, "event", []string{"event", "w.x"})
	}
	fake.Incompatible("reader union lacking writer type: LONG")
	if err := check(map[string]record.Type{"event": record.Int, "w.x": record.Float, "other": record.Text}); err != nil {
		t.Errorf("pins of the same types: %v", err)
	}
	for column, is := range map[string]string{"event": `["null","long"]`, "w.x": `["null","double"]`} {
		err := check(map[string]record.Type{column: record.Text})
		if err == nil || !strings.Contains(err.Error(), "source.types pins "+column+" to text, and outputs have it as "+is+" under the subject later-value") || !strings.Contains(err.Error(), "lacking writer type") {
			t.Errorf("%s as text: %v", column, err)
		}
	}
	fake.Closed()
	if err := check(map[string]record.Type{"event": record.Text}); err != nil {
		t.Errorf("a registry that is away: %v", err)
	}
}

// A record that the registry would reject, given the subject's schemas, is detected before the
// first message: under another program's subject, or after a renaming.
func TestRecordsAreChecked(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		fake, client := schemaRegistry(t)
		testRecordsAreChecked(t, client, func() { fake.Incompatible("NAME_MISMATCH") })
		fake.Closed()
		if err := checkedBy(t, format.Encoding{Topic: "checked", Registry: client}, nil); err != nil {
			t.Errorf("a registry that is away: %v", err)
		}
	})
	t.Run("real", func(t *testing.T) {
		r := registrytest.Start(t)
		client, err := registry.New(registry.Settings{URL: r.URL})
		if err != nil {
			t.Fatal(err)
		}
		r.Compatibility(t, "", "FULL")
		testRecordsAreChecked(t, client, func() {})
		if err := checkedBy(t, format.Encoding{Topic: "checked", Registry: client}, map[string]record.Type{"id": record.Int}); err != nil {
			t.Errorf("a pin of the type that the records have: %v", err)
		}
		if err := checkedBy(t, format.Encoding{Topic: "checked", Registry: client}, map[string]record.Type{"w": record.Text}); err == nil {
			t.Error("a pin of another type is not refused")
		}
	})
}

// checkedBy checks the records of outputs that have a kept column w.
func checkedBy(t *testing.T, o format.Encoding, types map[string]record.Type) error {
	t.Helper()
	o.Format = format.Avro
	e, err := format.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return e.CheckRecord(t.Context(), 2, types, "id", []string{"id", "w", "id", ""})
}

// testRecordsAreChecked checks them with a registry that is made to reject different schemas.
func testRecordsAreChecked(t *testing.T, client *registry.Client, refuse func()) {
	own := format.Encoding{Format: format.Avro, Topic: "checked", Registry: client}
	if err := checkedBy(t, own, nil); err != nil {
		t.Errorf("a subject that has nothing: %v", err)
	}
	e, err := format.NewEncoder(own)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := placed(t, e, client, `{"id": 7, "w": 0.5}`); err != nil {
		t.Fatal(err)
	}
	if err := checkedBy(t, own, nil); err != nil {
		t.Errorf("the same records: %v", err)
	}
	if _, err := client.Register(t.Context(), "shop.Place", &registry.Schema{Type: registry.Avro,
		Text: `{"type":"record","name":"Place","namespace":"shop","fields":[{"name":"shelf","type":"string"}]}`}); err != nil {
		t.Fatal(err)
	}
	refuse()
	foreign := format.Encoding{Topic: "checked", Registry: client, Strategy: registry.RecordName, RecordName: "shop.Place"}
	if err := checkedBy(t, foreign, nil); err == nil || !strings.Contains(err.Error(), "refuses next to its records shop.Place (") || !strings.Contains(err.Error(), "sink.record_name") {
		t.Errorf("under another program's subject: %v", err)
	}
	renamed := own
	renamed.RecordName = "shop.Renamed"
	if err := checkedBy(t, renamed, nil); err == nil || !strings.Contains(err.Error(), "outputs are records shop.Renamed") || !strings.Contains(err.Error(), "unfold.Place (") {
		t.Errorf("with another name: %v", err)
	}
}
