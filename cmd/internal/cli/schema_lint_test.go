package cli

import (
	"fmt"
	"strings"
	"testing"

	"unfold/stream/registry"
	"unfold/stream/registry/registrytest"
)

// A schema of outputs that the registry would refuse, because of a pin that came later or of another
// program's subject, is refused by lint and by the start, before a message becomes a dead letter.
func TestRefusedSchemasAreForeseen(t *testing.T) {
	t.Parallel()
	brokers, _ := broker(t, "events", "places", "dead")
	for name, c := range map[string]struct {
		source, sink string
		want         string // the error; "": none
	}{
		"the types that it has":      {`types: ["id:int"], `, "", ""},
		"a pin that came later":      {`types: ["id:text"], `, "", `source.types pins id to text, and outputs have it as ["null","long"] under the subject places-value`},
		"another program's subject":  {"", ", subject: record, record_name: shop.Place", "sink.record_name"},
		"a subject that has nothing": {"", ", subject: record, record_name: shop.Map", ""},
	} {
		schemas := registrytest.StartFake(t)
		schemas.Seed("places-value", 1, registry.Avro, `{"type":"record","name":"Place","namespace":"unfold","fields":[{"name":"id","type":["null","long"],"default":null}]}`)
		schemas.Seed("shop.Place", 2, registry.Avro, `{"type":"record","name":"Place","namespace":"shop","fields":[{"name":"shelf","type":"string"}]}`)
		configuration := t.TempDir() + "/stage.yaml"
		write(t, configuration, fmt.Sprintf("source: {kafka: {brokers: [%q], topic: events}, %sid: id, vector: v}\nsink: {kafka: {topic: places}, format: avro%s}\n"+
			"dead_letter: {topic: dead}\nregistry: {url: %q}\nhttp: off\nstate: %s\n", brokers[0], c.source, c.sink, schemas.URL(), t.TempDir()))
		if c.want != "" {
			schemas.Incompatible("reader type not compatible")
			if code, _, log := run(t, "run", "-c", configuration); code == 0 || !strings.Contains(strings.ReplaceAll(log, `\"`, `"`), c.want) {
				t.Errorf("%s: run exits with %d:\n%s", name, code, log)
			}
		}
		code, out, _ := run(t, "lint", "-c", configuration)
		if c.want == "" && code != 0 || c.want != "" && (code == 0 || !strings.Contains(out, c.want)) {
			t.Errorf("%s: lint exits with %d:\n%s\nwant %s", name, code, out, c.want)
		}
	}
}
