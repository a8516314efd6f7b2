package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/models"
)

func TestReadFileErrorsAreBadInput(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte("id,vector\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), dir, garbage} {
		_, err := ReadFile(path)
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want bad input with the name", path, err)
		}
	}
}

// docs/reference/model-file.md names every block with its type, and no other.
func TestTheDocumentNamesEveryBlock(t *testing.T) {
	raw, err := os.ReadFile("../../docs/reference/model-file.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "### Blocks")
	table, _, _ = strings.Cut(table, "\n### ")
	documented := 0
	for _, line := range strings.Split(table, "\n") {
		if strings.HasPrefix(line, "| `") {
			documented++
		}
	}
	for _, f := range fields {
		need := ""
		if f.must {
			need = "| required "
		}
		if line := "| `" + f.name + "` | " + f.typ.String() + " |"; !strings.Contains(table, line) {
			t.Errorf("docs/reference/model-file.md has no line that begins with %q", line)
		} else if _, rest, _ := strings.Cut(table, line); need != "" && !strings.Contains(strings.SplitN(rest, "\n", 2)[0], need) {
			t.Errorf("docs/reference/model-file.md does not say that block %s is required", f.name)
		}
	}
	if documented != len(fields) {
		t.Errorf("docs/reference/model-file.md has %d blocks, the format %d", documented, len(fields))
	}
}
