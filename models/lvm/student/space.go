package student

import "math"

// The repulsion in space, d = 3 and a = 3/2, one target against a run of
// sources. With x = s + r^2/3, z = 1 + x/Delta^2 and g = 1 + sqrt z it is, of each
// direction, g / (x z (g + z)) (H10): two roots and one division a pair.

// ball is a target in space; inv is 1/Delta_i^2.
type ball struct{ x, y, z, s, inv float64 }

// cloud are sources in slices of equal length; inv are 1/Delta_j^2.
type cloud struct{ x, y, z, s, inv, w []float64 }

// cut returns sources from..to.
func (c *cloud) cut(from, to int) cloud {
	return cloud{c.x[from:to], c.y[from:to], c.z[from:to], c.s[from:to], c.inv[from:to], c.w[from:to]}
}

// push returns sum_j V_ij (mu_i - mu_j), and sum_j V_ij.
func (t ball) push(c cloud) (gx, gy, gz, v float64) {
	xs := c.x
	ys, zs, ss := c.y[:len(xs)], c.z[:len(xs)], c.s[:len(xs)]
	inv, ws := c.inv[:len(xs)], c.w[:len(xs)]
	for k, x := range xs {
		dx, dy, dz := t.x-x, t.y-ys[k], t.z-zs[k]
		u := (dx*dx+dy*dy+dz*dz)*(1./3) + (t.s + ss[k])
		za, zb := 1+u*t.inv, 1+u*inv[k]
		ga, gb := 1+math.Sqrt(za), 1+math.Sqrt(zb)
		da, db := za*(ga+za), zb*(gb+zb)
		f := ws[k] * (ga*db + gb*da) / (u * da * db)
		gx += f * dx
		gy += f * dy
		gz += f * dz
		v += f
	}
	return gx, gy, gz, v
}
