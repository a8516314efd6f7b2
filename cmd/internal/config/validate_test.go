package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/setting"
)

func TestWhatIsWrongIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		want  []string
		where string
	}{
		"slip":          {"modle: {dims: 2}", []string{"modle", "there is no such setting", "did you mean model?"}, ":1:1"},
		"slip below":    {"source:\n  kafka:\n    topik: x", []string{"source.kafka.topik", "did you mean source.kafka.topic?"}, ":3:5"},
		"elsewhere":     {"topic: x", []string{"did you mean source.kafka.topic?"}, ":1:1"},
		"wrong section": {"model: {policy: window}", []string{"did you mean reference.policy?"}, ":1:9"},
		"no idea":       {"zzzzzzzz: 1", []string{"there are source, model"}, ":1:1"},
		"choice":        {"reference: {policy: reservior}", []string{"none of reservoir, window", "did you mean reservoir?"}, ":1:21"},
		"role":          {"role: lern", []string{`"lern" is none of all, learn, embed (did you mean learn?)`}, ":1:7"},
		"time":          {"refresh: {every: 10}", []string{"not a time span", "10s"}, ":1:18"},
		"explained":     {"explain: {above: 99}", []string{"not a share"}, ":1:18"},
		"share":         {"refresh: {new: 300%}", []string{"not a share"}, ":1:16"},
		"whole":         {"model: {dims: two}", []string{"not a whole number"}, ":1:15"},
		"least":         {"model: {dims: 0}", []string{"at least 1"}, ":1:15"},
		"number":        {"model: {weight: -1}", []string{"neither auto nor a number above 0"}, ":1:17"},
		"auto":          {"model: {pca: some}", []string{"neither auto, none nor a number"}, ":1:14"},
		"every":         {"refresh: {gentle: often}", []string{"neither auto, never nor a number"}, ":1:19"},
		"twice":         {"http: off\nstate: x\nmodel: {dims: 2}\nmodel: {core: 2}", []string{"given twice"}, ":4:1"},
		"list":          {"http: [a]", []string{"expected one value, not a list"}, ":1:7"},
		"value":         {"source: events", []string{"expected settings by name (kafka", `the value "events"`}, ":1:9"},
		"nested list":   {"source: {keep: [[a]]}", []string{"expected a word, not a list"}, ":1:17"},
		"variable":      {"state: ${NOWHERE}", []string{"no variable NOWHERE", "${NOWHERE:default}"}, ":1:8"},
		"in braces":     {"source: {id: ${NOWHERE}}", []string{"no variable NOWHERE"}, ":1:14"},
		"behind one":    {"source: {id: ${X:a: b}, lable: x}", []string{"did you mean source.label?"}, ":1:25"},
		"as a name":     {"source: {${X:idd}: x}", []string{"${X:idd}", "there is no such setting"}, ":1:10"},
		"bad variable":  {"state: ${", []string{"names no variable"}, ":1:8"},
		"yaml":          {"a: [", []string{"not YAML: line 1"}, "unfold.yaml"},
	} {
		_, err := Load(file(t, c.text), environment(), nil)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, expected an *Error", name, err)
			continue
		}
		for _, want := range append(c.want, c.where) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q lacks %q", name, err, want)
			}
		}
	}
}

