package saul

import "math"

// Pair has the parameters of one ordered pair of points on one length scale. Its methods return the
// probabilities and expectations of the model. The same formulas apply to a similar pair (Scale2 =
// delta_ij^2, the event c_delta) and a dissimilar pair (Scale2 = Delta_ij^2, c_Delta). The names h
// and h' are the latent draws of i and j (eq 1, 2).
//
// It is written for clarity and used where there are few pairs; package pairwise has the same
// arithmetic for sweeps over all pairs.
type Pair struct {
	Scale2           float64 // delta^2 or Delta^2
	Sigma2I, Sigma2J float64
	Dist2            float64 // |mu_i - mu_j|^2
	Dims             int     // d
}

// q returns the denominator scale^2 + sigma_i^2 + sigma_j^2. The sum of the
// variances comes first, so that q_ij = q_ji to the last bit.
func (p Pair) q() float64 { return p.Scale2 + (p.Sigma2I + p.Sigma2J) }

// split returns P(c=1) and P(c=0). Neither is computed by subtraction from 1, which would lose
// precision:
//
//	P(c=1) = r^(d/2) exp(-e),  r = scale^2/q,  e = |mu_i - mu_j|^2 / (2q)
//
// is eq 5 (SM 1-4). For SM 17, 1 - P = (1 - r^h) + r^h (1 - exp(-e)) with h = d/2. For odd d, h = d
// and r is replaced by its root. With 1 - r^h = (1 - r)(1 + r + ... + r^(h-1)) all terms are
// positive, so nothing cancels.
func (p Pair) split() (one, zero float64) {
	q, s := p.q(), p.Sigma2I+p.Sigma2J
	e := p.Dist2 / (2 * q)
	r, less, h := p.Scale2/q, s/q, p.Dims/2
	if p.Dims%2 == 1 {
		r = math.Sqrt(r)
		less, h = less/(1+r), p.Dims
	}
	power, sum := 1.0, 0.0
	for range h {
		sum += power
		power *= r
	}
	return power * math.Exp(-e), less*sum - power*math.Expm1(-e)
}

// Prob returns P(c=1) of eq 5.
func (p Pair) Prob() float64 { one, _ := p.split(); return one }

// LogProb returns log P(c=1), the score of a similar pair (eq 6).
func (p Pair) LogProb() float64 {
	return -float64(p.Dims)/2*math.Log1p((p.Sigma2I+p.Sigma2J)/p.Scale2) - p.Dist2/(2*p.q())
}

// LogOther returns log P(c=0), the score of a dissimilar pair (eq 6, SM 17).
func (p Pair) LogOther() float64 {
	one, zero := p.split()
	if one < 0.5 {
		return math.Log1p(-one)
	}
	return math.Log(zero)
}

// Odds returns nu = P(c=1) / P(c=0) of eq 9 (SM 18).
func (p Pair) Odds() float64 { one, zero := p.split(); return one / zero }

// Pull returns the factor a of E[h | c=1] = mu_i - a (mu_i - mu_j): eq 10 (SM 7-10).
func (p Pair) Pull() float64 { return p.Sigma2I / p.q() }

// Push returns the factor a of E[h | c=0] = mu_i + a (mu_i - mu_j): eq 11 (SM 19-23).
func (p Pair) Push() float64 { return p.Odds() * p.Sigma2I / p.q() }

// Phi returns E[|h - mu_i|^2 | c=1]: eq 12, 16 (SM 11-16, 35).
func (p Pair) Phi() float64 {
	d := float64(p.Dims)
	return p.Sigma2I * (d + p.Sigma2I/p.q()*(p.Dist2/p.q()-d))
}

// Psi returns E[|h - mu_i|^2 | c=0]: eq 14, 17 (SM 24, 25, 37).
func (p Pair) Psi() float64 {
	d := float64(p.Dims)
	return p.Sigma2I * (d - p.Odds()*p.Sigma2I/p.q()*(p.Dist2/p.q()-d))
}

// Swap returns the pair with i and j exchanged, on the same length scale. Its Pull, Push, Phi and
// Psi are the statistics of h' (eq 13, 15; SM 36, 38).
func (p Pair) Swap() Pair {
	p.Sigma2I, p.Sigma2J = p.Sigma2J, p.Sigma2I
	return p
}
