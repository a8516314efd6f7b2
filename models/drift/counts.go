package drift

import "math"

// Counts summarises a weighted graph on two samples for the test of its cross edges. Every field is
// a sum over edges or points, so that it can be updated when edges are added or removed.
type Counts struct {
	// Reference and Newest are the numbers of points in the two samples, n and m.
	Reference, Newest int
	// Weight, Squares and Strengths are W, Q and S of (D1).
	Weight, Squares, Strengths int64
	// Cross is X, the weight of the edges between the samples, and Ends is Y, the strengths of
	// the newest points.
	Cross, Ends int64
}

// Test compares the number of cross edges with its expectation if both samples come from one
// distribution.
type Test struct {
	// Cross is the observed count; Mean and Deviation describe its null distribution.
	Cross           int64
	Mean, Deviation float64
	// Z is (Mean - Cross) / Deviation: large if there are too few cross edges. P is the probability
	// of at most that many cross edges under a normal distribution; it is near 0 if the samples
	// differ. If Deviation is 0, Z is 0 and P is 1.
	Z, P float64
	// Degree is the number of standard deviations by which the newest points have more edges than
	// the others. It is negative where they lie in sparse regions and positive where they crowd. It
	// detects samples with the same centre but different spread, which Z may miss.
	Degree float64
}

// Test compares the count with its mean and variance over all choices of Newest points among all
// points, for the given graph:
//
//	E X   = W a                                                            (D2)
//	Var X = Q a + (S - 2 Q) b + (W^2 - S + Q) c - (W a)^2                   (D3)
//
// where N = n + m. The probability that an edge is a cross edge is a; that two edges sharing a
// point both are is b; and that two edges without a shared point both are is c:
//
//	a = 2 n m / N(N-1)    b = n m / N(N-1)    c = 4 n(n-1) m(m-1) / N(N-1)(N-2)(N-3)
//
// The strengths of the newest points are compared likewise. S/N - (2W/N)^2 is the variance of a
// strength:
//
//	E Y = 2 W m/N    Var Y = n m / N(N-1) (S - (2 W)^2 / N)                 (D4)
func (c Counts) Test() Test {
	t := Test{Cross: c.Cross, P: 1}
	n, m := float64(c.Reference), float64(c.Newest)
	all := n + m
	if all < 2 {
		return t
	}
	both := n * m / (all * (all - 1))
	var apart float64 // of fewer than four points there are no two edges that share none
	if all >= 4 {
		apart = 4 * n * (n - 1) * m * (m - 1) / (all * (all - 1) * (all - 2) * (all - 3))
	}
	w, q, s := float64(c.Weight), float64(c.Squares), float64(c.Strengths)
	t.Mean = w * 2 * both
	if t.Deviation = deviation(q*2*both+(s-2*q)*both+(w*w-s+q)*apart-t.Mean*t.Mean, t.Mean); t.Deviation > 0 {
		t.Z = (t.Mean - float64(c.Cross)) / t.Deviation
		t.P = 0.5 * math.Erfc(t.Z/math.Sqrt2)
	}
	ends := 2 * w * m / all
	if d := deviation(both*(s-4*w*w/all), ends); d > 0 {
		t.Degree = (float64(c.Ends) - ends) / d
	}
	return t
}

// deviation returns the square root of a variance, or 0 if the variance is only rounding error.
func deviation(variance, mean float64) float64 {
	if variance <= 1e-12*(mean*mean+1) {
		return 0
	}
	return math.Sqrt(variance)
}

// edge adds a weight of 1 between two points (sign 1), or removes it (sign -1), and updates their
// strengths. was is the weight between them without the edge.
func (c *Counts) edge(sign, was int64, strength [2]*int32, newest [2]bool) {
	c.Weight += sign
	c.Squares += sign * (2*was + 1) // (was+1)^2 - was^2
	if newest[0] != newest[1] {
		c.Cross += sign
	}
	for end, s := range strength {
		c.Strengths += sign*2*int64(*s) + 1
		*s += int32(sign)
		if newest[end] {
			c.Ends += sign
		}
	}
}
