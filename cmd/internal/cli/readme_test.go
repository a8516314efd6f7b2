package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/score"
	"unfold/stream"
	"unfold/stream/streamtest"
)

func section(t *testing.T, title string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page(t, filepath.Join(repository, "README.md")), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("README has no section %q", title)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// script returns the Python block of a text that starts with the script's name.
func script(t *testing.T, text, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "```python\n# "+name+"\n")
	if !ok {
		t.Fatalf("there is no script %s", name)
	}
	block, _, _ := strings.Cut(rest, "```")
	return block
}

// README's recipe for sentences runs unchanged. Neither the corpus nor the language model can be
// installed from a package registry, so modules in testdata/readme give what these two gave for a
// larger data set. UNFOLD_NOUNS is the path to which the picture is copied: make nouns.
func TestReadmeSentences(t *testing.T) {
	tier.Data(t)
	text := section(t, "Sentences: embeddings of a language model")
	modules, err := filepath.Abs(filepath.Join("testdata", "readme"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	foreign.Run(t, "import sys\nsys.path.insert(0, "+strconv.Quote(modules)+")\n"+script(t, text, "sentences.py"))
	lines := commandLines(text)
	if len(lines) != 2 {
		t.Errorf("the recipe has %d commands, expected 2", len(lines))
	}
	for _, line := range lines {
		must(t, append([]string{"-q"}, words(line)...)...)
	}
	if info, err := os.Stat("nouns.png"); err != nil || info.Size() < 50_000 {
		t.Errorf("the picture: %v, %v", info, err)
	}
	if path := os.Getenv("UNFOLD_NOUNS"); path != "" {
		write(t, path, page(t, "nouns.png"))
	}
	var scores struct {
		LeaveOneOut struct {
			Accuracy []float64 // of 1-NN and 9-NN
		} `json:"leave_one_out"`
	}
	decode(t, must(t, "-q", "score", "nouns-map.parquet", "--label", "kind", "--json"), &scores)
	// The most frequent of the 26 kinds has a share of 0.14.
	if a := scores.LeaveOneOut.Accuracy; len(a) != 2 || a[1] < 0.5 {
		t.Errorf("the accuracy of the kind by the neighbours on the map is %v, expected at least 0.5", a)
	}
}

// README's recipe for a data scientist runs unchanged on a table made by pandas.
func TestReadmeParquet(t *testing.T) {
	text := section(t, "A data scientist: a Parquet file")
	t.Chdir(t.TempDir())
	foreign.Run(t, script(t, text, "make-data.py"))
	lines := commandLines(text)
	if len(lines) != 6 {
		t.Errorf("the recipe has %d commands, expected 6", len(lines))
	}
	said := map[string]string{}
	for _, line := range lines {
		if w := words(line); w[0] == "view" { // it runs until it is interrupted
			m := start(t, "view", append(w[1:], "--listen", "127.0.0.1:0")...)
			m.said(`1,500 points at http://127\.0\.0\.1:`)
			if code := m.leave(); code != 0 {
				t.Errorf("%s: exit %d: %s", line, code, &m.log)
			}
			continue
		}
		said[words(line)[0]] = must(t, append([]string{"-q"}, words(line)...)...)
	}
	if !strings.Contains(said["fit"], "data.unfold gave coordinates to 2,000 of 2,000 rows, placed on its map\n") {
		t.Errorf("of the frame it says\n%s", said["fit"])
	}
	out := said["score"]
	if !regexp.MustCompile(`9-NN +0\.0\d+\n`).MatchString(out) {
		t.Errorf("the five kinds are far apart, and the score is\n%s", out)
	}
}

// workplace changes to an empty folder and starts an embedded broker. here puts the broker and the
// state folder into a page's text, and applies the replacements in more.
func workplace(t *testing.T, more ...string) (here func(string) string, broker string) {
	t.Helper()
	broker = cluster(t).ListenAddrs()[0]
	t.Chdir(t.TempDir())
	state, err := filepath.Abs("state")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(append(more, "localhost:9092", broker, "/var/lib/unfold", state)...).Replace, broker
}

// README's recipes for streams run unchanged with an embedded broker. confluent-kafka creates the
// topics, writes the events as JSON and reads the places.
func TestReadmeStream(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	engineer, operator := section(t, "A stream engineer: a topic"), section(t, "An operator")
	here, broker := workplace(t)
	_, rest, _ := strings.Cut(engineer, "```yaml\n")
	configuration, _, _ := strings.Cut(rest, "```")
	write(t, "unfold.yaml", here(configuration))
	for _, name := range []string{"topics.py", "produce.py"} {
		foreign.Run(t, here(script(t, engineer, name)))
	}
	send(t, []string{broker}, 0, 0, nil, stream.Message{Value: []byte("not Arrow")})

	// The stage runs until all events are placed.
	placed := func(line string, events int) {
		m := join(t, append(words(line)[1:], "--http", "127.0.0.1:0")...)
		streamtest.Await(t, fmt.Sprintf("%d events are placed", events), func() bool {
			_, body := get(t, m.address(), "/metrics")
			return strings.Contains(body, fmt.Sprintf("unfold_events_placed_total %d\n", events))
		})
		for _, path := range []string{"/livez", "/readyz", "/metrics"} {
			streamtest.Await(t, path+" is 200", func() bool { status, _ := get(t, m.address(), path); return status == 200 })
		}
		if code := m.leave(); code != 0 {
			t.Errorf("unfold %s: exit %d", line, code)
		}
	}
	follow := func(text string, events int) (ran int) {
		for _, line := range commandLines(text) {
			ran++
			line = here(line)
			if strings.HasPrefix(line, "run ") {
				placed(line, events)
				continue
			}
			must(t, words(line)...)
		}
		return ran
	}
	if n := follow(engineer, 3000); n != 2 {
		t.Errorf("the recipe has %d commands, expected 2", n)
	}
	printed := string(foreign.Run(t, here(script(t, engineer, "consume.py"))))
	if n := strings.Count(printed, " 1\n"); n != 3000 {
		t.Errorf("consume.py prints %d places, expected one of each of 3,000 events:\n%.1000s", n, printed)
	}
	if right := sameGroup(t, printed); right < 0.99 {
		t.Errorf("the nearest place is of the same group for %.3f of the events: a useless map", right)
	}
	if n := follow(operator, 0); n != 4 {
		t.Errorf("the operator has %d commands, expected 4", n)
	}
	if info, err := os.Stat("history.png"); err != nil || info.Size() < 5000 {
		t.Errorf("the picture of the history: %v", err)
	}
}

// sameGroup returns the share of places, as printed by consume.py, whose nearest other place is in
// the same group. produce.py sends three distant groups in turn.
func sameGroup(t *testing.T, printed string) float64 {
	t.Helper()
	at, group := vec.Matrix[float64]{Cols: 2}, []int32{}
	for line := range strings.Lines(printed) {
		var k int32
		var x, y float64
		if _, err := fmt.Sscanf(line, "e%d %g %g", &k, &x, &y); err != nil {
			continue
		}
		at.Rows, at.Data, group = at.Rows+1, append(at.Data, x, y), append(group, k%3)
	}
	a, err := score.LeaveOneOut(t.Context(), at, group, []int{1}, score.Settings{})
	if err != nil || a.Points < 2900 {
		t.Fatalf("%d places: %v", at.Rows, err)
	}
	return a.Share[0]
}