func TestAllProblemsComeAtOnce(t *testing.T) {
	_, err := Load(file(t, "modle: 1\nrefresh: {every: x}\n"), environment("UNFOLD_MODEL_DIMS", "many"), map[string]string{"model.core": "0"})
	var e *Error
	if !errors.As(err, &e) || len(e.Problems) != 4 {
		t.Fatalf("error %v, expected four problems", err)
	}
	for _, want := range []string{"4 settings are wrong", "UNFOLD_MODEL_DIMS: model.dims", "--model-core: 0 is too small"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"missing":      {"", "source.kafka.brokers: missing; give it in the file, as --source-kafka-brokers or as UNFOLD_SOURCE_KAFKA_BROKERS"},
		"broker":       {strings.Replace(whole, `"a:1"`, "a", 1), `"a": not HOST:PORT`},
		"loop":         {strings.Replace(whole, "topic: embeddings", "topic: events", 1), "would read what it writes"},
		"dead letter":  {strings.Replace(whole, "events-dlq", "events", 1), "already the source's or the sink's"},
		"no labels":    {strings.Replace(whole, "seed: 1", "supervision: 0.5", 1), "labels are to take part in learning, and there are none"},
		"sizes":        {strings.Replace(whole, "size: 50000", "size: 1999", 1), "smaller than reference.min"},
		"few":          {strings.Replace(strings.Replace(whole, "min: 2000", "min: 20", 1), "neighbors: auto", "neighbors: 30", 1), "at least 32"},
		"no user":      {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: plain, password_env: PW}}", 1), "source.kafka.sasl.user: missing"},
		"no password":  {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: plain, user: a}}", 1), "source.kafka.sasl.password_file: name either a file or"},
		"no mechanism": {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {user: a, password_env: PW}}", 1), "and no mechanism"},
		"no token":     {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: oauthbearer}}", 1), "source.kafka.sasl.token_file: name either a file or, with token_command"},
		"two tokens":   {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: oauthbearer, token_file: a, token_command: b}}", 1), "name either a file or"},
		"token's user": {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: oauthbearer, token_file: a, user: b}}", 1), "user and password do not go with oauthbearer"},
		"token for":    {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: plain, user: b, password_env: A, token_file: a}}", 1), "a token goes with oauthbearer, not with plain"},
		"extensions":   {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: oauthbearer, token_file: a, extensions: b}}", 1), `sasl.extensions: "b" is not NAME=VALUE`},
		"region for":   {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: oauthbearer, token_file: a, region: b}}", 1), "a region goes with aws-msk-iam"},
		"msk's user":   {strings.Replace(whole, "group: unfold}", "group: unfold, sasl: {mechanism: aws-msk-iam, user: b}}", 1), "do not go with aws-msk-iam"},
		"no key":       {strings.Replace(whole, "group: unfold}", "group: unfold, tls: {cert: a.pem}}", 1), "a certificate needs its key"},
		"sink's TLS":   {strings.Replace(whole, "{topic: embeddings}", "{topic: embeddings, tls: {enable: true}}", 1), "sink.kafka: TLS and SASL are those of the source"},
		"two clusters": {strings.Replace(strings.Replace(whole, "at-least-once", "exactly-once", 1), "{topic: embeddings}", `{topic: embeddings, brokers: ["c:1"]}`, 1),
			"delivery: exactly-once is possible on one cluster only"},
		"state":      {strings.Replace(whole, "file:///var/lib/unfold", "s3://bucket", 1), "s3:// is not known here"},
		"state host": {strings.Replace(whole, "file:///var", "file://var", 1), "three slashes"},
		"http":       {strings.Replace(whole, "127.0.0.1:8080", "localhost", 1), "HOST:PORT"},
		"pprof":      {strings.Replace(whole, "127.0.0.1:8080", ":8080\nhttp_pprof: true", 1), `http_pprof: profiles are for this machine alone, and http is ":8080"`},
		"pprof off":  {strings.Replace(whole, "127.0.0.1:8080", "off\nhttp_pprof: true", 1), "set http to 127.0.0.1:PORT"},
		"pprof away": {strings.Replace(whole, "127.0.0.1:8080", "10.0.0.1:8080\nhttp_pprof: true", 1), "set http to 127.0.0.1:PORT"},
		"place open": {strings.Replace(whole, "127.0.0.1:8080", "0.0.0.0:8080\nhttp_place: true", 1), "http_place: others than this machine reach 0.0.0.0:8080; name a file with a token"},
		"image":      {whole + "page: {image: 28}\n", `page.image: "28" is not a width and a height, such as 28x28`},
		"origin":     {whole + "page: {images_from: [\"https://a.example/pictures\"]}\n", `page.images_from: "https://a.example/pictures" is not an origin`},
		"probe":      {strings.Replace(whole, "127.0.0.1:8080", "127.0.0.1:8080\nprobe: there", 1), "probe: "},
		"place off":  {strings.Replace(whole, "127.0.0.1:8080", "off\nhttp_place: true", 1), "http_place: there is no address to answer on"},
		"above":      {whole + "explain: {above: 0.95}\n", "explain.columns: no event is explained without it; say how many columns"},
		"likelihood": {strings.NewReplacer("kind: lvm", "kind: isomap", "{topic: embeddings}", "{topic: embeddings}, loglik: true").Replace(whole), "sink.loglik: models of kind isomap have no likelihood"},
		"above all":  {whole + "explain: {above: 1, columns: 5}\n", "explain.above: no percentile is above 100%"},
		"drift off":  {whole + "drift: {false_alarm: 500}\n", "drift.window: without it drift is not watched; say how many events"},
		"drift":      {whole + "drift: {window: 20}\n", "drift.window: 20; a window has at least 50 events"},
		"drift rate": {whole + "drift: {window: 200, false_alarm: 300}\n", "drift.false_alarm: 300; give between 10 and 1000 windows of 200"},
		"drift near": {whole + "drift: {window: 200, neighbors: 200}\n", "drift.neighbors: 200; give at least 1 and fewer than"},
		"drift set":  {strings.Replace(whole, "policy: window}", "policy: coverage}\ndrift: {window: 200}", 1), "drift.window: a reference set with reference.policy coverage is no sample"},
		"kept":       {strings.Replace(whole, "id: event_id", "id: event_id, label: reasons", 1) + "explain: {columns: 5}\n", `source.keep: column "reasons" cannot be kept`},
		"classes":    {strings.Replace(whole, "id: event_id", "id: event_id, class_probabilities: true", 1), "source.class_probabilities: no classes are predicted; name the column of labels"},
		"class name": {strings.Replace(whole, "id: event_id", "id: event_id, class_probabilities: true, label: class_entropy", 1), `source.keep: column "class_entropy" cannot be kept`},
		"one space":  {strings.NewReplacer("kind: lvm", "kind: gplvm", "seed: 1", "seed: 1, supervision: 1").Replace(whole), "model.supervision: labels are to take part in learning, and there are none; name the column of labels"},
		"trace":      {whole + "trace: {endpoint: localhost:4318}\n", `trace.endpoint: "localhost:4318" is not the URL of a collector; write http://HOST:4318`},
		"largest":    {strings.Replace(whole, "seed: 1", "components: largest", 1), "model.components: with heavy tails all components"},
		"core":       {strings.Replace(whole, "seed: 1", "core: 2", 1), "model.core: it belongs to Gaussian tails"},
		"level":      {strings.Replace(whole, "seed: 1", "level: 0", 1), "model.level: it belongs to Gaussian tails"},
		"input":      {strings.Replace(whole, "seed: 1", "coarse: input", 1), "model.coarse: input belongs to Gaussian tails"},
		"map":        {strings.Replace(whole, "seed: 1", "tails: gaussian, coarse: map", 1), "model.coarse: map belongs to heavy tails"},
		"unit":       {strings.Replace(whole, "seed: 1", "tails: gaussian, scales: unit", 1), "model.scales: unit belongs to heavy tails"},
		"weight":     {strings.Replace(whole, "seed: 1", "tails: gaussian, weight: 0.1", 1), "model.weight: 0.1 belongs to heavy tails"},
		"thorough":   {strings.Replace(whole, "seed: 1", "tails: gaussian, thorough: true", 1), "model.thorough: it belongs to heavy tails"},
		"em":         {strings.Replace(whole, "seed: 1", "place: em", 1), "model.place: em goes with Gaussian tails"},
		"robust":     {strings.Replace(whole, "seed: 1", "tails: gaussian, place: robust", 1), "model.place: robust goes with heavy tails"},
		"both":       {strings.Replace(whole, "id: event_id", "columns: [a]", 1), "keep one of them"},
	} {
		err := load(t, c.text, environment(), nil).Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, c.want)
		}
	}
}

