package solve

import (
	"fmt"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// Factor is an approximate Cholesky factorisation L D L' of Lap(W) + Gamma, after Kyng and Sachdeva
// (2016), in the order of the fewest edges, as in Laplacians.jl. It depends only on the matrix and
// the seed. See the package comment.
type Factor struct {
	n, d  int
	team  *team
	order []int32 // point that is eliminated k-th
	start []int   // column k of -L: to[start[k]:start[k+1]], numbers in the order
	to    []int32
	below []float64
	pivot []float64 // 1/D; 0 where a component without Gamma ends
	y     []float64 // a column of right-hand sides, one for each of the d
	z     []float64 // results, by columns
}

// NewFactor returns a factorisation of a for vectors of d columns. Apply uses threads goroutines (0
// means GOMAXPROCS), each for whole columns.
func NewFactor(a *Laplacian, d int, seed uint64, threads int) *Factor {
	n := a.W.N
	f := &Factor{
		n: n, d: d, team: newTeam(threads, n), order: make([]int32, 0, n), start: make([]int, 1, n+1),
		to: make([]int32, 0, a.W.NNZ()), below: make([]float64, 0, a.W.NNZ()), pivot: make([]float64, 0, n),
		y: make([]float64, n*d), z: make([]float64, n*d),
	}
	e := newElimination(a, seed)
	number := make([]int32, n)
	for k := range n {
		v := e.queue.pop()
		number[v] = int32(k)
		f.order = append(f.order, v)
		all := e.gather(v) + e.queue.points[v].ground
		for _, u := range e.list {
			f.to, f.below = append(f.to, u.to), append(f.below, u.weight/all)
		}
		f.start, f.pivot = append(f.start, len(f.to)), append(f.pivot, inverse(all)*e.unit)
		e.join(v, all)
	}
	for p, v := range f.to {
		f.to[p] = number[v]
	}
	return f
}

// Apply sets z = M r, where M is the pseudo-inverse of L D L': symmetric and, except for constants
// on components without Gamma, positive definite.
func (f *Factor) Apply(z, r vec.Matrix[float64]) {
	if r.Rows != f.n || z.Rows != f.n || r.Cols != f.d || z.Cols != f.d {
		panic(fmt.Sprintf("solve: a factor for %d x %d vectors, z %d x %d, r %d x %d",
			f.n, f.d, z.Rows, z.Cols, r.Rows, r.Cols))
	}
	f.team.run(func(t int) {
		f.columns(t, r)
		f.team.wait()
		for i := t * f.n / f.team.workers; i < (t+1)*f.n/f.team.workers; i++ {
			for k := range f.d {
				z.Data[i*f.d+k] = f.z[k*f.n+i]
			}
		}
	})
}

// columns solves for the columns of worker t, two at a time.
func (f *Factor) columns(t int, r vec.Matrix[float64]) {
	k, end := t*f.d/f.team.workers, (t+1)*f.d/f.team.workers
	for k < end {
		y := f.y[k*f.n:]
		if k+2 <= end {
			f.two(f.z[k*f.n:(k+1)*f.n], f.z[(k+1)*f.n:(k+2)*f.n], y[:2*f.n], r.Data[k:])
			k += 2
			continue
		}
		f.one(f.z[k*f.n:(k+1)*f.n], y[:f.n], r.Data[k:])
		k++
	}
}

// one solves L D L' z = r for one column; r has stride d. Conversions prevent fused multiply-adds
// on some processors, so that one and two give the same bits.
func (f *Factor) one(z, y, r []float64) {
	for k, v := range f.order {
		y[k] = r[int(v)*f.d]
	}
	for k, v := range y {
		a, b := f.start[k], f.start[k+1]
		below := f.below[a:b]
		for p, j := range f.to[a:b] {
			y[j] += float64(below[p] * v)
		}
	}
	for k := len(y) - 1; k >= 0; k-- {
		a, b := f.start[k], f.start[k+1]
		below := f.below[a:b]
		s := float64(y[k] * f.pivot[k])
		for p, j := range f.to[a:b] {
			s += float64(below[p] * y[j])
		}
		y[k] = s
		z[f.order[k]] = s
	}
}

// two is one for two columns, interleaved in y, so that a vector of two belongs to one entry.
func (f *Factor) two(z0, z1, y, r []float64) {
	for k, v := range f.order {
		u := (*[2]float64)(r[int(v)*f.d:])
		y[2*k], y[2*k+1] = u[0], u[1]
	}
	level := simd.Best()
	f.forwardLevel(level, y)
	f.backwardLevel(level, z0, z1, y)
}

// forwardGeneric solves L y = y for two interleaved columns, in place.
func (f *Factor) forwardGeneric(y []float64) {
	for k := range f.order {
		a, b := f.start[k], f.start[k+1]
		below := f.below[a:b]
		v0, v1 := y[2*k], y[2*k+1]
		for p, j := range f.to[a:b] {
			u := (*[2]float64)(y[2*int(j):])
			u[0] += float64(below[p] * v0)
			u[1] += float64(below[p] * v1)
		}
	}
}

// backwardGeneric solves D^-1 L' y = y for two interleaved columns, in place, and sets z0 and z1 to
// them in the order of the points.
func (f *Factor) backwardGeneric(z0, z1, y []float64) {
	for k := f.n - 1; k >= 0; k-- {
		a, b := f.start[k], f.start[k+1]
		below := f.below[a:b]
		s0, s1 := float64(y[2*k]*f.pivot[k]), float64(y[2*k+1]*f.pivot[k])
		for p, j := range f.to[a:b] {
			u := (*[2]float64)(y[2*int(j):])
			s0 += float64(below[p] * u[0])
			s1 += float64(below[p] * u[1])
		}
		y[2*k], y[2*k+1] = s0, s1
		z0[f.order[k]], z1[f.order[k]] = s0, s1
	}
}
