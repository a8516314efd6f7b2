package student

import "math"

// Pair computes the terms of one ordered pair of points with one length scale. The same formulas
// hold for a similar pair (Scale2 = delta_ij^2, the event c = 1) and a dissimilar one (Scale2 =
// Delta_i^2, c = 0).
//
// It is written for clarity. It is used where there are few pairs, and for tails other than d/2.
// The sweeps over all pairs do the same arithmetic in plane.go and tile.go.
type Pair struct {
	Scale2           float64 // delta^2 or Delta^2
	Sigma2I, Sigma2J float64
	Dist2            float64 // r^2 = |mu_i - mu_j|^2
	Dims             int     // d
	Tail             float64 // a
}

// V returns delta^2 + sigma_i^2 + sigma_j^2. The variances are added first, so that V_ij and V_ji
// are bit-identical on the same scale.
func (p Pair) V() float64 { return p.Scale2 + (p.Sigma2I + p.Sigma2J) }

// Q returns V/w = V + r^2/(2a) (H4).
func (p Pair) Q() float64 { return p.V() + p.Dist2/(2*p.Tail) }

// surprise returns t = -log P(c=1), a sum of two positive terms (H2). If a = d/2, both combine to a
// single logarithm.
func (p Pair) surprise() float64 {
	s, half := p.Sigma2I+p.Sigma2J, float64(p.Dims)/2
	if p.Tail == half {
		return half * math.Log1p((s+p.Dist2/(2*half))/p.Scale2)
	}
	return half*math.Log1p(s/p.Scale2) + p.Tail*math.Log1p(p.Dist2/(2*p.Tail*p.V()))
}

// Prob returns P(c=1) (H2).
func (p Pair) Prob() float64 { return math.Exp(-p.surprise()) }

// LogProb returns log P(c=1), the score of a similar pair (H3).
func (p Pair) LogProb() float64 { return -p.surprise() }

// LogOther returns log P(c=0) = log(1 - exp(-t)), the score of a dissimilar pair (H3). It is exact
// to rounding both for P(c=1) near 0 and near 1.
func (p Pair) LogOther() float64 {
	t := p.surprise()
	if t > math.Ln2 {
		return math.Log1p(-math.Exp(-t))
	}
	return math.Log(-math.Expm1(-t))
}

// Odds returns nu = P(c=1)/P(c=0) = 1/(exp(t) - 1).
func (p Pair) Odds() float64 { return 1 / math.Expm1(p.surprise()) }

// Share returns w = E[lambda | c=1] = V/Q (H4), between 0 and 1.
func (p Pair) Share() float64 { return p.V() / p.Q() }

// OtherShare returns E[lambda | c=0] = 1 + nu (1 - w) (H4).
func (p Pair) OtherShare() float64 {
	return 1 + p.Odds()*(p.Dist2/(2*p.Tail))/p.Q()
}

// Pull returns the weight of the attraction between i and j, w/V = 1/Q (H5).
func (p Pair) Pull() float64 { return 1 / p.Q() }

// Push returns the weight of the repulsion between i and j, nu w/V = nu/Q (H6).
func (p Pair) Push() float64 { return p.Odds() / p.Q() }

// Slope returns 2 d log P(c=1) / d sigma_i^2 = (w r^2/V - d)/V. For log P(c=0), the derivative is
// -nu times that (H9).
func (p Pair) Slope() float64 {
	return (p.Dist2/p.Q() - float64(p.Dims)) / p.V()
}

// Global returns the pair's term of the diagonal of the tighter majoriser for d = 2, a = 1, per
// unit of weight (H8).
func (p Pair) Global() float64 {
	return 2 * (1/(8*(p.Sigma2I+p.Sigma2J)) + 1/p.V())
}

// Far returns the pair's term of the majoriser Far, per unit of weight (H8).
func (p Pair) Far() float64 { return 6 / p.Q() }

// Local returns the pair's term of the majoriser Local, per unit of weight (H8).
func (p Pair) Local() float64 {
	s := p.Sigma2I + p.Sigma2J
	e := max(p.Dist2/4, 3*s)
	return 2 * ((e-s)/((s+e)*(s+e)) + 1/(p.V()+p.Dist2/2))
}