func TestMoves(t *testing.T) {
	base := "source: {kafka: {brokers: ['a:1'], topic: in}%s}\nsink: {kafka: {topic: out}, moves: %s}\nmoves: {threshold: %s}\n"
	for name, c := range map[string]struct{ id, topic, threshold, want string }{
		"right":        {", id: event", "moved", "2%", ""},
		"no ids":       {"", "moved", "2%", "sink.moves"},
		"not its own":  {", id: event", "out", "2%", "sink.moves"},
		"all the time": {", id: event", "moved", "0", "moves.threshold"},
	} {
		wrong(t, name, fmt.Sprintf(base, c.id, c.topic, c.threshold), c.want)
	}
}

func wrong(t *testing.T, name, text, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(path, environment(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = cfg.Validate()
	if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v", name, err)
	}
}

func TestClusters(t *testing.T) {
	for name, c := range map[string]struct{ keep, sink, clusters, want string }{
		"none":            {"", "", "{}", ""},
		"right":           {"", ", clusters: groups", "{min_size: 50, min_samples: 5, selection: leaf}", ""},
		"no size":         {"", "", "{min_samples: 5}", "clusters.min_size"},
		"input":           {"", "", "{min_size: 50, in: input}", ""},
		"no size of rows": {"", "", "{in: input}", "clusters.min_size"},
		"no size of leaf": {"", "", "{selection: leaf}", "clusters.min_size"},
		"one point":       {"", "", "{min_size: 1}", "clusters.min_size"},
		"kept":            {", keep: [cluster]", "", "{min_size: 50}", `"cluster" cannot be kept`},
		"no clusters":     {"", ", clusters: groups", "{}", "sink.clusters"},
		"not its own":     {"", ", clusters: out", "{min_size: 50}", "sink.clusters"},
	} {
		wrong(t, name, fmt.Sprintf("source: {kafka: {brokers: ['a:1'], topic: in}%s}\nsink: {kafka: {topic: out}%s}\nclusters: %s\n", c.keep, c.sink, c.clusters), c.want)
	}
}

func TestRangesOfNumbers(t *testing.T) {
	for text, want := range map[string]setting.Range{"auto": {}, "7": {7, 7}, "6:15": {6, 15}, "3:3": {3, 3}} {
		var r setting.Range
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%s: got %v, %v", text, r, err)
		}
		var again setting.Range
		if err := again.UnmarshalText([]byte(r.String())); err != nil || again != r {
			t.Errorf("%s is written as %s, which is %v (%v)", text, r, again, err)
		}
	}
	for _, text := range []string{"", "0", "0:3", "5:4", "3:", ":3", "a:b", "1:2:3", "-1"} {
		if err := new(setting.Range).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a range", text)
		}
	}
	for text, want := range map[string]setting.Span{"2": {2, 2}, "1:5": {1, 5}} {
		var s setting.Span
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want || s.String() != text {
			t.Errorf("%s: got %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"auto", "", "0", "2:1", "x"} {
		if err := new(setting.Span).UnmarshalText([]byte(text)); err == nil || strings.Contains(err.Error(), "auto a") {
			t.Errorf("%q is taken for a number or a range, or the error is %v", text, err)
		}
	}
}

func TestNumbersFromZeroOn(t *testing.T) {
	for text, want := range map[string]NonNegative{"auto": -1, "0": 0, "0.1": 0.1, "10": 10} {
		var a NonNegative
		if err := a.UnmarshalText([]byte(text)); err != nil || a != want || a.String() != text {
			t.Errorf("%s: got %v, %v", text, a, err)
		}
	}
	for _, text := range []string{"", "-1", "NaN", "Inf", "firm"} {
		if err := new(NonNegative).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a number from 0 on", text)
		}
	}
}

