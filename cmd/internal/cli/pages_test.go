package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func page(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The first pipeline of README is a valid configuration of at most ten lines.
func TestFirstPipeline(t *testing.T) {
	_, rest, _ := strings.Cut(page(t, filepath.Join(repository, "README.md")), "```yaml\n")
	block, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README has no block of YAML")
	}
	if n := strings.Count(block, "\n"); n > 10 {
		t.Errorf("the first pipeline has %d lines, want at most 10", n)
	}
	t.Chdir(t.TempDir())
	write(t, "unfold.yaml", block)
	must(t, "lint", "--offline")
	must(t, "lint", "--offline", "-c", "unfold.yaml")
}

// commandLines returns the command lines of a page's blocks, without "unfold".
func commandLines(text string) []string {
	var out []string
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "    unfold ")
		if !ok {
			continue
		}
		// Remove comments after #, file names after >, and, in the help, descriptions after a gap.
		command = regexp.MustCompile(`\s+[#>].*|(\S)\s{3,}[a-z].*`).ReplaceAllString(strings.TrimSpace(command), "$1")
		out = append(out, command)
	}
	return out
}

// The program accepts every command line of the pages and the help. Whole lines are parsed. For
// words in the text (`unfold fit --map`) the command and the flags have to exist.
func TestCommandsOfPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	reference, err := filepath.Glob(filepath.Join(repository, "docs", "reference", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(append(pages, reference...), filepath.Join(repository, "README.md"), filepath.Join("testdata", "help.txt"))
	everything := System{Stdout: io.Discard, Stderr: io.Discard}
	for _, c := range commands {
		everything.Args = append(everything.Args, c.name)
	}
	parser, err := newParser(new(everywhere), everything)
	if err != nil {
		t.Fatal(err)
	}
	lines, mentions := 0, 0
	for _, path := range pages {
		text := page(t, path)
		for _, line := range commandLines(text) {
			lines++
			sys := System{Args: words(line), Stdout: io.Discard, Stderr: io.Discard}
			p, err := newParser(new(everywhere), sys)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Parse(sys.Args); err != nil {
				t.Errorf("%s: unfold %s: %v", path, line, err)
			}
		}
		for _, m := range regexp.MustCompile("`(--[a-z0-9-]+)[^`]*`").FindAllStringSubmatch(text, -1) {
			mentions++
			if !slices.ContainsFunc(parser.Model.Leaves(false), func(n *kong.Node) bool { return hasFlag(n, m[1]) }) {
				t.Errorf("%s: no command has a flag %s", path, m[1])
			}
		}
		for _, m := range regexp.MustCompile("`unfold ([^`]+)`").FindAllStringSubmatch(text, -1) {
			mentions++
			if problem := unknownWord(parser.Model, words(m[1])); problem != "" {
				t.Errorf("%s: `unfold %s`: there is no %s", path, m[1], problem)
			}
		}
	}
	if lines < 15 || mentions < 5 {
		t.Errorf("found only %d command lines and %d mentions", lines, mentions)
	}
}

// At start only the named command gets its flags.
func TestOnlyTheNamedCommandHasFlags(t *testing.T) {
	parser, err := newParser(new(everywhere), System{Args: []string{"-q", "score", "map.parquet"}, Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(parser.Model.Children); n != len(commands) {
		t.Errorf("the grammar has %d commands, expected all %d", n, len(commands))
	}
	for _, c := range parser.Model.Children {
		if has := len(c.Flags)+len(c.Positional) > 0; has != (c.Name == "score") {
			t.Errorf("command %s has flags: %v", c.Name, has)
		}
	}
}

// unknownWord returns the command or flag that does not exist, or "".
func unknownWord(model *kong.Application, command []string) string {
	at := slices.IndexFunc(model.Children, func(n *kong.Node) bool { return n.Name == command[0] })
	if at < 0 {
		return "command " + command[0]
	}
	for _, word := range command[1:] {
		if name, _, _ := strings.Cut(word, "="); len(word) > 1 && word[0] == '-' && !hasFlag(model.Children[at], name) {
			return "flag " + word
		}
	}
	return ""
}

// hasFlag reports whether a command has a flag of that name, "--map" or "-o".
func hasFlag(command *kong.Node, name string) bool { return flagNamed(command, name) != nil }

// tutorial returns the command lines of docs/tutorial.md, except servers, which run until they are
// interrupted.
func tutorial(t *testing.T, root string) (lines []string) {
	t.Helper()
	for _, line := range commandLines(page(t, filepath.Join(root, "docs", "tutorial.md"))) {
		if !strings.HasPrefix(line, "view ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// The Makefile has all targets that README names.
func TestTargetsOfReadme(t *testing.T) {
	makefile := page(t, filepath.Join(repository, "Makefile"))
	found := regexp.MustCompile("(?m)(?:^    |`)make ([a-z0-9-]+)").FindAllStringSubmatch(page(t, filepath.Join(repository, "README.md")), -1)
	if len(found) < 4 {
		t.Errorf("README names only %d targets", len(found))
	}
	for _, m := range found {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("README says make %s; the Makefile has no such target", m[1])
		}
	}
}
