package main

import "unfold/bench/internal/harness"

// target is a figure of a row with what it must reach.
type target struct {
	what string
	// value takes the figure from the measurements; false if it is not there.
	value func(r *record) (float64, bool)
	bound float64
	above bool // the bound is a lower one
	// unit follows value and bound; format prints both.
	unit, format string
}

func (b target) limit() harness.Bound {
	return harness.Bound{Value: b.bound, Above: b.above, Format: b.format, Unit: b.unit}
}

// verdict is none on toy data (small).
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

// figure is a target's value that was measured as it is, times scale.
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

// share is this program's figure as a share of a peer's, faster the inverse.
func share(peer, what string) func(*record) (float64, bool) { return ratio(own, what, peer, what) }

func faster(peer, what string) func(*record) (float64, bool) { return ratio(peer, what, own, what) }

// ofFastest is this program's figure as a share of the least of all peers named,
// which all must be there.
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