func TestSettingsOfAnotherKindAreNamed(t *testing.T) {
	for _, c := range []struct{ set, key string }{
		{"kind=lllvm tails=gaussian", "model.tails"}, {"kind=lllvm place=em", "model.place"}, {"kind=lllvm thorough=true", "model.thorough"},
		{"points=500", "model.points"}, {"restarts=2", "model.restarts"}, {"neighbors=6:15", "model.neighbors"},
		{"kind=lllvm neighbors=6:15 points=500 restarts=3 patch=200 learn_alpha=true dims=3", ""}, {"patch=100", "model.patch"}, {"kind=lllvm", ""}, {"neighbors=7", ""},
		{"kind=lllvm steps=0", "model"}, {"kind=lllvm smooth=true", "model.smooth"},
		{"kind=gplvm points=500 restarts=3 kernel=mlp+white smooth=true", ""}, {"kind=gplvm learn_alpha=true", "model.learn_alpha"},
		{"kind=gplvm start=isomap optimizer=lbfgs", ""}, {"kind=gplvm active=100 points=5000 steps=10", ""}, {"kind=gplvm active=2", "model"},
		{"kind=gplvm active=50 optimizer=lbfgs", "model"}, {"kind=gplvm jumps=3", ""}, {"kind=gplvm jumps=3 active=50", "model"}, {"jumps=3", "model.jumps"}, {"start=graph", "model.start"}, {"kind=lllvm active=50", "model.active"},
		{"kind=gplvm noise=probit", ""}, {"kind=gplvm noise=probit pca=3", "model"}, {"kind=gplvm noise=probit jumps=2", "model"}, {"noise=probit", "model.noise"},
		{"kind=gplvm kernel=poly", "model"}, {"kind=gplvm tails=gaussian", "model.tails"}, {"kernel=mlp", "model.kernel"},
	} {
		cfg := Defaults()
		for _, set := range strings.Fields(c.set) {
			name, value, _ := strings.Cut(set, "=")
			k, _ := Find("model." + name)
			if err := k.Set(cfg, value); err != nil {
				t.Fatal(err)
			}
		}
		if p, wrong := cfg.Model.Problem(); p.Key != c.key || wrong != (c.key != "") {
			t.Errorf("%s: %v, %+v", c.set, wrong, p)
		}
	}
}
