//go:build linux

package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"unfold/internal/testkit/tier"
)

// hogged are command lines for each command, without the file that is read last. Some commands read
// no file.
var hogged = map[string]string{
	"fit": "fit -o x.unfold", "embed": "embed -m d.unfold -o x.csv", "update": "update d.unfold -o x.unfold", "score": "score", "plot": "plot -o x.png",
	"clusters": "clusters", "explain": "explain d.unfold", "decode": "decode -m d.unfold -o x.csv", "inspect": "inspect", "view": "view --listen 127.0.0.1:0",
	"export": "export -o x.html", "serve": "serve --listen 127.0.0.1:0", "demo": "demo --out x", "version": "version", "session": "session",
	"lint": "lint --offline -c stage.yaml",
}

// grammar returns the parsed command line with the flags of one command.
func grammar(t *testing.T, verb string) *kong.Node {
	t.Helper()
	parser, err := newParser(new(everywhere), System{Args: []string{verb}})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// TestEveryVerbThatReadsIsBounded runs every reading command with an input that exhausts the
// memory.
func TestEveryVerbThatReadsIsBounded(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "d.unfold", "--map", "hog.parquet")
	for _, c := range commands {
		node := childOf(grammar(t, c.name), c.name)
		if has := flagNamed(node, "--memory") != nil; c.name != "check-input" && has != c.reads {
			t.Errorf("%s reads files of others: %v, and has --memory: %v", c.name, c.reads, has)
		}
		for limit, want := range map[string]int{"--memory": exitFailed, "--untrusted": exitBadInput} {
			line, known := hogged[c.name]
			switch {
			case !c.reads && limit == "--untrusted" && known:
				if code, _, stderr := run(t, append(words(line), limit, "64MiB")...); code != exitUsage || !strings.Contains(stderr, "nothing to bound") {
					t.Errorf("%s %s: exit %d, %s", c.name, limit, code, stderr)
				}
			case !c.reads || c.name == "fit" && limit == "--memory": // fit predicts its memory instead
			case !tier.All() && limit == "--untrusted" && c.name != "fit": // the same code path; each takes half a second
			case !known:
				t.Errorf("%s has no line in this test", c.name)
			default:
				code, _, stderr := run(t, append(append(words(line), limit, "64MiB"), "hog.parquet")...)
				if code != want || !strings.Contains(stderr, "more than 64.0 MiB") || strings.Count(stderr, "\n") != 1 {
					t.Errorf("%s %s: exit %d, %s", c.name, limit, code, stderr)
				}
			}
		}
	}
}
