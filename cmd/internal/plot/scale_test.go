package plot

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func texts(marks []mark) string {
	var out []string
	for _, m := range marks {
		out = append(out, m.text)
	}
	return strings.Join(out, " ")
}

func TestTicksOfScales(t *testing.T) {
	at := func(text string) float64 {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return float64(v.UnixMilli())
	}
	for name, c := range map[string]struct {
		kind     Scale
		from, to float64
		values   []float64
		want     string
	}{
		"numbers":         {Linear, 0, 10, nil, "0 2 4 6 8 10"},
		"decades":         {Log, 1, 1e5, []float64{1, 1e5}, "1 10 100 1000 10,000 100,000"},
		"few decades":     {Log, 1, 10, []float64{1, 10}, "1 2 5 10"},
		"with zeros":      {Log, 0, 1000, []float64{0, 1, 1000}, "0 10 100 1000"},
		"of one day":      {Time, at("2026-05-01T00:00:00Z"), at("2026-05-02T00:00:00Z"), nil, "00:00 06:00 12:00 18:00 00:00"},
		"of some days":    {Time, at("2026-05-01T00:00:00Z"), at("2026-05-11T00:00:00Z"), nil, "2026-05-01 2026-05-03 2026-05-05 2026-05-07 2026-05-09 2026-05-11"},
		"of some years":   {Time, at("2020-01-01T00:00:00Z"), at("2025-01-01T00:00:00Z"), nil, "2020-01-01 2021-01-01 2022-01-01 2023-01-01 2024-01-01 2025-01-01"},
		"of many decades": {Time, at("1900-01-01T00:00:00Z"), at("2000-01-01T00:00:00Z"), nil, "1900 1920 1940 1960 1980 2000"},
	} {
		if got := texts(newScale(c.kind, c.values, c.from, c.to).marks(ticksOfBar, false, false)); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
	if at := newScale(Log, []float64{0, 0}, 0, 0).at(0); at != 0 {
		t.Errorf("the only value, 0, stands at %v of a logarithmic scale", at)
	}
	if at := newScale(Log, []float64{0, 3e-300, 5e8}, 0, 0).at(5e8); at != 1 {
		t.Errorf("the largest of values that differ by more than a float64 holds stands at %v", at)
	}
	if got := texts(newScale(Linear, nil, 0, 1).marks(ticksOfBar, true, true)); !strings.HasPrefix(got, "≤ 0 ") || !strings.HasSuffix(got, " ≥ 1") {
		t.Errorf("values beyond the ends: %s", got)
	}
}

// For any values, larger ones have no lower position, the ticks ascend, and only values that are
// NaN or have no logarithm have no position.
func TestScalesAscend(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]Scale{Linear, Log, Time}).Draw(rt, "kind")
		values := rapid.SliceOfN(rapid.Float64Range(-1e13, 1e13), 1, 50).Draw(rt, "values")
		if rapid.Bool().Draw(rt, "small") {
			for i := range values {
				values[i] = math.Abs(values[i]) / 1e13
			}
		}
		s := newScale(kind, values, 0, 0)
		sorted := ascending(values)
		last := math.Inf(-1)
		for _, v := range sorted {
			at := s.at(v)
			if known := kind != Log || v >= 0; known != s.known(v) {
				rt.Fatalf("%v has the place %v", v, at)
			}
			if at < last {
				rt.Fatalf("%v stands at %v, below a smaller value", v, at)
			}
			if s.known(v) {
				last = at
			}
		}
		if s.known(math.NaN()) {
			rt.Fatal("a missing value has a place")
		}
		marks := s.marks(ticksOfBar, false, false)
		if !slices.IsSortedFunc(marks, func(a, b mark) int { return int(math.Copysign(1, a.at-b.at)) }) || len(marks) > 3*ticksOfBar {
			rt.Fatalf("marks %v", marks)
		}
	})
}
