package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A fit says once that ids repeat, how many, and what to do. Of unique ids it says nothing.
func TestFitNamesRepeatedIDs(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("user,row,a,b\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", i%45, 3*i*i, i*37%60, i*i%31)
	}
	if err := os.WriteFile("x.csv", []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, want string
	}{
		{"user", `column "user": 15 of 60 rows repeat the id of an earlier row, "0" first`},
		{"row", ""},
	} {
		code, _, stderr := run(t, "fit", "x.csv", "--columns", "a,b", "--id", c.id, "-o", "m.unfold", "--steps", "5")
		if n := strings.Count(stderr, "repeat the id"); code != 0 || n != min(1, len(c.want)) || !strings.Contains(stderr, c.want) {
			t.Errorf("--id %s: exit code %d, want %q in\n%s", c.id, code, c.want, stderr)
		}
	}
}
