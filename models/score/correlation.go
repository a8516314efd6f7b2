package score

import (
	"math"
	"slices"

	"unfold/internal/radix"
	"unfold/models"
)

// ranks replaces v by its ranks, starting at 1, with the mean rank for ties. It returns the
// ascending order of v.
func ranks(v []float64, s *radix.Sorter) (order []int32) {
	order = s.Order(len(v), func(i int) float64 { return v[i] }, nil)
	runs(v, order, func(from, to int) {
		for _, i := range order[from:to] {
			v[i] = float64(from+to+1) / 2
		}
	})
	return order
}

// runs calls f with every run of equal values in ascending order; f may change
// the values of its run.
func runs(v []float64, order []int32, f func(from, to int)) {
	for from := 0; from < len(order); {
		to, first := from+1, v[order[from]]
		for to < len(order) && v[order[to]] == first {
			to++
		}
		f(from, to)
		from = to
	}
}

// pearson returns the correlation of a and b, and its standard error for independently drawn pairs.
// Both are 0 if a or b is constant.
func pearson(a, b []float64) (r, err float64) {
	ma, mb := mean(a), mean(b)
	var aa, bb, ab float64
	for i := range a {
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
		ab += (a[i] - ma) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0, 0
	}
	r = ab / math.Sqrt(aa*bb)
	n := float64(len(a))
	sa, sb := math.Sqrt(aa/n), math.Sqrt(bb/n)
	var squares float64
	for i := range a {
		p, q := (a[i]-ma)/sa, (b[i]-mb)/sb
		influence := p*q - r/2*(p*p+q*q)
		squares += influence * influence
	}
	return r, math.Sqrt(squares) / n
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// spearman returns the correlation of the ranks of a and b, with mean ranks for ties. It overwrites
// a and b with u and v: the ranks minus their mean, divided by their number. The correlation is 0
// if a or b is constant.
func spearman(a, b []float64) *rankCorrelation {
	var s radix.Sorter
	c := &rankCorrelation{u: a, v: b, byU: ranks(a, &s), byV: ranks(b, &s)}
	n := float64(len(a))
	for _, r := range [][]float64{a, b} {
		for i := range r {
			r[i] = (r[i] - (n+1)/2) / n
		}
	}
	for i, u := range c.u {
		c.uu += u * u / n
		c.vv += c.v[i] * c.v[i] / n
		c.uv += u * c.v[i] / n
	}
	if c.uu > 0 && c.vv > 0 {
		c.rho = c.uv / math.Sqrt(c.uu*c.vv)
	}
	return c
}

// rankCorrelation is Spearman's correlation, with the ranks that its standard error needs.
type rankCorrelation struct {
	u, v       []float64
	byU, byV   []int32 // ascending orders
	uu, vv, uv float64 // means of products
	rho        float64
}

// err returns the standard error of rho for independently drawn pairs (u, v), by the delta method:
// the root mean square influence divided by the root of their number. It is 0 if rho is undefined.
func (c *rankCorrelation) err() float64 {
	if c.uu == 0 || c.vv == 0 {
		return 0
	}
	var squares float64
	for _, x := range c.influences() {
		squares += x * x
	}
	return math.Sqrt(squares) / float64(len(c.u))
}

// influences returns the influence of every pair on rho, that is, the derivative of rho by the
// pair's weight. A pair acts by its own ranks, and by raising all greater ranks.
func (c *rankCorrelation) influences() []float64 {
	root := math.Sqrt(c.uu * c.vv)
	influence := make([]float64, len(c.u))
	for i, u := range c.u {
		v := c.v[i]
		influence[i] = u*v/root - c.rho/2*(u*u/c.uu+v*v/c.vv)
	}
	raise(influence, c.u, c.v, c.byU, 1/root, -c.rho/c.uu)
	raise(influence, c.v, c.u, c.byV, 1/root, -c.rho/c.vv)
	return influence
}

// raise adds to the influence of every pair the mean, over all pairs, of q v + p u for those with
// greater u, and half of it for those with equal u. The means of u and v are 0.
func raise(influence, u, v []float64, byU []int32, q, p float64) {
	n := float64(len(u))
	var before float64
	runs(u, byU, func(from, to int) {
		var run float64
		for _, i := range byU[from:to] {
			run += (q*v[i] + p*u[i]) / n
		}
		for _, i := range byU[from:to] {
			influence[i] -= before + run/2
		}
		before += run
	})
}

// AUC returns the area under the ROC curve: the probability that a positive event has a higher
// score than a negative one, with ties counted half. Neither list may be empty.
func AUC(positive, negative []float64) (float64, error) {
	if len(positive) == 0 || len(negative) == 0 {
		return 0, models.BadInputf("score: %d positive and %d negative events: both must be there for an AUC", len(positive), len(negative))
	}
	all := append(slices.Clone(positive), negative...)
	if i := slices.IndexFunc(all, math.IsNaN); i >= 0 {
		return 0, models.BadInputf("score: score %d is NaN", i)
	}
	// The Mann-Whitney statistic is the rank sum of the positives minus its minimum.
	var sum float64
	ranks(all, new(radix.Sorter))
	for _, r := range all[:len(positive)] {
		sum += r
	}
	p, n := float64(len(positive)), float64(len(negative))
	return (sum - p*(p+1)/2) / (p * n), nil
}
