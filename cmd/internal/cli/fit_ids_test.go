package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/models/snapshot"
)

// TestPointsAreNumberedAsRows fits rows without ids, some of them several times. The model and
// lists of neighbours identify a point by the number of its first row in the map.
func TestPointsAreNumberedAsRows(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows strings.Builder
	rows.WriteString("a,b,c\n")
	line := func(i int) string { return fmt.Sprintf("%d,%d,%d.5\n", i%8, i/8, i*i%11) }
	for i := range 60 {
		rows.WriteString(line(i))
		if i < 20 && i%2 == 0 {
			rows.WriteString(line(i)) // again
		}
	}
	write(t, "train.csv", rows.String())
	write(t, "ask.csv", "a,b,c\n"+line(50))
	must(t, words("-q fit train.csv --columns * -o m.unfold --map map.csv")...)
	m := mapAt(t, "map.csv")
	ids := textColumn(t, m, "id")
	s, err := snapshot.ReadFile("m.unfold")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.IDs) != 60 {
		t.Fatalf("%d points have ids, want 60", len(s.IDs))
	}
	for p, id := range s.IDs {
		row := slices.Index(ids, id)
		if row < 0 || m.Embedding.Row(row)[0] != float32(s.Mu.Row(p)[0]) || m.Embedding.Row(row)[1] != float32(s.Mu.Row(p)[1]) {
			t.Errorf("point %d is named %s, and the map has another place there", p, id)
		}
	}
	// Row 60 is point 50: ten rows come twice before it.
	must(t, words("-q embed ask.csv -m m.unfold -o near.jsonl --neighbors 1")...)
	if got, err := os.ReadFile("near.jsonl"); err != nil || !strings.Contains(string(got), `"neighbor_id":["`+ids[60]+`"]`) {
		t.Errorf("the nearest point of row 60 is %s (%v)", got, err)
	}

	// New rows have no row numbers in the fit.
	must(t, words("-q update m.unfold ask.csv -o same.unfold")...)
	write(t, "more.csv", "a,b,c\n3,3,90\n4,4,91\n")
	must(t, words("-q update m.unfold more.csv -o more.unfold")...)
	if s, err = snapshot.ReadFile("more.unfold"); err != nil || s.IDs != nil {
		t.Errorf("ids %v, error %v", s.IDs, err)
	}
}

func TestRowNumbers(t *testing.T) {
	for want, ids := range map[bool][]string{true: {"0", "2", "7"}, false: {"0", "7", "2"}} {
		if got := isRowNumbers(ids); got != want {
			t.Errorf("%q: %v", ids, got)
		}
	}
	if isRowNumbers([]string{"a"}) || isRowNumbers([]string{strconv.Itoa(-1)}) {
		t.Error("names are no numbers of rows")
	}
}
