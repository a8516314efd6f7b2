package student

import "unfold/internal/simd/pairwise"

// These kernels compute the repulsion in the plane, d = 2 and a = 1, of one target and a run of
// sources. With u = r^2/2, s = sigma_i^2 + sigma_j^2, q = s + u, A = Delta_i^2 and B = Delta_j^2,
// the repulsion of both directions together is (H7)
//
//	V_ij = A/(q(q+A)) + B/(q(q+B)) = ((A+B) q + 2AB) / (q (q+A)(q+B)),
//
// with one division per pair. Only coordinates are subtracted, so there is no cancellation.

// pushLocal is pairwise.Push that also sums the local majoriser (H8) of both directions,
//
//	4 (e-s)/(s+e)^2 + 2/(q+A) + 2/(q+B),   e = max(u/2, 3s),
//
// where the last two terms share the denominator of the repulsion.
func pushLocal(t *pairwise.Spot[float64], r *pairwise.Run[float64]) (f pairwise.Force) {
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		u, s := 0.5*(dx*dx+dy*dy), t.S+ss[k]
		q, b, w := s+u, as[k], ws[k]
		ab, c := t.A*b, t.A+b
		m := c*q + ab
		over := w / (q * (q*q + m))
		e := max(0.5*u, 3*s)
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

// pushGlobal is pairwise.Push that also sums the tighter majoriser (H8), 2/(4s) + 2/V_ij + 2/V_ji.
func pushGlobal(t *pairwise.Spot[float64], r *pairwise.Run[float64]) pairwise.Force {
	f := pairwise.Push(t, r)
	for k, w := range r.W {
		s := t.S + r.S[k]
		f.Bound += w * 2 * (1/(4*s) + 1/(s+t.A) + 1/(s+r.A[k]))
	}
	return f
}
