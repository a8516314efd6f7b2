package cli

import (
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

// A list of texts in JSON is named as unread, in a record's own fields and below.
func TestUnreadListsOfJSONAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "tags.jsonl", `{"v":1.5,"w":2,"tags":["a"],"user":{"roles":["x","y"]},"place":[1,2]}`+"\n"+`{"v":2,"w":7,"tags":["b"],"user":{"roles":[]},"place":[3,4]}`+"\n")
	said := must(t, "-q", "inspect", "tags.jsonl")
	for _, want := range []string{`column "tags" of type list (its values are not numbers) is not read`, `column "user.roles" of type list (its values`} {
		if !strings.Contains(said, want) {
			t.Errorf("it prints\n%s\nwant %q", said, want)
		}
	}
	write(t, "null.jsonl", `{"v":1,"u":null}`+"\n"+`{"v":2,"u":{"id":3}}`+"\n")
	if said := must(t, "-q", "inspect", "null.jsonl"); !strings.Contains(said, "2 rows of 2 columns") {
		t.Errorf("null in place of an object is a column:\n%s", said)
	}
	write(t, "one.json", `{"data":[{"v":1},{"v":2}]}`)
	if code, _, said := run(t, "inspect", "one.json"); code != 3 || !strings.Contains(said, `its records may be in the list "data"; write an object a line, for instance by jq -c '.data[]'`) {
		t.Errorf("exit %d, %s", code, said)
	}
	if strings.Contains(said, `"place" of`) {
		t.Errorf("it prints\n%s", said)
	}
}
