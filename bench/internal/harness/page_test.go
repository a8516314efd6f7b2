package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables of a page are on a page of their own, with links that lead to the same files, and
// a later run reads both.
func TestPageOfTwoParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quality.md")
	const tables = "## Set\n\n![a](quality/a.png), [b](data.md), [c](https://example.org)\n"
	if err := WritePage(path, []byte("# Quality\n\nWell.\n\n"+Details+tables)); err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Quality\n\nWell.\n\nThe tables behind these figures: [reference/quality.md](reference/quality.md).\n"; string(head) != want {
		t.Errorf("the page is %q, want %q", head, want)
	}
	details, err := os.ReadFile(filepath.Join(filepath.Dir(path), "reference", "quality.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "![a](../quality/a.png), [b](../data.md), [c](https://example.org)\n"; !strings.HasSuffix(string(details), want) || !strings.HasPrefix(string(details), "# Quality: tables\n") {
		t.Errorf("the tables are %q, want them to end with %q", details, want)
	}
	whole, err := ReadPage(path)
	if err != nil || whole != "# Quality\n\nWell.\n\n"+tables {
		t.Errorf("read %q, %v", whole, err)
	}
	if whole, err := ReadPage(filepath.Join(t.TempDir(), "none.md")); err != nil || strings.TrimSpace(whole) != "" {
		t.Errorf("a page that is not there: %q, %v", whole, err)
	}
}

// A page in a folder beside the folder reference has its tables there.
func TestPageOfAFolder(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"reference", "decisions"} {
		if err := os.Mkdir(filepath.Join(root, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(root, "decisions", "search.md")
	if err := WritePage(path, []byte("# Search\n\n"+Details+"[a](trees.md)\n")); err != nil {
		t.Fatal(err)
	}
	details, err := os.ReadFile(filepath.Join(root, "reference", "search.md"))
	if err != nil || !strings.HasSuffix(string(details), "\n[a](../decisions/trees.md)\n") {
		t.Errorf("the tables are %q, %v", details, err)
	}
	head, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(string(head), "[reference/search.md](../reference/search.md).\n") {
		t.Errorf("the page is %q, %v", head, err)
	}
	if whole, err := ReadPage(path); err != nil || !strings.HasSuffix(whole, "\n[a](trees.md)\n") {
		t.Errorf("read %q, %v", whole, err)
	}
}
