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
