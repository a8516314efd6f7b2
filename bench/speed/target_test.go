package main

import (
	"math"
	"testing"

	"unfold/bench/internal/harness"
)

func TestVerdicts(t *testing.T) {
	r := &record{}
	r.add(own, wall, seconds, 3, 2, 2.5)
	r.add("peer", wall, seconds, 8, 6)
	r.add("other", wall, seconds, 5)
	r.add(own, "rate", gflops, 40, 70, 60)
	r.add("peer", "rate", gflops, 100)
	for _, c := range []struct {
		target         target
		small          bool
		value, verdict string
	}{
		{target{value: figure(own, wall, 1), bound: 2, format: "%.1f", unit: " s"}, false, "2.0 s", harness.Met},
		{target{value: figure(own, wall, 1), bound: 1.9, format: "%.1f"}, false, "2.0", harness.Missed},
		{target{value: figure(own, wall, 1), bound: 1.9, format: "%.1f"}, true, "2.0", harness.ToyData},
		{target{value: figure(own, wall, 1e3), bound: 3000, format: "%.0f", unit: " ms"}, false, "2000 ms", harness.Met},
		{target{value: share("peer", wall), bound: 1. / 3, format: "%.3f"}, false, "0.333", harness.Met},
		{target{value: faster("peer", wall), bound: 3, above: true, format: "%.1f"}, false, "3.0", harness.Met},
		{target{value: faster("peer", wall), bound: 3.1, above: true, format: "%.1f"}, false, "3.0", harness.Missed},
		{target{value: share("peer", "rate"), bound: .7, above: true, format: "%.2f"}, false, "0.70", harness.Met},
		{target{value: ofFastest(wall, "peer", "other"), bound: .2, format: "%.2f"}, false, "0.40", harness.Missed},
		{target{value: ofFastest(wall, "peer", "none"), bound: .2, format: "%.2f"}, false, "", harness.NotMeasured},
		{target{value: share("none", wall), bound: .2, format: "%.2f"}, false, "", harness.NotMeasured},
		{target{value: figure(own, "none", 1), bound: .2, format: "%.2f"}, true, "", harness.NotMeasured},
	} {
		if v := c.target.measured(r); v != c.value {
			t.Errorf("%+v: measured %q, want %q", c.target, v, c.value)
		}
		if v := c.target.verdict(r, c.small); v != c.verdict {
			t.Errorf("%+v: %s, want %s", c.target, v, c.verdict)
		}
	}
	if got := (target{bound: 70, above: true, unit: "%", format: "%.0f"}).limit().String(); got != ">= 70%" {
		t.Errorf("bound %q", got)
	}
	if v := (target{value: share(own, wall), format: "%g"}).verdict(nil, false); v != harness.NotMeasured {
		t.Errorf("a row without a record: %s", v)
	}
}

func TestSeries(t *testing.T) {
	for _, c := range []struct {
		unit         string
		best, spread float64
	}{{seconds, 2, .5}, {inBytes, 2, .5}, {plain, 2, .5}, {gflops, 3, .5}, {gbytes, 3, .5}, {perSec, 3, .5}} {
		s := series{Unit: c.unit, Samples: []float64{2.5, 2, 3}}
		if s.best() != c.best || math.Abs(s.spread()-c.spread) > 1e-15 {
			t.Errorf("%q: best %v, spread %v", c.unit, s.best(), s.spread())
		}
	}
	if s := (series{Samples: []float64{0, 1}}).spread(); s != 0 {
		t.Errorf("spread from zero: %v", s)
	}
}

func TestQuantile(t *testing.T) {
	times := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, .5: 3, .99: 5, 1: 5} {
		if got := harness.Quantile(times, q); got != want {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if times[0] != 5 {
		t.Error("quantile has sorted its argument")
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{123.4, seconds, "123 s"}, {1.234, seconds, "1.23 s"}, {.0123, seconds, "12.3 ms"}, {4.5e-6, seconds, "4.50 µs"}, {3e-9, seconds, "3.00 ns"},
		{2.5e9, inBytes, "2.50 GB"}, {3e6, inBytes, "3.00 MB"}, {12000, inBytes, "12.0 kB"}, {1500, perSec, "1.50 thousand/s"}, {2e6, perSec, "2.00 million/s"},
		{71.26, gflops, "71.3 GFLOP/s"}, {.97123, plain, "0.9712"},
	} {
		if got := quantity(c.v, c.unit); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
