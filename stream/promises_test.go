package stream_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests exist that the documentation names for its guarantees.
func TestPromisesNameTheirTests(t *testing.T) {
	for file, least := range map[string]int{"doc.go": 5, "../docs/reference/guarantees.md": 200} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile(`((?:[a-z]+/)*[a-z]+\.)?(Test[A-Z]\w+)`).FindAllStringSubmatch(string(text), -1)
		if len(named) < least {
			t.Errorf("%s names %d tests", file, len(named))
		}
		for _, n := range named {
			folder := filepath.Join("..", strings.TrimSuffix(n[1], "."))
			if n[1] == "" {
				folder = "."
			}
			if !defines(t, folder, n[2]) {
				t.Errorf("%s names %s%s, which is not there", file, n[1], n[2])
			}
		}
	}
}

// defines reports whether the tests of a package define a function.
func defines(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}
