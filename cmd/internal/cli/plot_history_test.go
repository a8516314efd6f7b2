package cli

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/cmd/internal/plot"
	"unfold/stream"
)

func TestHistoryOf(t *testing.T) {
	h := historyOf([]stream.Stats{
		{Version: 1, Epoch: 1, Kind: "first", Points: 100},
		{Version: 2, Epoch: 1, Kind: "ordinary", Points: 120, Moves: stream.Quantiles{Median: .1}, LoglikPair: -2, Novel: .06, Judged: 20},
		{Version: 5, Epoch: 2, Kind: "major", Points: 150, Moves: stream.Quantiles{Median: 9}, LoglikPair: -1, Judged: 30},
		{Version: 6, Epoch: 2, Kind: "major", Points: 150, Moves: stream.Quantiles{Median: 1}, LoglikPair: -1, Judged: 30},
		{Version: 7, Epoch: 3, Kind: "refit", Points: 150, LoglikPair: -1, Judged: 30},
	})
	if h.Subtitle != "5 maps, 3 learnt as a whole, 2 new epochs" || !slices.Equal(h.At, []float64{1, 2, 5, 6, 7}) || !slices.Equal(h.Marks, []float64{5, 6, 7}) {
		t.Errorf("%s at %v, marks at %v", h.Subtitle, h.At, h.Marks)
	}
	// The major refresh that starts an epoch has no moves. The other is drawn as a ring.
	if p := h.Panels[0]; p.Log != leastMove || !slices.Equal(p.Series[2].Alone, []bool{false, false, false, true, false}) || math.IsNaN(p.Series[2].Values[3]) || !math.IsNaN(p.Series[2].Values[2]) {
		t.Errorf("moves: %+v", p)
	}
	for i, want := range [][]float64{{.1, 1}, {0, 0, 0, 0, 0}, {.06, 0, 0, 0}, {-2, -1, -1, -1}, {100, 120, 150, 150, 150}} {
		got := slices.DeleteFunc(slices.Clone(h.Panels[i].Series[0].Values), func(v float64) bool { return v != v })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", h.Panels[i].Title, got, want)
		}
	}
	if len(h.Panels) != 5 {
		t.Errorf("%d panels without labels", len(h.Panels))
	}
	// The label error has a panel if labels were predicted, with gaps elsewhere.
	h = historyOf([]stream.Stats{{Version: 1}, {Version: 2, Voted: 40, Wrong: 10}, {Version: 3, Voted: 5}})
	if last := h.Panels[len(h.Panels)-1]; len(h.Panels) != 6 || !strings.Contains(last.Title, "label error") {
		t.Errorf("%d panels, the last one %q", len(h.Panels), last.Title)
	} else if v := last.Series[0].Values; v[0] == v[0] || v[1] != 25 || v[2] != 0 {
		t.Errorf("label error %v", v)
	}
	// So does the drift of the newest events, with gaps where a window was not full.
	drifts := historyOf([]stream.Stats{{Version: 1}, {Version: 2, Newest: stream.Drift{Window: 200, Level: 4, Bound: 2.5}}})
	if last := drifts.Panels[len(drifts.Panels)-1]; len(drifts.Panels) != 6 || len(last.Series) != 2 {
		t.Errorf("%d panels, the last one %q", len(drifts.Panels), last.Title)
	} else if v, b := last.Series[0].Values, last.Series[1].Values; v[0] == v[0] || v[1] != 4 || b[1] != 2.5 {
		t.Errorf("level %v, bound %v", v, b)
	}
	var b bytes.Buffer
	if err := plot.HistorySVG(&b, h, plot.Settings{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "label error") {
		t.Error("the label error is not drawn")
	}
}

func TestPlotHistoryErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"plot", "-o", "a.png"}, exitUsage, "name either a map or"},
		{[]string{"plot", "m.csv", "--history", ".", "-o", "a.png"}, exitUsage, "name either a map or"},
		{[]string{"plot", "--history", "nothere", "-o", "a.png"}, exitBadInput, "nothere: there is no state of a stage with a map in it"},
		{[]string{"plot", "--bounds", "nothere.json", "-o", "a.png"}, exitBadInput, "unfold: nothere.json: no such file"},
	} {
		code, _, stderr := run(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, stderr)
		}
	}
	if left := listing(t); left != "" {
		t.Errorf("left: %s", left)
	}
}
