package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"unfold/internal/setting"
	"unfold/models/lvm"
	"unfold/models/saul"
)

func environment(pairs ...string) Lookup {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "unfold.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, text string, env Lookup, flags map[string]string) *Config {
	t.Helper()
	c, err := Load(file(t, text), env, flags)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const whole = `
source: {kafka: {brokers: ["a:1", "b:2"], topic: events, group: unfold}, vector: embedding, id: event_id, keep: [label, ts]}
model:  {kind: lvm, dims: 2, neighbors: auto, pca: 50, seed: 1}
reference: {min: 2000, size: 50000, policy: window}
refresh: {every: 10s, new: 2%}
sink:   {kafka: {topic: embeddings}}
dead_letter: {topic: events-dlq}
delivery: at-least-once
state:  file:///var/lib/unfold
http:   127.0.0.1:8080
`

func TestWholeFile(t *testing.T) {
	c := load(t, whole, environment(), nil)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := c.Source.Kafka.Brokers; !slices.Equal(got, []string{"a:1", "b:2"}) {
		t.Errorf("brokers %q", got)
	}
	if c.Source.Vector != "embedding" || c.Source.ID != "event_id" || !slices.Equal(c.Source.Keep, []string{"label", "ts"}) {
		t.Errorf("columns %+v", c.Source.Columns)
	}
	if c.Model.PCA != 50 || c.Model.Neighbors != (setting.Range{}) || c.Model.Steps != -1 ||
		textOf(t, c, "model.level") != "auto" || textOf(t, c, "model.tails") != "student" || textOf(t, c, "model.weight") != "auto" {
		t.Errorf("model %+v", c.Model)
	}
	if c.Refresh.Every != Duration(10*time.Second) || c.Refresh.New != 0.02 {
		t.Errorf("refresh %+v", c.Refresh)
	}
	if folder, err := c.StateFolder(); folder != "/var/lib/unfold" || err != nil {
		t.Errorf("state folder %q, %v", folder, err)
	}
}

func TestLaterPlacesWin(t *testing.T) {
	const text = "model: {dims: 3, steps: 30, seed: 33}\n"
	env := environment("UNFOLD_MODEL_STEPS", "40", "UNFOLD_MODEL_SEED", "44")
	c := load(t, text, env, map[string]string{"model.seed": "55"})
	if c.Model.Dims != (setting.Span{3, 3}) || c.Model.Steps != 40 || c.Model.Seed != 55 || textOf(t, c, "model.core") != "1" {
		t.Errorf("dims %d from the file, steps %d from the environment, seed %d from a flag, core %s by default",
			c.Model.Dims, c.Model.Steps, c.Model.Seed, textOf(t, c, "model.core"))
	}
}

// textOf returns the value of a key as text.
func textOf(t *testing.T, c *Config, path string) string {
	t.Helper()
	k, there := Find(path)
	if !there {
		t.Fatalf("there is no key %s", path)
	}
	return k.Text(c)
}

func TestVariables(t *testing.T) {
	env := environment("BROKER", "k:9092", "ODD", `a: "b" # c`)
	c := load(t, `
source: {kafka: {brokers: ["${BROKER}", "${OTHER:x:1}"], topic: "t-${EMPTY:}-$${LITERAL}", group: "${ODD}"}}
`, env, nil)
	if got := c.Source.Kafka.Brokers; !slices.Equal(got, []string{"k:9092", "x:1"}) {
		t.Errorf("brokers %q", got)
	}
	if got := c.Source.Kafka.Topic; got != "t--${LITERAL}" {
		t.Errorf("topic %q", got)
	}
	if got := c.Source.Kafka.Group; got != `a: "b" # c` {
		t.Errorf("group %q: a variable's value is no YAML", got)
	}
}

// Variables need no quotes anywhere, and their values are not parsed as YAML.
func TestVariablesUnquoted(t *testing.T) {
	values := map[string]string{"TOPIC": "events", "ODD": `{a: "b", 'c'} # d, [e]: - &f *g ${TOPIC}`}
	env := environment("TOPIC", values["TOPIC"], "ODD", values["ODD"])
	for _, c := range []struct{ file, want string }{
		{"source: {kafka: {topic: ${TOPIC}}}", "events"},
		{"source: {kafka: {topic: ${TOPIC}, group: g}}", "events"},
		{"source: {kafka: {topic: a-${TOPIC}-${TOPIC}}}", "a-events-events"},
		{"source: {kafka: {topic: ${ODD}}}", values["ODD"]},
		{"source:\n  kafka:\n    topic: ${ODD}", values["ODD"]},
		{"source: {kafka: {topic: '${ODD}'}}", values["ODD"]},
		{`source: {kafka: {topic: "${ODD}"}}`, values["ODD"]},
		{"source: {kafka: {topic: ${NONE:x}}}", "x"},
		{"source: {kafka: {topic: ${NONE:}}}", ""},
		{"source: {kafka: {topic: ${NONE:a: b, [c] {d #e}}}", "a: b, [c] {d #e"},
		{"source:\n  kafka:\n    topic: ${NONE:a: b #c}", "a: b #c"},
		{`source: {kafka: {topic: "${NONE:say \"a\"}"}}`, `say "a"`},
		{"source: {kafka: {topic: '${NONE:it''s}'}}", "it's"},
		{"source: {kafka: {topic: $${TOPIC}}}", "${TOPIC}"},
		{"source: {kafka: {topic: \U000F0000\U000F007B${TOPIC}}} # \U000F0080", "\U000F0000\U000F007Bevents"},
		{"source: {kafka: {topic: x}} # ${TOPIC} ${", "x"},
	} {
		if got := load(t, c.file, env, nil).Source.Kafka.Topic; got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
	c := load(t, "source: {kafka: {brokers: [${A:x:1},${B:y:2}, z:3]}}", env, nil)
	if got := c.Source.Kafka.Brokers; !slices.Equal(got, []string{"x:1", "y:2", "z:3"}) {
		t.Errorf("brokers %q", got)
	}
}

func TestLoopbackAndCollector(t *testing.T) {
	for _, address := range []string{"127.0.0.1:1", "localhost:1", "[::1]:1", "127.8.8.8:0"} {
		c := load(t, strings.Replace(whole, "127.0.0.1:8080", fmt.Sprintf("%q\nhttp_pprof: true", address), 1), environment(), nil)
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for endpoint, want := range map[string]string{"": "", "http://a:4318": "http://a:4318/v1/traces", "https://a/otel/": "https://a/otel/v1/traces"} {
		if got, err := (Trace{endpoint}).URL(); got != want || err != nil {
			t.Errorf("%q: %q, %v", endpoint, got, err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), environment(), nil)
	if err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("error %v", err)
	}
}

func TestEmptyFilesAndSectionsAreDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "source:\nmodel:\n", "model: {dims: }\nstate:\n"} {
		c := load(t, text, environment(), nil)
		if c.Model.Dims != (setting.Span{2, 2}) || c.Refresh.Every != Duration(10*time.Second) {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

func TestKeys(t *testing.T) {
	flags, envs := map[string]bool{}, map[string]bool{}
	for _, k := range Keys() {
		if k.Help == "" {
			t.Errorf("%s has no help", k.Path)
		}
		if flags[k.Flag()] || envs[k.Env()] {
			t.Errorf("%s: flag --%s or variable %s is taken twice", k.Path, k.Flag(), k.Env())
		}
		flags[k.Flag()], envs[k.Env()] = true, true
	}
	if k, ok := Find("source.kafka.topic"); !ok || k.Flag() != "source-kafka-topic" || k.Env() != "UNFOLD_SOURCE_KAFKA_TOPIC" {
		t.Errorf("source.kafka.topic: %+v", k)
	}
	if k, _ := Find("dead_letter.topic"); k.Flag() != "dead-letter-topic" || k.Env() != "UNFOLD_DEAD_LETTER_TOPIC" {
		t.Errorf("dead_letter.topic: flag %s, variable %s", k.Flag(), k.Env())
	}
}

// The published model can be configured completely.
func TestGaussianTailsAreAsPublished(t *testing.T) {
	c := load(t, strings.Replace(whole, "seed: 1", "tails: gaussian, core: 2, level: 0, steps: 0, components: largest, place: em", 1), environment(), nil)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s := c.Model.Spec()
	if o := s.LVM.Saul; s.LVM.Tails != lvm.Gaussian || o.Core != 2 || o.Level != saul.NoCoarseGraining || s.Steps != -1 || o.Components != saul.Largest {
		t.Errorf("%+v", s)
	}
}

// Every key parses its own text to the same value.
func TestTextRoundTrips(t *testing.T) {
	c := load(t, whole, environment(), nil)
	for _, k := range Keys() {
		text := k.Text(c)
		if text == "" {
			continue
		}
		again := Defaults()
		if err := k.Set(again, text); err != nil {
			t.Errorf("%s: %v", k.Path, err)
		} else if k.Text(again) != text {
			t.Errorf("%s: %q became %q", k.Path, text, k.Text(again))
		}
	}
}

// Load returns settings or an *Error for any file.
func TestAnyText(t *testing.T) {
	word := rapid.SampledFrom([]string{"source", "kafka", "model", "dims", ":", "{", "}", "[", "]", "${", "}", "A", "\n", " ", "- ", "&a", "*a", "2", "10s", "!!x", "\"", "<<"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(word).Draw(t, "words"), "")
		c := Defaults()
		for _, p := range c.readYAML("x.yaml", []byte(text), environment("A", "1")) {
			if p.Message == "" {
				t.Fatalf("%q: a problem without a message", text)
			}
		}
	})
}

func TestUnknownVariables(t *testing.T) {
	got := UnknownVariables([]string{"UNFOLD_MODEL_DIM=2", "UNFOLD_MODEL_DIMS=2", "UNFOLD_XYZZY_PLUGH_FROBOZZ=1", "PATH=/bin", "UNFOLD_CONFIG=x"})
	if len(got) != 1 || got[0].Where != "UNFOLD_MODEL_DIM" || !strings.Contains(got[0].Hint, "UNFOLD_MODEL_DIMS") {
		t.Errorf("%v", got)
	}
}

func TestEvery(t *testing.T) {
	for text, want := range map[string]Every{"auto": 0, "never": -1, "7": 7} {
		var e Every
		if err := e.UnmarshalText([]byte(text)); err != nil || e != want || e.String() != text {
			t.Errorf("%s: %d, %v, %v", text, e, e, err)
		}
	}
}

// The topic of moves needs ids as keys, a separate topic, and a threshold.
// wrong checks that loading and validating a configuration returns the error want, or none if want
// is empty.
// Clusters need a minimum size before other settings, valid numbers, and separate columns and
// topics.
