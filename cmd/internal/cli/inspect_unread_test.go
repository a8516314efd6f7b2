package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// For a file with unreadable columns, inspect reports the number of rows and the types of these
// columns.
func TestUnreadColumnsAreNamed(t *testing.T) {
	path := filepath.Join("testdata", "onlymap.parquet")
	said := must(t, "-q", "inspect", path)
	for _, want := range []string{"3 rows of 0 columns", `column "m" of type `} {
		if !strings.Contains(said, want) {
			t.Errorf("it prints\n%s\nwant %q", said, want)
		}
	}
	if said := must(t, "-q", "inspect", "--json", path); !strings.Contains(said, `"rows":3`) || !strings.Contains(said, `"not_read":[{"column":"m",`) {
		t.Errorf("it prints\n%s", said)
	}
}

// Lists that are no vectors are columns of JSON text, also empty ones and those in objects, and pass
// through. null in place of an object is no column.
func TestListsOfTextInJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	record := `{"v":%d,"w":%d,"tags":["a"],"user":{"roles":%s},"place":[1,%d],"owner":%s}` + "\n"
	text := ""
	for i := range 12 {
		text += fmt.Sprintf(record, i*i, i%5, []string{`["x"]`, "[]"}[i%2], i, []string{"null", `{"age":3}`}[i%2])
	}
	write(t, "tags.jsonl", text)
	said := must(t, "-q", "inspect", "tags.jsonl")
	for _, want := range []string{"12 rows of 6 columns", "tags        string", "user.roles  string", `["x"]`, "place       list", "owner.age   int64"} {
		if !strings.Contains(said, want) {
			t.Errorf("it prints\n%s\nwant %q", said, want)
		}
	}
	must(t, "-q", "fit", "tags.jsonl", "--columns", "v,w", "--keep", "tags,user.roles", "--map", "map.jsonl", "--steps", "5")
	if m := mapAt(t, "map.jsonl"); textColumn(t, m, "tags")[1] != `["a"]` || textColumn(t, m, "user.roles")[1] != "[]" {
		t.Errorf("the map has %s and %s", textColumn(t, m, "tags")[1], textColumn(t, m, "user.roles")[1])
	}
	write(t, "one.json", `{"data":[{"v":1},{"v":2}]}`)
	if code, _, said := run(t, "inspect", "one.json"); code != 3 || !strings.Contains(said, `its records may be in the list "data"; write a record a line, for instance by jq -c '.data[]'`) {
		t.Errorf("exit %d, %s", code, said)
	}
}
