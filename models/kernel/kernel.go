package kernel

import (
	"fmt"
	"strings"

	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/spd"
)

// Part is a covariance function k(x, x') with positive parameters p.
type Part interface {
	// Name is the word for the function, Params the names of its parameters.
	Name() string
	Params() []string
	// Start returns the parameters that learning starts with (Lawrence 2005, 3.2).
	Start() []float64
	// Add adds k(x, z_j) to dst_j for every row z_j of z.
	Add(dst, p, x []float64, z vec.Matrix[float64])
	// Gradient adds, of the sum of w_j k(x, z_j), the derivatives in p to dp and
	// in x, with z fixed, to dx.
	Gradient(dp, dx, w, p, x []float64, z vec.Matrix[float64])
}

// Noise is a Part that is independent at different points: it is in k(x, x) of a
// point with itself, and nowhere else.
type Noise interface {
	Part
	// Variance is k(x, x) for parameters p, linear in p[0] with slope 1.
	Variance(p []float64) float64
}

// Kernel is a sum of parts. It is immutable.
type Kernel struct {
	parts []Part
	from  []int // first parameter of each part, and one more
}

// New returns the sum of parts.
func New(parts ...Part) *Kernel {
	k := &Kernel{parts: parts, from: []int{0}}
	for _, p := range parts {
		k.from = append(k.from, k.from[len(k.from)-1]+len(p.Params()))
	}
	return k
}

// Parse returns the kernel of a name like "rbf+bias+white".
func Parse(name string) (*Kernel, error) {
	var parts []Part
	for word := range strings.SplitSeq(name, "+") {
		part, ok := byName(strings.TrimSpace(word))
		if !ok {
			return nil, fmt.Errorf("there is no kernel %q; there are rbf, linear, mlp, bias and white, and sums of them such as rbf+bias+white", word)
		}
		parts = append(parts, part)
	}
	return New(parts...), nil
}

func byName(name string) (Part, bool) {
	for _, p := range []Part{RBF{}, Linear{}, MLP{}, Bias{}, White{}} {
		if p.Name() == name {
			return p, true
		}
	}
	return nil, false
}

// String is the kernel's name, which Parse reads.
func (k *Kernel) String() string {
	var names []string
	for _, p := range k.parts {
		names = append(names, p.Name())
	}
	return strings.Join(names, "+")
}

// Len is the number of parameters.
func (k *Kernel) Len() int { return k.from[len(k.parts)] }

// Names are the parameters' names, such as "rbf.variance".
func (k *Kernel) Names() (names []string) {
	for _, p := range k.parts {
		for _, n := range p.Params() {
			names = append(names, p.Name()+"."+n)
		}
	}
	return names
}

// Start returns the parameters that learning starts with.
func (k *Kernel) Start() (theta []float64) {
	for _, p := range k.parts {
		theta = append(theta, p.Start()...)
	}
	return theta
}

// each calls f with every part but noise and its parameters.
func (k *Kernel) each(theta []float64, f func(part Part, p []float64, from, to int)) {
	for c, part := range k.parts {
		if _, noise := part.(Noise); !noise {
			f(part, theta[k.from[c]:k.from[c+1]], k.from[c], k.from[c+1])
		}
	}
}

// Variance is the white noise in k(x, x).
func (k *Kernel) Variance(theta []float64) (sum float64) {
	for c, part := range k.parts {
		if n, noise := part.(Noise); noise {
			sum += n.Variance(theta[k.from[c]:k.from[c+1]])
		}
	}
	return sum
}

// strip is how many rows of a matrix make a task.
const strip = 32

// Matrix writes K(X, X) to dst (n x n), x of n x q.
func (k *Kernel) Matrix(dst vec.Matrix[float64], theta []float64, x vec.Matrix[float64], threads int) {
	white := k.Variance(theta)
	par.Ranges(threads, x.Rows, strip, func(_, from, to int) {
		for i := from; i < to; i++ {
			row := dst.Row(i)[:i+1]
			clear(row)
			k.each(theta, func(part Part, p []float64, _, _ int) { part.Add(row, p, x.Row(i), x.Slice(0, i+1)) })
			row[i] += white
		}
	})
	spd.Mirror(dst, threads)
}

// Cross writes K(X, Z) to dst (n x m), x of n x q and z of m x q.
func (k *Kernel) Cross(dst vec.Matrix[float64], theta []float64, x, z vec.Matrix[float64], threads int) {
	par.Ranges(threads, x.Rows, strip, func(_, from, to int) {
		for i := from; i < to; i++ {
			k.CrossRow(dst.Row(i), theta, x.Row(i), z)
		}
	})
}

// CrossRow writes k(x, z_j) to dst_j.
func (k *Kernel) CrossRow(dst, theta, x []float64, z vec.Matrix[float64]) {
	clear(dst[:z.Rows])
	k.each(theta, func(part Part, p []float64, _, _ int) { part.Add(dst[:z.Rows], p, x, z) })
}

// Self returns k(x, x), with white noise.
func (k *Kernel) Self(theta, x []float64) float64 {
	var one [1]float64
	k.CrossRow(one[:], theta, x, vec.Of(1, len(x), x))
	return one[0] + k.Variance(theta)
}

// Gradient adds the derivatives of F in theta and in X (n x q), W = dF/dK(X, X)
// symmetric; dx may be empty.
func (k *Kernel) Gradient(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x vec.Matrix[float64], threads int) {
	// By symmetry the column of K that belongs to x_i gives what its row does.
	k.gradient(dtheta, dx, w, theta, x, x, 2, threads)
	trace := 0.0
	for i := range x.Rows {
		trace += w.Row(i)[i]
	}
	for c, part := range k.parts {
		if _, noise := part.(Noise); noise {
			dtheta[k.from[c]] += trace
		}
	}
}

// GradientCross adds the derivatives of F in theta and in X (n x q), Z fixed,
// W = dF/dK(X, Z) (n x m); dx may be empty.
func (k *Kernel) GradientCross(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x, z vec.Matrix[float64], threads int) {
	k.gradient(dtheta, dx, w, theta, x, z, 1, threads)
}

func (k *Kernel) gradient(dtheta []float64, dx, w vec.Matrix[float64], theta []float64, x, z vec.Matrix[float64], times float64, threads int) {
	sums := vec.New[float64](par.Pieces(x.Rows, strip), k.Len())
	par.Ranges(threads, x.Rows, strip, func(piece, from, to int) {
		d := make([]float64, x.Cols)
		for i := from; i < to; i++ {
			clear(d)
			k.each(theta, func(part Part, p []float64, a, b int) {
				part.Gradient(sums.Row(piece)[a:b], d, w.Row(i), p, x.Row(i), z)
			})
			if dx.Rows > 0 {
				vec.Axpy(times, d, dx.Row(i))
			}
		}
	})
	for piece := range sums.Rows {
		vec.Axpy(1, sums.Row(piece), dtheta)
	}
}

// GradientSelf adds the derivatives of weight k(x, x) in theta and x; dx may be
// nil.
func (k *Kernel) GradientSelf(dtheta, dx []float64, weight float64, theta, x []float64) {
	d, w := make([]float64, len(x)), [1]float64{weight}
	k.each(theta, func(part Part, p []float64, a, b int) {
		part.Gradient(dtheta[a:b], d, w[:], p, x, vec.Of(1, len(x), x))
	})
	if dx != nil {
		vec.Axpy(2, d, dx)
	}
	for c, part := range k.parts {
		if _, noise := part.(Noise); noise {
			dtheta[k.from[c]] += weight
		}
	}
}
