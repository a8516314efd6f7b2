package saul

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawn has Monte Carlo statistics of one pair given c = 1 and given c = 0. The latent draws h and
// h' follow eq 1 and 2, the event c eq 3 or 4.
type drawn struct {
	prob         float64
	pull, push   float64 // along mu_i - mu_j, as Pair.Pull and Pair.Push
	phi, psi     float64
	pullJ, pushJ float64
	phiJ, psiJ   float64
}

// draw weights every draw by its probabilities of c = 1 and c = 0 (eq 7, 8).
func draw(p Pair, n int, r *rand.Rand) drawn {
	var w1, w0 float64
	var d drawn
	x := math.Sqrt(p.Dist2) // mu_i = (x, 0, ...), mu_j = 0
	h, hh := make([]float64, p.Dims), make([]float64, p.Dims)
	for range n {
		var dist2, hi2, hj2 float64
		for c := range h {
			h[c] = math.Sqrt(p.Sigma2I) * r.NormFloat64()
			hh[c] = math.Sqrt(p.Sigma2J) * r.NormFloat64()
			hi2, hj2 = hi2+h[c]*h[c], hj2+hh[c]*hh[c]
			delta := h[c] - hh[c]
			if c == 0 {
				delta += x
			}
			dist2 += delta * delta
		}
		one := math.Exp(-dist2 / (2 * p.Scale2))
		zero := -math.Expm1(-dist2 / (2 * p.Scale2))
		w1, w0 = w1+one, w0+zero
		d.pull, d.push = d.pull-one*h[0]/x, d.push+zero*h[0]/x
		d.pullJ, d.pushJ = d.pullJ+one*hh[0]/x, d.pushJ-zero*hh[0]/x
		d.phi, d.psi = d.phi+one*hi2, d.psi+zero*hi2
		d.phiJ, d.psiJ = d.phiJ+one*hj2, d.psiJ+zero*hj2
	}
	d.prob = w1 / (w1 + w0)
	for _, v := range []*float64{&d.pull, &d.phi, &d.pullJ, &d.phiJ} {
		*v /= w1
	}
	for _, v := range []*float64{&d.push, &d.psi, &d.pushJ, &d.psiJ} {
		*v /= w0
	}
	return d
}

// The formulas of Pair (eq 5 and 9-17, SM 1-25) agree with the integrals of eq 1-4 and 7-8 over a
// million draws.
func TestPairAgainstDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, p := range []Pair{
		{Scale2: 1, Sigma2I: .5, Sigma2J: .8, Dist2: 1.5, Dims: 1},
		{Scale2: 2, Sigma2I: .7, Sigma2J: .2, Dist2: 1, Dims: 2},
		{Scale2: 3, Sigma2I: .4, Sigma2J: .9, Dist2: 2, Dims: 3},
		{Scale2: 4, Sigma2I: .3, Sigma2J: .5, Dist2: 1, Dims: 4},
	} {
		d, q := draw(p, 1_000_000, r), p.Swap()
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"P (eq 5)", p.Prob(), d.prob},
			{"nu (eq 9)", p.Odds(), d.prob / (1 - d.prob)},
			{"E[h|c=1] (eq 10)", p.Pull(), d.pull},
			{"E[h|c=0] (eq 11)", p.Push(), d.push},
			{"E[h'|c=1]", q.Pull(), d.pullJ},
			{"E[h'|c=0]", q.Push(), d.pushJ},
			{"phi (eq 16)", p.Phi(), d.phi},
			{"psi (eq 17)", p.Psi(), d.psi},
			{"phi' (eq 13)", q.Phi(), d.phiJ},
			{"psi' (eq 15)", q.Psi(), d.psiJ},
		} {
			if math.Abs(c.got-c.want) > 0.01*math.Abs(c.want)+0.003 {
				t.Errorf("d = %d: %s is %.5f, draws say %.5f", p.Dims, c.what, c.got, c.want)
			}
		}
	}
}

