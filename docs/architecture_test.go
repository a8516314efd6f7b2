package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// step matches a row of a way: its number, what happens, a file and a function.
var step = regexp.MustCompile("(?m)^\\| (\\d+) \\| [^|]+ \\| `([a-z][a-z0-9_/]*\\.go)` \\| `([A-Za-z.]+)` \\|$")

// TestArchitectureNamesWhatExists follows the ways of docs/architecture.md: every file
// declares its function, and steps are numbered, in the order in which they happen.
func TestArchitectureNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	ways := 0
	for section := range strings.SplitSeq(string(text), "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(title, "The way of ") {
			continue
		}
		ways++
		steps := step.FindAllStringSubmatch(body, -1)
		if rows := strings.Count(body, "\n| "); len(steps) != rows-1 || len(steps) == 0 {
			t.Errorf("%s: of %d rows %d are steps", title, rows-1, len(steps))
		}
		for i, s := range steps {
			file, function := s[2], s[3]
			if want := i + 1; s[1] != strconv.Itoa(want) {
				t.Errorf("%s: step %s should be number %d", title, s[1], want)
			}
			if names := declaredIn(t, filepath.Join(root, file)); !names[function] {
				t.Errorf("%s: %s does not declare %s", title, file, function)
			}
		}
	}
	if ways != 8 {
		t.Errorf("%d ways, expected four of an event, one of a click, one of a refresh, one of a look for drift and one of a fit", ways)
	}
}
