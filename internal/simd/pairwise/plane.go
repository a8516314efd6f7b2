package pairwise

// Float is float32 or float64.
type Float interface{ float32 | float64 }

// Spot is a target in the plane: its position, sigma_i^2 and Delta_i^2.
type Spot[T Float] struct{ X, Y, S, A T }

// Run is a set of sources in slices of equal length: positions, sigma_j^2, Delta_j^2 and weights.
type Run[T Float] struct{ X, Y, S, A, W []T }

// The assembly uses these types.
type (
	spot64 = Spot[float64]
	run64  = Run[float64]
	spot32 = Spot[float32]
	run32  = Run[float32]
)

// Cut returns sources from..to.
func (r *Run[T]) Cut(from, to int) Run[T] {
	return Run[T]{r.X[from:to], r.Y[from:to], r.S[from:to], r.A[from:to], r.W[from:to]}
}

// check panics if a slice is shorter than W.
func (r *Run[T]) check() {
	n := len(r.W)
	_, _, _, _ = r.X[:n], r.Y[:n], r.S[:n], r.A[:n]
}

// Force is the force of sources on a target: sum_j w_j V_ij (mu_i - mu_j), sum_j w_j V_ij, and the
// sum of the bound in PushFar.
type Force struct{ X, Y, V, Bound float64 }

// Add adds g to f.
func (f *Force) Add(g Force) {
	f.X += g.X
	f.Y += g.Y
	f.V += g.V
	f.Bound += g.Bound
}

// narrow is the plain version of Narrow, for the numbers after from.
func narrow(dst []float32, src []float64, centre float64, from int) {
	for k := from; k < len(src); k++ {
		dst[k] = float32(src[k] - centre)
	}
}

// push is the plain version of Push.
func push[T Float](t *Spot[T], r *Run[T]) Force {
	var sx, sy, sv T
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.S + ss[k])
		b := as[k]
		ab := t.A * b
		m := (t.A+b)*q + ab // (q+A)(q+B) - q^2
		v := (m + ab) * (ws[k] / (q * (q*q + m)))
		sx += v * dx
		sy += v * dy
		sv += v
	}
	return Force{X: float64(sx), Y: float64(sy), V: float64(sv)}
}

// pushFar is the plain version of PushFar.
func pushFar[T Float](t *Spot[T], r *Run[T]) Force {
	var sx, sy, sv, bound T
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.S + ss[k])
		b := as[k]
		ab, c := t.A*b, t.A+b
		m := c*q + ab
		over := ws[k] / (q * (q*q + m))
		v := (m + ab) * over
		sx += v * dx
		sy += v * dy
		sv += v
		bound += (q + q + c) * (q * over)
	}
	return Force{float64(sx), float64(sy), float64(sv), 6 * float64(bound)}
}

// logs is the plain version of Logs.
func logs(t *spot64, r *run64) float64 {
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	l := newLogSum()
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.S + ss[k])
		b := as[k]
		l.add(ws[k], q*q, (t.A+b)*q+t.A*b)
	}
	return l.total()
}
