package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode"
)

// Names and values of a file neither control the terminal nor look like lines of this program.
func TestNamesAreShownInTheirLine(t *testing.T) {
	t.Chdir(workspace(t))
	const forged = "\nunfold: forged"
	names := []string{"a\x1b]0;title\a", "b\u009b31m", "c" + forged, "d\u202egpj"}
	var rows strings.Builder
	for i := range 60 {
		row := map[string]any{"name": fmt.Sprintf("n\x1b[2J%s%d", forged, i%3)}
		for k, name := range names {
			row[name] = math.Sin(float64((k + 1) * (i + 1)))
		}
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows.Write(append(line, '\n'))
	}
	const file = "rows\x1b[2J.jsonl"
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Skipf("no such name here: %v", err)
	}
	for _, args := range [][]string{
		{"fit", file, "--columns", "*", "--label", "name", "--keep", "name", "--classify", "--steps", "5", "-o", "m.unfold", "--map", "map.parquet"},
		{"fit", file, "-o", "n.unfold"},
		{"fit", file, "-o", "n.unfold", "--columns", names[0] + forged},
		{"fit", "none" + forged, "-o", "n.unfold"},
		{"inspect", file},
		{"inspect", file, "--json"},
		{"inspect", "m.unfold"},
		{"inspect", "m.unfold", "--json"},
		{"inspect", "map.parquet"},
		{"explain", "m.unfold", file, "--id", "name"},
		{"explain", "m.unfold", file, "--id", "name", "--json"},
		{"score", "map.parquet", "--label", "name"},
		{"score", "map.parquet", "--label", "name", "--normal", "x"},
		{"plot", "map.parquet", "-o", "x.svg", "--color", "nothing" + forged},
	} {
		_, stdout, stderr := run(t, args...)
		for _, out := range []string{stdout, stderr} {
			if strings.Contains(out, forged) {
				t.Errorf("unfold %q prints a line that is a name's:\n%s", args, out)
			}
			if i := strings.IndexFunc(out, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || r == 0x202e }); i >= 0 {
				t.Errorf("unfold %q prints a control character: %q", args, out[max(0, i-20):min(len(out), i+20)])
			}
		}
	}
}
