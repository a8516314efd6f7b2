package pull

import "unfold/internal/simd"

// Pairs are the edges of a symmetric graph of n points, by rows: those of row i are at Start[i] to
// Start[i+1] of the other slices. Start has n + 1 elements.
type Pairs[L float32 | float64, N uint8 | uint32] struct {
	Start  []int
	Index  []int32   // the other end
	Length []L       // delta_ij^2
	Number []N       // of the weight
	Weight []float64 // s_ij, by number
}

// Place is a position in the plane or in space.
type Place interface{ [2]float64 | [3]float64 }

// State has the n positions, their variances, and 1/(2a).
type State[P Place] struct {
	Mu     []P
	Sigma2 []float64
	Half   float64
}

// Rows writes W_ij to w for all edges of rows from..to. For these rows it then sets, from the
// written values,
//
//	grad_i = c grad_i - sum_j W_ij (mu_i - mu_j),  sum_i = sum_j W_ij.
//
// w has as many elements as there are edges, grad and sum one for each point.
func Rows[P Place, L float32 | float64, N uint8 | uint32](p *Pairs[L, N], st *State[P], c float64, w []L, grad []P, sum []float64, from, to int) {
	short, _ := any(p).(*Pairs[float32, uint8])
	switch st := any(st).(type) {
	case *State[[2]float64]:
		grad := any(grad).([][2]float64)
		if short != nil {
			planeAt(simd.Best(), short, st, c, any(w).([]float32), grad, sum, from, to)
			return
		}
		p.plane(st, c, w, grad, sum, from, to)
	case *State[[3]float64]:
		grad := any(grad).([][3]float64)
		if short != nil {
			spaceAt(simd.Best(), short, st, c, any(w).([]float32), grad, sum, from, to)
			return
		}
		p.space(st, c, w, grad, sum, from, to)
	}
}

// plane is Rows in the plane, in plain Go.
func (p *Pairs[L, N]) plane(st *State[[2]float64], c float64, w []L, grad [][2]float64, sum []float64, from, to int) {
	for i := from; i < to; i++ {
		a, b := p.Start[i], p.Start[i+1]
		index := p.Index[a:b]
		length, number, out := p.Length[a:b][:len(index)], p.Number[a:b][:len(index)], w[a:b][:len(index)]
		x, y, own := st.Mu[i][0], st.Mu[i][1], st.Sigma2[i]
		gx, gy, total := c*grad[i][0], c*grad[i][1], 0.0
		for e, j := range index {
			other := &st.Mu[j]
			dx, dy := x-other[0], y-other[1]
			out[e] = L(p.Weight[number[e]] / (float64(length[e]) + (own + st.Sigma2[j]) + st.Half*(float64(dx*dx)+float64(dy*dy))))
			v := float64(out[e])
			total += v
			gx -= v * dx
			gy -= v * dy
		}
		grad[i], sum[i] = [2]float64{gx, gy}, total
	}
}

// space is Rows in space, in plain Go.
func (p *Pairs[L, N]) space(st *State[[3]float64], c float64, w []L, grad [][3]float64, sum []float64, from, to int) {
	for i := from; i < to; i++ {
		a, b := p.Start[i], p.Start[i+1]
		index := p.Index[a:b]
		length, number, out := p.Length[a:b][:len(index)], p.Number[a:b][:len(index)], w[a:b][:len(index)]
		x, y, z, own := st.Mu[i][0], st.Mu[i][1], st.Mu[i][2], st.Sigma2[i]
		gx, gy, gz, total := c*grad[i][0], c*grad[i][1], c*grad[i][2], 0.0
		for e, j := range index {
			other := &st.Mu[j]
			dx, dy, dz := x-other[0], y-other[1], z-other[2]
			out[e] = L(p.Weight[number[e]] / (float64(length[e]) + (own + st.Sigma2[j]) + st.Half*(float64(dx*dx)+float64(dy*dy)+float64(dz*dz))))
			v := float64(out[e])
			total += v
			gx -= v * dx
			gy -= v * dy
			gz -= v * dz
		}
		grad[i], sum[i] = [3]float64{gx, gy, gz}, total
	}
}
