package quantile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMedians(t *testing.T) {
	for name, c := range map[string]struct {
		values         []float64
		median, middle float64
	}{
		"one":                       {[]float64{7}, 7, 7},
		"two":                       {[]float64{3, 1}, 3, 2},
		"odd":                       {[]float64{9, 1, 4}, 4, 4},
		"even":                      {[]float64{8, 2, 6, 4}, 6, 5},
		"equal ones":                {[]float64{2, 2, 2, 2}, 2, 2},
		"near the end of the range": {[]float64{1.7e308, 1.5e308}, 1.7e308, 1.6e308},
	} {
		if got := Median(slices.Clone(c.values)); got != c.median {
			t.Errorf("%s: upper median %v, want %v", name, got, c.median)
		}
		if got := Middle(slices.Clone(c.values)); got != c.middle {
			t.Errorf("%s: median %v, want %v", name, got, c.middle)
		}
	}
}

// Divide selects the smallest values, also among equal values.
func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 60).Draw(t, "values")
		m := rapid.IntRange(0, len(v)).Draw(t, "m")
		sorted := slices.Sorted(slices.Values(v))
		Divide(v, m)
		front, rest := v[:m], v[m:]
		if m > 0 && m < len(v) && slices.Max(front) > slices.Min(rest) {
			t.Fatalf("%v before %v", front, rest)
		}
		if slices.Sort(v); !slices.Equal(v, sorted) {
			t.Fatalf("%v are the values, want %v", v, sorted)
		}
	})
}

// At most a share q of the values is before the quantile, and at most the rest after it.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 60).Draw(t, "values")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		slices.Sort(v)
		x := Of(v, q)
		below, upTo := 0, 0
		for _, w := range v {
			if w < x {
				below++
			}
			if w <= x {
				upTo++
			}
		}
		if n := float64(len(v)); float64(below) > q*n || float64(upTo) < q*n {
			t.Fatalf("the %v-quantile of %v is %d: %d below, %d up to it", q, v, x, below, upTo)
		}
	})
}
