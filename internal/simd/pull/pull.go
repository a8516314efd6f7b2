package pull

import "unfold/internal/simd"

// Pairs are the edges of a symmetric graph of n points, by rows: those of row i are at Start[i] to
// Start[i+1] of the other slices, Start having n + 1 elements.
type Pairs[L float32 | float64, N uint8 | uint32] struct {
	Start  []int
	Index  []int32   // the other end
	Length []L       // delta_ij^2
	Number []N       // of the weight
	Weight []float64 // s_ij, by number
}

// State is where the points are: n places in the plane, their variances, and 1/(2a).
type State struct {
	Mu     [][2]float64
	Sigma2 []float64
	Half   float64
}

// Rows writes W_ij to w, for all edges of rows from..to, and sets for these rows, of the numbers that
// it has written,
//
//	grad_i = c grad_i - sum_j W_ij (mu_i - mu_j),  sum_i = sum_j W_ij.
//
// w has as many elements as the edges, grad and sum one for each point.
func (p *Pairs[L, N]) Rows(st *State, c float64, w []L, grad [][2]float64, sum []float64, from, to int) {
	if short, is := any(p).(*Pairs[float32, uint8]); is {
		rowsAt(simd.Best(), short, st, c, any(w).([]float32), grad, sum, from, to)
		return
	}
	p.rows(st, c, w, grad, sum, from, to)
}

// rows is Rows in plain Go.
func (p *Pairs[L, N]) rows(st *State, c float64, w []L, grad [][2]float64, sum []float64, from, to int) {
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
