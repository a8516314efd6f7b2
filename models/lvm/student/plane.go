package student

import (
	"math"

	"unfold/sparse/vec/pairs"
)

// The kernels of the plane, d = 2 and a = 1, one target against a run of
// sources. With u = r^2/2, s = sigma_i^2 + sigma_j^2, q = s + u, A = Delta_i^2 and
// B = Delta_j^2 the repulsion of both directions together is (H7)
//
//	V_ij = A/(q(q+A)) + B/(q(q+B)) = ((A+B) q + 2AB) / (q (q+A)(q+B)),
//
// one division a pair. Nothing is subtracted but coordinates.

// pushLocal is push with the sum of the local majoriser (H8) of both
// directions,
//
//	4 (e-s)/(s+e)^2 + 2/(q+A) + 2/(q+B),   e = max(u/2, 3s),
//
// the last two over the denominator that is there anyway.
func pushLocal(t *pairs.Spot[float64], r *pairs.Run[float64]) (f pairs.Force) {
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		u, s := 0.5*(dx*dx+dy*dy), t.S+ss[k]
		q, b, w := s+u, as[k], ws[k]
		ab, c := t.A*b, t.A+b
		m := c*q + ab
		over := w / (q * (q*q + m))
		e := 0.5 * u
		if least := 3 * s; e < least {
			e = least
		}
		wide := w / ((s + e) * (s + e))
		v := (m + ab) * over
		f.X += v * dx
		f.Y += v * dy
		f.V += v
		f.Bound += 2*(e-s)*wide + (q+q+c)*q*over
	}
	f.Bound *= 2
	return f
}

// pushGlobal is push with the sum of the tighter majoriser (H8),
// 2/(4s) + 2/V_ij + 2/V_ji.
func pushGlobal(t *pairs.Spot[float64], r *pairs.Run[float64]) pairs.Force {
	f := pairs.Push(t, r)
	for k, w := range r.W {
		s := t.S + r.S[k]
		f.Bound += w * 2 * (1/(4*s) + 1/(s+t.A) + 1/(s+r.A[k]))
	}
	return f
}

// logs returns the sum of the weighted log-likelihoods of both directions,
//
//	log(q/(q+A)) + log(q/(q+B)) = log(q^2 / (q^2 + m)),   m = (A+B) q + AB.
//
// Sources of weight 1 are multiplied up, with a logarithm where the product
// becomes small; for others, which are far, log x = 2 artanh((x-1)/(x+1)) is a
// short series.
func logs(t *pairs.Spot[float64], r *pairs.Run[float64]) float64 {
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	sum, product := 0.0, 1.0
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.S + ss[k])
		b := as[k]
		m, q2 := (t.A+b)*q+t.A*b, q*q
		if ws[k] == 1 {
			product *= q2 / (q2 + m)
			if product < 1e-150 {
				sum += math.Log(product)
				product = 1
			}
			continue
		}
		z := m / (2*q2 + m)
		if z > 0.1 {
			sum += ws[k] * math.Log(q2/(q2+m))
			continue
		}
		zz := z * z
		sum -= ws[k] * 2 * z * (1 + zz*(1./3+zz*(1./5+zz*(1./7+zz*(1./9+zz*(1./11))))))
	}
	return sum + math.Log(product)
}
