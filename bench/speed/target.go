package main

import "unfold/bench/internal/harness"

// target is a figure of a row with its bound.
type target struct {
	what string
	// value returns the figure from the measurements, or false if it is missing.
	value func(r *record) (float64, bool)
	bound float64
	above bool // true for a lower bound
	// unit is appended to value and bound; format formats both.
	unit, format string
}

func (b target) limit() harness.Bound {
	return harness.Bound{Value: b.bound, Above: b.above, Format: b.format, Unit: b.unit}
}

// verdict returns the verdict; none on toy data (small).
func (b target) verdict(r *record, small bool) string {
	v, ok := b.value(r)
	switch {
	case !ok:
		return harness.NotMeasured
	case small:
		return harness.ToyData
	}
	return b.limit().Verdict(v)
}

func (b target) measured(r *record) string {
	v, ok := b.value(r)
	if !ok {
		return ""
	}
	return b.limit().Show(v)
}

// figure returns a measured figure times scale.
func figure(who, what string, scale float64) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		v, ok := r.best(who, what)
		return v * scale, ok
	}
}

// ratio is one figure divided by another.
func ratio(who, what, byWho, byWhat string) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		a, ok := r.best(who, what)
		b, there := r.best(byWho, byWhat)
		if !ok || !there || b == 0 {
			return 0, false
		}
		return a / b, true
	}
}

// share returns this program's figure relative to a peer's; below 1 is faster.
func share(peer, what string) func(*record) (float64, bool) { return ratio(own, what, peer, what) }

func faster(peer, what string) func(*record) (float64, bool) { return ratio(peer, what, own, what) }

// ofFastest returns this program's figure relative to the least of the named peers, all of which
// must be measured.
func ofFastest(what string, peers ...string) func(*record) (float64, bool) {
	return func(r *record) (worst float64, ok bool) {
		for _, p := range peers {
			v, ok := share(p, what)(r)
			if !ok {
				return 0, false
			}
			worst = max(worst, v)
		}
		return worst, len(peers) > 0
	}
}
