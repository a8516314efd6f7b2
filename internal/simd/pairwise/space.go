package pairwise

import "math"

// SpaceSpot is a target in space, d = 3: its position, 3 sigma_i^2 and 1/(3 Delta_i^2).
type SpaceSpot[T Float] struct{ X, Y, Z, S, I T }

// SpaceRun is a set of sources in slices of equal length: positions, 3 sigma_j^2, 1/(3 Delta_j^2)
// and weights.
type SpaceRun[T Float] struct{ X, Y, Z, S, I, W []T }

// The assembly uses these types.
type (
	spaceSpot64 = SpaceSpot[float64]
	spaceRun64  = SpaceRun[float64]
	spaceSpot32 = SpaceSpot[float32]
	spaceRun32  = SpaceRun[float32]
)

// Cut returns sources from..to.
func (r *SpaceRun[T]) Cut(from, to int) SpaceRun[T] {
	return SpaceRun[T]{r.X[from:to], r.Y[from:to], r.Z[from:to], r.S[from:to], r.I[from:to], r.W[from:to]}
}

// check panics if a slice is shorter than W.
func (r *SpaceRun[T]) check() {
	n := len(r.W)
	_, _, _, _, _ = r.X[:n], r.Y[:n], r.Z[:n], r.S[:n], r.I[:n]
}

// SpaceForce is the force of sources on a target in space: sum_j w_j V_ij (mu_i - mu_j) and sum_j
// w_j V_ij.
type SpaceForce struct{ X, Y, Z, V float64 }

// Add adds g to f.
func (f *SpaceForce) Add(g SpaceForce) {
	f.X += g.X
	f.Y += g.Y
	f.Z += g.Z
	f.V += g.V
}

// These are limits of q/Delta^2 beyond which terms do not affect the sums; no power of them
// overflows.
const (
	spaceTop32 = 1e30
	spaceTop64 = 1e56
)

// pushSpace is the plain version of PushSpace32, with y = sqrt(1/z) by one division for both
// directions. It uses the units of the run: p = 3q.
func pushSpace(t *spaceSpot32, r *spaceRun32) SpaceForce {
	var sx, sy, sz, sv float32
	xs := r.X
	ys, zs, ss, is, ws := r.Y[:len(xs)], r.Z[:len(xs)], r.S[:len(xs)], r.I[:len(xs)], r.W[:len(xs)]
	for k, x := range xs {
		dx, dy, dz := t.X-x, t.Y-ys[k], t.Z-zs[k]
		p := (t.S + ss[k]) + (dx*dx + dy*dy + dz*dz)
		ra, rb := root32(p*t.I), root32(p*is[k])
		over := 1 / (ra * rb)
		ya, yb := over*rb, over*ra
		ga, gb := ya*ya+ya, yb*yb+yb
		qa, qb := ga+1, gb+1
		v := (ya*ya*ga*qb + yb*yb*gb*qa) * (ws[k] / (p * qa * qb))
		sx += v * dx
		sy += v * dy
		sz += v * dz
		sv += v
	}
	return SpaceForce{3 * float64(sx), 3 * float64(sy), 3 * float64(sz), 3 * float64(sv)}
}

// root32 returns the square root of 1 + x, with x limited to spaceTop32.
func root32(x float32) float32 { return float32(math.Sqrt(float64(min(1+x, spaceTop32)))) }

// logsSpace is the plain version of LogsSpace.
func logsSpace(t *spaceSpot64, r *spaceRun64) float64 {
	xs := r.X
	ys, zs, ss, is, ws := r.Y[:len(xs)], r.Z[:len(xs)], r.S[:len(xs)], r.I[:len(xs)], r.W[:len(xs)]
	l := newLogSum()
	for k, x := range xs {
		dx, dy, dz := t.X-x, t.Y-ys[k], t.Z-zs[k]
		p := (t.S + ss[k]) + (dx*dx + dy*dy + dz*dz)
		a, b := otherSpace(p*t.I), otherSpace(p*is[k])
		above, below := a[0]*b[0], a[1]*b[1]
		l.add(ws[k], above, below-above)
	}
	return l.total()
}

// otherSpace returns P(c=0) of a direction as a fraction, x = q/Delta^2.
func otherSpace(x float64) [2]float64 {
	x = min(x, spaceTop64)
	z := 1 + x
	root := math.Sqrt(z)
	g := 1 + root
	return [2]float64{x * (g + z), g * (z * root)}
}
