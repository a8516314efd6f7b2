package solve

import "math"

const (
	// slice is the number of rows whose entries are interleaved.
	slice = 8
	// beyond is the number of readable values required after the last one in use, for vector
	// instructions.
	beyond = 8
	// longest is the number of entries from which on rows count as equally long in the sorting.
	longest = 255
)

// sliced is D^(-1/2) W D^(-1/2) in single precision, with the diagonal D of a Laplacian, in sliced
// ELLPACK (Kreutzer, Hager, Wellein, Fehske and Bishop, A unified sparse matrix format, 2014). Rows
// are sorted by their lengths within pieces, and the k-th entries of eight rows are adjacent. With
// a unit diagonal no preconditioner is needed, and no entry is out of the range of float32.
type sliced struct {
	order []int32 // order[k] is the k-th row in the sorted order
	spots []spot  // of the rows of W
	start []int   // slice s has entries start[s]..start[s+1]
	index []int32 // in the sorted order; padding has the row's own index
	value []float32
}

// spot has the position and scale of a row of W.
type spot struct {
	place int32   // in the order
	root  float32 // 1/sqrt(diagonal)
}

func newSliced(n int) *sliced {
	return &sliced{order: make([]int32, n), spots: make([]spot, n), start: make([]int, (n+slice-1)/slice+1)}
}

func (m *sliced) bytes() int64 {
	return 4*int64(len(m.order)+cap(m.index)+cap(m.value)) + 8*int64(len(m.spots)+len(m.start))
}

// sort sorts the rows of a piece, longest first, and records the lengths of their slices. It
// reports whether all diagonals fit in single precision.
func (m *sliced) sort(a *Laplacian, from, to int) (fit bool) {
	var count [longest + 2]int32
	for i := from; i < to; i++ {
		count[length(a, i)]++
	}
	at := int32(from)
	for k := longest; k >= 0; k-- {
		at, count[k] = at+count[k], at
	}
	fit = true
	for i := from; i < to; i++ {
		k := &count[length(a, i)]
		d := a.Diagonal[i]
		m.order[*k] = int32(i)
		m.spots[i] = spot{*k, float32(1 / math.Sqrt(d))}
		*k++
		fit = fit && d > 1e-60 && d < 1e60
	}
	for k := from; k < to; k += slice {
		width := 0
		for _, i := range m.order[k:min(to, k+slice)] {
			width = max(width, a.W.Start[i+1]-a.W.Start[i])
		}
		m.start[k/slice+1] = slice * width
	}
	return fit
}

func length(a *Laplacian, i int) int { return min(longest, a.W.Start[i+1]-a.W.Start[i]) }

// place allocates all slices, whose sizes are known.
func (m *sliced) place() {
	for s, size := range m.start[1:] {
		m.start[s+1] = m.start[s] + size
	}
	total := m.start[len(m.start)-1]
	if cap(m.index) < total || cap(m.value) < total+beyond {
		m.index, m.value = make([]int32, total), make([]float32, total+beyond)
	}
	m.index, m.value = m.index[:total], m.value[:total+beyond]
}

// fill writes the entries of the sorted rows from..to, which are whole slices.
func (m *sliced) fill(a *Laplacian, from, to int) {
	for k := from; k < (to+slice-1)/slice*slice; k++ {
		e, end := m.start[k/slice]+k%slice, m.start[k/slice+1]
		if k < to {
			i := m.order[k]
			root := float64(m.spots[i].root)
			index, w := a.W.Row(int(i))
			w = w[:len(index)]
			for p, j := range index {
				u := m.spots[j]
				m.index[e], m.value[e] = u.place, float32(w[p]*(root*float64(u.root)))
				e += slice
			}
		}
		for ; e < end; e += slice {
			m.index[e], m.value[e] = int32(k), 0
		}
	}
}

// mul sets slices from..to of q = p - V p for two columns. It sets sums to the sums of p q and q q
// for each place of a row in its slice. It is the portable version of the assembly.
func (m *sliced) mul(q, p []float32, from, to int, sums *[4 * slice]float32) {
	clear(sums[:])
	for s := from; s < to; s++ {
		begin, end := m.start[s], m.start[s+1]
		for row := range slice {
			at := 2 * (slice*s + row)
			u0, u1 := p[at], p[at+1]
			s0, s1 := u0, u1
			for e := begin + row; e < end; e += slice {
				v, u := m.value[e], (*[2]float32)(p[2*int(m.index[e]):])
				s0 -= v * u[0]
				s1 -= v * u[1]
			}
			q[at], q[at+1] = s0, s1
			sums[2*row] += u0 * s0
			sums[2*row+1] += u1 * s1
			sums[2*slice+2*row] += s0 * s0
			sums[2*slice+2*row+1] += s1 * s1
		}
	}
}

// singleStep sets x += alpha p, r -= alpha q, p = r + beta p for two columns. It sets sums to the
// sums of r r and weight r r for each place of a row in its slice. It is the portable version of
// the assembly.
func singleStep(x, r, p, q, weight []float32, factors *[4]float32, sums *[4 * slice]float32) {
	clear(sums[:])
	alpha0, alpha1, beta0, beta1 := factors[0], factors[1], factors[2], factors[3]
	x, r, p, q = x[:2*len(weight)], r[:2*len(weight)], p[:2*len(weight)], q[:2*len(weight)]
	for i, w := range weight {
		xi, ri := (*[2]float32)(x[2*i:]), (*[2]float32)(r[2*i:])
		pi, qi := (*[2]float32)(p[2*i:]), (*[2]float32)(q[2*i:])
		p0, p1 := pi[0], pi[1]
		xi[0] += alpha0 * p0
		xi[1] += alpha1 * p1
		v0, v1 := ri[0]-alpha0*qi[0], ri[1]-alpha1*qi[1]
		ri[0], ri[1] = v0, v1
		pi[0], pi[1] = v0+beta0*p0, v1+beta1*p1
		row := 2 * (i % slice)
		sums[row] += v0 * v0
		sums[row+1] += v1 * v1
		sums[2*slice+row] += w * (v0 * v0)
		sums[2*slice+row+1] += w * (v1 * v1)
	}
}