// Two points without variance coincide with probability 1/2 at |h - h'| = |x_i - x_j| (the remark
// after eq 44 of the supplement, corrected).
func TestPairCalibration(t *testing.T) {
	const dist2 = 7.0
	p := Pair{Scale2: dist2 / (2 * math.Ln2), Dist2: dist2, Dims: 2}
	if got := p.Prob(); math.Abs(got-.5) > 1e-15 {
		t.Errorf("probability %v, want 1/2", got)
	}
}

func drawPair(t *rapid.T) Pair {
	positive := rapid.Custom(func(t *rapid.T) float64 {
		return math.Exp(rapid.Float64Range(-25, 25).Draw(t, "log"))
	})
	return Pair{
		Scale2: positive.Draw(t, "scale2"), Sigma2I: positive.Draw(t, "sigma2i"), Sigma2J: positive.Draw(t, "sigma2j"),
		Dist2: positive.Draw(t, "dist2"), Dims: rapid.IntRange(1, 12).Draw(t, "d"),
	}
}

// Identities between the statistics of a pair hold for any pair, also at large distances.
func TestPairIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		one, zero := p.split()
		if math.Abs(one+zero-1) > 1e-14 || !(one >= 0) || !(zero > 0) {
			t.Fatalf("P(c=1) = %v, P(c=0) = %v", one, zero)
		}
		if l := p.LogProb(); one > 1e-300 && math.Abs(math.Exp(l)-one) > 1e-12*one*(1+math.Abs(l)) {
			t.Fatalf("log P(c=1) = %v, P = %v", l, one)
		}
		if l := p.LogOther(); !(l <= 0) || math.Abs(math.Exp(l)-zero) > 1e-14 {
			t.Fatalf("log P(c=0) = %v, P = %v", l, zero)
		}
		if !(p.Phi() >= 0) || !(p.Psi() >= 0) {
			t.Fatalf("phi = %v, psi = %v: expected squares cannot be negative", p.Phi(), p.Psi())
		}
		if q := p.Swap(); q.q() != p.q() {
			t.Fatalf("q_ij = %v, q_ji = %v", p.q(), q.q())
		}
		// SM 19-22 and 24: the unconditional statistics are the average over c = 0 and c = 1.
		if shift := zero*p.Push() - one*p.Pull(); math.Abs(shift) > 1e-12*one*p.Pull() {
			t.Fatalf("prior mean moves by %v", shift)
		}
		if prior := one*p.Phi() + zero*p.Psi(); math.Abs(prior-float64(p.Dims)*p.Sigma2I) > 1e-9*float64(p.Dims)*p.Sigma2I {
			t.Fatalf("prior expectation %v, want %v", prior, float64(p.Dims)*p.Sigma2I)
		}
	})
}

// Eq 10 and 16 are the derivatives of log P (SM 5, 6, 9, 14); central differences in one coordinate
// confirm it.
func TestPairDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := func(name string) float64 { return rapid.Float64Range(.3, 3).Draw(t, name) }
		s2, si, sj, x := u("scale2"), u("sigma2i"), u("sigma2j"), u("x")
		for _, logp := range []func(Pair) float64{Pair.LogProb, Pair.LogOther} {
			at := func(x float64) float64 { return logp(Pair{s2, si, sj, x * x, 1}) }
			const e = 1e-4
			first := (at(x+e) - at(x-e)) / (2 * e)
			second := (at(x+e) - 2*at(x) + at(x-e)) / (e * e)
			p := Pair{s2, si, sj, x * x, 1}
			mean, square := -p.Pull()*x, p.Phi()
			if logp(p) == p.LogOther() {
				mean, square = p.Push()*x, p.Psi()
			}
			if math.Abs(si*first-mean) > 1e-5*(1+math.Abs(mean)) {
				t.Fatalf("sigma^2 dlogP/dmu = %v, E[h - mu] = %v", si*first, mean)
			}
			// E|h - mu|^2 = trace(sigma^2 I + sigma^4 d2 logP) + |E[h] - mu|^2
			if got := si + si*si*second + mean*mean; math.Abs(got-square) > 1e-4*(1+square) {
				t.Fatalf("from second derivatives %v, directly %v", got, square)
			}
		}
	})
}
