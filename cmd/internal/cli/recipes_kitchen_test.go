package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/models/score"
	"unfold/models/snapshot"
	"unfold/stream/streamtest"
)

// block is an executable part of a page: a fenced block of a language, or a command line with the
// language "unfold".
type block struct{ language, text string }

// name returns the name in the first line of a block: "# produce.py".
func (b block) name() string {
	first, _, _ := strings.Cut(b.text, "\n")
	name, _ := strings.CutPrefix(first, "# ")
	return name
}

// blocksOf returns the blocks of a page in order.
func blocksOf(text string) (blocks []block) {
	fence := ""
	var body strings.Builder
	for line := range strings.Lines(text) {
		language, fenced := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced && fence == "":
			fence = language
			body.Reset()
		case fenced:
			blocks = append(blocks, block{fence, body.String()})
			fence = ""
		case fence != "":
			body.WriteString(line)
		default:
			for _, command := range commandLines(line) {
				blocks = append(blocks, block{"unfold", command})
			}
		}
	}
	return blocks
}

// kitchen runs the recipes: an embedded broker and an empty folder.
type kitchen struct {
	t            *testing.T
	page, broker string
	// here puts the addresses and folders of this test into a block.
	here func(string) string
	// placed is the number of events after which a stage is stopped.
	placed int
	// settled reports whether the stage, after placing all events, has done its other work. nil
	// means yes.
	settled func() bool
	// group returns the group of an event's vector. If it is nil, elements lie around 0, 3 or 6.
	group func(row []float32) int32
	// arguments are the arguments of scripts, by name.
	arguments map[string][]string
	// said has the output of scripts and commands, by name.
	said map[string]string
	ran  int
}

// newKitchen creates the kitchen of a page, with the topics of the recipes' first page. more
// replaces other names in the blocks.
func newKitchen(t *testing.T, recipe string, more ...string) *kitchen {
	t.Helper()
	tier.Full(t, "it runs Python libraries")
	first, text := recipePage(t, "README.md"), recipePage(t, recipe)
	k := &kitchen{t: t, page: text, said: map[string]string{}, arguments: map[string][]string{}}
	k.here, k.broker = workplace(t, append(more, "127.0.0.1:8080", "127.0.0.1:0")...)
	k.follow(first)
	return k
}

func recipePage(t *testing.T, name string) string {
	t.Helper()
	tier.Full(t, "it runs Python libraries")
	return page(t, filepath.Join(repository, "docs", "recipes", name))
}

// follow runs the blocks of a page in order.
func (k *kitchen) follow(text string) {
	k.t.Helper()
	last := ""
	for _, b := range blocksOf(text) {
		body := k.here(b.text)
		switch b.language {
		case "python":
			last = b.name()
			write(k.t, last, body)
			k.said[last] = string(k.python(body, k.arguments[last]...))
		case "yaml":
			write(k.t, b.name(), body)
		case "unfold":
			last = b.text
			k.said[last] = k.command(words(body))
		case "json":
			if !json.Valid([]byte(b.text)) {
				k.t.Errorf("this is not JSON:\n%s", b.text)
			}
		case "text":
			if got, want := masked(k.said[last]), masked(b.text); !strings.Contains(got, want) {
				k.t.Errorf("%s prints\n%s\nand the page shows\n%s", last, k.said[last], b.text)
			}
		case "proto":
			write(k.t, strings.TrimPrefix(b.name(), "// "), body)
		case "sh":
			k.module(words(strings.TrimSpace(body)))
		case "sql":
		default:
			k.t.Errorf("nobody runs a block of %q:\n%s", b.language, b.text)
		}
		k.ran++
	}
}

func (k *kitchen) python(script string, arguments ...string) []byte {
	k.t.Helper()
	return foreign.Run(k.t, "import sys\nsys.path.insert(0, '.')\n"+script, arguments...)
}

// module runs "python3 -m MODULE ARGUMENTS".
func (k *kitchen) module(line []string) {
	k.t.Helper()
	if len(line) < 3 || line[0] != "python3" || line[1] != "-m" {
		k.t.Fatalf("nobody runs %q", line)
	}
	foreign.Run(k.t, "import runpy, sys\nsys.argv = sys.argv[1:]\nrunpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)", line[2:]...)
}

// masked removes what differs between two runs: numbers and map ids.
func masked(s string) string {
	s = regexp.MustCompile(`\b[0-9a-f]{32}\b`).ReplaceAllString(s, "ID")
	s = regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`).ReplaceAllString(s, "0")
	return strings.Join(strings.Fields(s), " ")
}

// command runs a command line. It stops a stage after all events are placed.
func (k *kitchen) command(args []string) string {
	k.t.Helper()
	if args[0] != "run" {
		return must(k.t, args...)
	}
	m := join(k.t, append(args[1:], "--http", "127.0.0.1:0")...)
	k.await(m, k.placed)
	if k.settled != nil {
		streamtest.Await(k.t, "the stage has done the rest", k.settled)
	}
	if code := m.leave(); code != 0 {
		k.t.Errorf("unfold run: exit %d", code)
	}
	k.look(args[slices.Index(args, "-c")+1])
	return m.log.String()
}

// centreOf returns which of 0, 3 and 6 the elements of a row lie around.
func centreOf(row []float32) int32 {
	sum := 0.0
	for _, v := range row {
		sum += float64(v)
	}
	return int32(math.Round(sum / float64(3*len(row))))
}

// look compares the map that a stage has left with the groups of its events: nearest points are in
// the same group.
func (k *kitchen) look(configuration string) {
	k.t.Helper()
	var c struct{ State string }
	if err := yaml.Unmarshal([]byte(page(k.t, configuration)), &c); err != nil {
		k.t.Fatal(err)
	}
	s, err := snapshot.ReadFile(filepath.Join(c.State, "map.unfold"))
	if err != nil {
		k.t.Fatal(err)
	}
	group, seen := make([]int32, s.Reference.Rows), map[int32]bool{}
	for i := range group {
		if group[i] = centreOf(s.Reference.Row(i)); k.group != nil {
			group[i] = k.group(s.Reference.Row(i))
		}
		seen[group[i]] = true
	}
	a, err := score.LeaveOneOut(k.t.Context(), s.Mu, group, []int{1}, score.Settings{})
	if err != nil {
		k.t.Fatal(err)
	}
	if a.Share[0] < 0.95 || len(seen) != 3 {
		k.t.Errorf("of %d points of %d groups the nearest point is of the same group for %.3f: a useless map", a.Points, len(seen), a.Share[0])
	}
}

// await waits until a stage has placed that many events.
func (k *kitchen) await(m *member, events int) {
	k.t.Helper()
	streamtest.Await(k.t, fmt.Sprintf("%d events are placed", events), func() bool {
		_, body := get(k.t, m.address(), "/metrics")
		return strings.Contains(body, fmt.Sprintf("unfold_events_placed_total %d\n", events))
	})
}

// events sends the events of json.md to the topic.
func (k *kitchen) events(page string) {
	k.t.Helper()
	for _, b := range blocksOf(page) {
		if b.name() == "produce.py" {
			k.python(k.here(b.text))
		}
	}
}
