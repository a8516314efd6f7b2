package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file whose columns cannot be read has its number of rows all the same, and the columns are named with their types.
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
