package pairwise

import "math"

// logSum sums weighted logarithms of ratios below 1.
//
// Ratios of weight 1 are multiplied, with a logarithm when the product becomes small. For others,
// which come from distant sources, log x = 2 artanh((x-1)/(x+1)) is a short series.
type logSum struct{ sum, product float64 }

func newLogSum() logSum { return logSum{product: 1} }

// add adds w log(p/(p+rest)).
func (l *logSum) add(w, p, rest float64) {
	if w == 1 {
		l.product *= p / (p + rest)
		if l.product < 1e-150 {
			l.sum += math.Log(l.product)
			l.product = 1
		}
		return
	}
	z := rest / (2*p + rest)
	if z > 0.1 {
		l.sum += w * math.Log(p/(p+rest))
		return
	}
	zz := z * z
	l.sum -= w * 2 * z * (1 + zz*(1./3+zz*(1./5+zz*(1./7+zz*(1./9+zz*(1./11))))))
}

func (l *logSum) total() float64 { return l.sum + math.Log(l.product) }
