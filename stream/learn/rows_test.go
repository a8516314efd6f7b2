package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
)

// The parts of an output together hold the rows of the whole, in every column. Ids that count rows
// continue from part to part.
func TestPartsAreTheWhole(t *testing.T) {
	kinds := func(centres []int) table.Column {
		out := make([]string, len(centres))
		for i, c := range centres {
			out[i] = string(rune('a' + c))
		}
		return table.StringColumn("kind", out)
	}
	counted := classifying()
	counted.Mapping.ID = ""
	kept := classifying()
	kept.Mapping.Keep = []string{"kind"}
	for name, s := range map[string]Settings{"ids and classes": classifying(), "rows are counted": counted, "a kept column": kept} {
		rng := rand.New(rand.NewPCG(1, 2))
		l := newLearner(t, s)
		stop := running(t, l)
		for offset := range int64(20) {
			m, _ := marked(t, rng, 10, offset, kinds)
			offer(t, l, m)
		}
		waitReady(t, l)
		m, _ := marked(t, rng, 23, 20, kinds)
		out := place(t, l.Current(), decode(t, l, m))[0]
		if out.Err != nil || out.Parts == nil {
			t.Fatalf("%s: %+v", name, out)
		}
		whole := columns(t, out.Value)
		if e := whole["embedding"]; len(e) != 23 || e[0] == e[1] {
			t.Fatalf("%s: embedding %v", name, e)
		}
		joined := map[string][]string{}
		for _, cut := range [][2]int{{0, 1}, {1, 12}, {12, 23}} {
			value, err := out.Parts.Part(cut[0], cut[1])
			if err != nil {
				t.Fatal(err)
			}
			for column, values := range columns(t, value) {
				if len(values) != cut[1]-cut[0] {
					t.Errorf("%s: column %s of rows %v has %d", name, column, cut, len(values))
				}
				joined[column] = append(joined[column], values...)
			}
		}
		if len(joined) != len(whole) || len(whole) < 8 {
			t.Errorf("%s: %d columns of %d", name, len(joined), len(whole))
		}
		for column, want := range whole {
			if !slices.Equal(joined[column], want) {
				t.Errorf("%s: column %s of the parts is %v, of the whole %v", name, column, joined[column], want)
			}
		}
		stop()
	}
}

// columns returns the columns of a message as text.
func columns(t *testing.T, value []byte) map[string][]string {
	t.Helper()
	records, err := arrowfmt.DecodeMessage(value, table.Origin{}, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, name := range records.Names() {
		c, _ := records.Column(name)
		for i := range records.Len() {
			out[name] = append(out[name], fmt.Sprint(c.Text(i)))
		}
	}
	return out
}
