package kernel

import (
	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/pairwise"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// Halved is a Part whose gradients in the points follow from weighted sums. The weight of a pair is
// the same in both directions, so that each pair is visited once.
type Halved interface {
	Part
	// Weigh converts the weights w_j of the pairs (x, z_j), j < len(w), to t_j. It adds the
	// derivatives of the sum of w_j k(x, z_j) in p to dp.
	Weigh(w, dp, p, x []float64, z *Points, room *Room)
	// End adds the derivatives in x to dx, from the sum of t_j and the sum of t_j z_j.
	End(dx, p, x []float64, sum float64, sums []float64)
}

// halfStrip is the number of rows of a matrix in one task of GradientLower.
const halfStrip = 64

// GradientLower is Gradient for a w with only its lower triangle set. It may overwrite the upper
// one.
func (k *Kernel) GradientLower(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x vec.Matrix[float64], threads int) {
	for _, part := range k.parts {
		_, half := part.(Halved)
		_, flat := part.(Bias)
		if _, noise := part.(White); !half && !flat && !noise {
			spd.Mirror(w, threads)
			k.Gradient(dtheta, dx, w, theta, x, threads)
			return
		}
	}
	z := NewPoints(x)
	for c, part := range k.parts {
		from, to := k.from[c], k.from[c+1]
		switch part := part.(type) {
		case Halved:
			halved(part, dtheta[from:to], dx, w, theta[from:to], z, threads)
		case Bias:
			flat(part, dtheta[from:to], w, theta[from:to], z, threads)
		}
	}
	k.diagonal(dtheta, w, theta)
}

// flat adds the derivatives in the parameters of a part that has no derivatives in the points.
func flat(part Bias, dp []float64, w vec.Matrix[float64], p []float64, z *Points, threads int) {
	inP := vec.New[float64](par.Pieces(z.Len(), halfStrip), len(p))
	par.Ranges(threads, z.Len(), halfStrip, func(s, from, to int) {
		room, d := NewRoom(z), make([]float64, len(z.Columns))
		for i := from; i < to; i++ {
			x := z.Rows.Row(i)
			part.Gradient(inP.Row(s), d, w.Row(i)[:i], p, x, z, room)
			part.GradientSelf(inP.Row(s), d, w.Row(i)[i]/2, p, x)
		}
	})
	for s := range inP.Rows {
		vec.Axpy(2, inP.Row(s), dp)
	}
}

// halved adds the gradients of one part. It needs the row sums of the symmetric t_ij. Terms with j
// <= i come from the row itself, and terms with j > i from the rows below, a strip of which adds to
// all points. A diagonal element counts half in each.
func halved(part Halved, dp []float64, dx, w vec.Matrix[float64], p []float64, z *Points, threads int) {
	n, q := z.Len(), len(z.Columns)
	strips := par.Pieces(n, halfStrip)
	below := make([]vec.Matrix[float64], strips) // (1 + q) x points up to the strip's last
	rows := vec.New[float64](n, q+1)
	inP := vec.New[float64](strips, len(p))
	var lent par.Lender[halfRoom]
	par.Do(threads, strips, func(task int) {
		s := strips - 1 - task // the longest rows first
		from, to := s*halfStrip, min(n, (s+1)*halfStrip)
		room := lent.Get()
		defer lent.Put(room)
		room.fit(z, to)
		t := room.t[:(to-from)*to]
		for i := from; i < to; i++ {
			row := t[(i-from)*to:][:to]
			copy(row, w.Row(i)[:i+1])
			row[i] /= 2
			clear(row[i+1:])
			part.Weigh(row[:i+1], inP.Row(s), p, z.Rows.Row(i), z, room.room)
			pairwise.Gather(rows.Row(i), row[:i+1], z.Columns)
			for c, v := range z.Rows.Row(i) {
				room.left[c*halfStrip+i-from] = v
			}
			room.left[q*halfStrip+i-from] = 1
		}
		below[s] = vec.New[float64](q+1, to)
		g := gemm.Implementation{Threads: 1}
		g.Dgemm(gonum.NoTrans, gonum.NoTrans, q+1, to, to-from, 1, room.left, halfStrip, t, to, 0, below[s].Data, to)
	})
	for s := range strips {
		vec.Axpy(2, inP.Row(s), dp)
		for c := range q + 1 {
			for i, v := range below[s].Row(c) {
				rows.Row(i)[c] += v
			}
		}
	}
	if dx.Rows == 0 {
		return
	}
	d := make([]float64, q)
	for i := range n {
		clear(d)
		part.End(d, p, z.Rows.Row(i), rows.Row(i)[q], rows.Row(i)[:q])
		vec.Axpy(2, d, dx.Row(i))
	}
}

// halfRoom is the workspace of one strip.
type halfRoom struct {
	t, left []float64
	room    *Room
}

func (r *halfRoom) fit(z *Points, n int) {
	if r.room == nil {
		r.room, r.left = NewRoom(z), make([]float64, (len(z.Columns)+1)*halfStrip)
	}
	if len(r.t) < halfStrip*n {
		r.t = make([]float64, halfStrip*n)
	}
}
