package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/cmd/internal/config"
)

// TestFormats: formats that the settings do not allow, and conflicting settings, are rejected with
// a hint.
func TestFormats(t *testing.T) {
	const registry = "\nregistry: {url: \"http://localhost:8081\"}"
	for name, c := range map[string]struct{ source, more, want string }{
		"nothing said":                  {"", "", ""},
		"a registry":                    {"", registry, ""},
		"several of them":               {"", "\nregistry: {url: \"http://a:8081, https://b\"}", ""},
		"types":                         {"types: [\"a.b:text\", \"t:time\"]", "", ""},
		"a type that is none":           {"types: [\"a:txt\"]", "", `source.types: column "a": unknown type "txt"; did you mean "text"`},
		"types of arrow":                {"format: arrow, types: [\"a:text\"]", "", "source.types"},
		"avro without a schema":         {"format: avro", "", "give registry.url or source.schema"},
		"avro with a registry":          {"format: avro", registry, ""},
		"avro with a file":              {"format: avro, schema: e.avsc", "\nsink: {format: json}", ""},
		"a file's name says it":         {"schema: e.proto, message: Event", "\nsink: {format: arrow}", ""},
		"a file's name does not say it": {"schema: e.txt", "", "source.format: the name of e.txt does not say"},
		"a file of another format":      {"format: avro, schema: e.proto", "", "e.proto is a schema of protobuf, and source.format is avro"},
		"a schema for json":             {"format: json, schema: e.avsc", "", "json needs no schema"},
		"a message without a schema":    {"message: Event", "", "source.message"},
		"a message of avro":             {"format: avro, schema: e.avsc, message: Event", "\nsink: {format: json}", "it goes with protobuf"},
		"the same without a registry":   {"schema: e.avsc", "", "sink.format: outputs in avro"},
		"avro out without a registry":   {"", "\nsink: {format: avro}", "sink.format: avro needs a registry"},
		"avro out with a registry":      {"", "\nsink: {format: avro, subject: record, record_name: shop.Place}" + registry, ""},
		"a subject of all stages":       {"", "\nsink: {format: avro, subject: record}" + registry, "sink.subject: under the record's name, which is the same for all stages"},
		"a name that is none":           {"", "\nsink: {format: avro, record_name: shop-a.Place}" + registry, "sink.record_name"},
		"a subject without a registry":  {"", "\nsink: {subject: record}", "sink.subject"},
		"json passed":                   {"", "\nsink: {format: json, pass: true}", ""},
		"records of any kind passed":    {"", "\nsink: {pass: true}", ""},
		"arrow passed":                  {"format: arrow", "\nsink: {pass: true}", "sink.pass"},
		"json passed as avro":           {"format: json", "\nsink: {format: avro, pass: true}" + registry, "sink.pass"},
		"a password in the address":     {"", "\nregistry: {url: \"http://me:secret@localhost\"}", "registry.url: it holds a user or a password"},
		"an address that is none":       {"", "\nregistry: {url: \"localhost:8081\"}", "registry.url"},
		"a user without a password":     {"", "\nregistry: {url: \"http://localhost\", user: me}", "registry.password_file"},
		"a password without a user":     {"", "\nregistry: {url: \"http://localhost\", password_env: P}", "registry.user"},
		"a user without a registry":     {"", "\nregistry: {user: me}", "registry.url: missing"},
		"a certificate without its key": {"", "\nregistry: {url: \"https://localhost\", tls: {cert: a.pem}}", "registry.tls.cert"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.yaml")
			source := "source: {kafka: {brokers: [\"localhost:9092\"], topic: events}"
			if c.source != "" {
				source += ", " + c.source
			}
			sink := "\nsink: {kafka: {topic: places}}"
			if strings.Contains(c.more, "\nsink: {") {
				sink = ""
			}
			text := source + "}" + sink + strings.Replace(c.more, "\nsink: {", "\nsink: {kafka: {topic: places}, ", 1) + "\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			set, err := config.Load(path, func(string) (string, bool) { return "", false }, nil)
			if err != nil {
				t.Fatal(err)
			}
			switch err := set.Validate(); {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("a password is said: %v", err)
			}
		})
	}
}
