package points

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// A point gets the label of more than half of its labelled rows, for any order of the rows.
func TestLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows := rapid.IntRange(1, 4).Draw(t, "points"), rapid.IntRange(0, 30).Draw(t, "rows")
		of := rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), rows, rows).Draw(t, "of")
		label := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c"}), rows, rows).Draw(t, "labels")
		got := Labels(label, of, n)
		for p := range n {
			count, all := map[string]int{}, 0
			for i, l := range label {
				if of[i] == int32(p) && l != "" {
					count[l]++
					all++
				}
			}
			want := ""
			for l, c := range count {
				if 2*c > all {
					want = l
				}
			}
			if got[p] != want {
				t.Fatalf("point %d of rows %v of %v has %q, want %q", p, label, of, got[p], want)
			}
		}
	})
}

// Labels survive writing and reading a snapshot, and parts that do not match the map are rejected.
func TestLabelsAreKept(t *testing.T) {
	for name, label := range map[string][]string{
		"some":     {"b", "", "a", "b", ""},
		"none":     {"", "", "", "", ""},
		"not text": {"\xff", "\"", "a\nb", "", "\u00e9"},
	} {
		parts, err := labelParts(label)
		if err != nil {
			t.Fatal(err)
		}
		got, err := LabelsOf(&snapshot.Snapshot{Reference: vec.New[float32](len(label), 1), Parts: parts})
		if name == "not text" {
			label[0] = "\ufffd" // files are text
		}
		if err != nil || !slices.Equal(got, label) {
			t.Errorf("%s: %q become %q, error %v", name, label, got, err)
		}
	}
	if got, err := LabelsOf(&snapshot.Snapshot{}); got != nil || err != nil {
		t.Errorf("of a map without labels: %q, error %v", got, err)
	}
	whole := func() []snapshot.Part {
		parts, err := labelParts([]string{"a", "b", ""})
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	for name, damage := range map[string]func(p []snapshot.Part) []snapshot.Part{
		"no numbers":      func(p []snapshot.Part) []snapshot.Part { return p[:1] },
		"no list":         func(p []snapshot.Part) []snapshot.Part { p[0].Data = []byte("{}"); return p },
		"number too high": func(p []snapshot.Part) []snapshot.Part { p[1].Data = []uint32{1, 3, 0}; return p },
		"other points":    func(p []snapshot.Part) []snapshot.Part { p[1].Rows, p[1].Data = 2, []uint32{1, 2}; return p },
	} {
		_, err := LabelsOf(&snapshot.Snapshot{Reference: vec.New[float32](3, 1), Parts: damage(whole())})
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), "labels cannot be used") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
