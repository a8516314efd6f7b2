package pairs

// Spot is a target in the plane: its place, sigma_i^2 and Delta_i^2.
type Spot struct{ X, Y, S, A float64 }

// Run are sources in slices of equal length: places, sigma_j^2, Delta_j^2 and
// weights.
type Run struct{ X, Y, S, A, W []float64 }

// Cut returns sources from..to.
func (r *Run) Cut(from, to int) Run {
	return Run{r.X[from:to], r.Y[from:to], r.S[from:to], r.A[from:to], r.W[from:to]}
}

// Force is what sources do to a target: sum_j w_j V_ij (mu_i - mu_j), sum_j w_j
// V_ij, and the sum of the bound that PushFar describes.
type Force struct{ X, Y, V, Bound float64 }

// Add adds g to f.
func (f *Force) Add(g Force) {
	f.X += g.X
	f.Y += g.Y
	f.V += g.V
	f.Bound += g.Bound
}

// push is the plain version of Push.
func push(t *Spot, r *Run) (f Force) {
	xs := r.X
	ys, ss, as, ws := r.Y[:len(xs)], r.S[:len(xs)], r.A[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy := t.X-x, t.Y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.S + ss[k])
		b := as[k]
		ab := t.A * b
		m := (t.A+b)*q + ab // (q+A)(q+B) - q^2
		v := (m + ab) * (ws[k] / (q * (q*q + m)))
		f.X += v * dx
		f.Y += v * dy
		f.V += v
	}
	return f
}

// pushFar is the plain version of PushFar.
func pushFar(t *Spot, r *Run) (f Force) {
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
		f.X += v * dx
		f.Y += v * dy
		f.V += v
		f.Bound += (q + q + c) * q * over
	}
	f.Bound *= 6
	return f
}
