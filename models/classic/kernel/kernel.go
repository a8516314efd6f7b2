package kernel

import (
	"fmt"
	"strings"
)

// Part is a covariance function k(x, x') with positive parameters p.
type Part interface {
	// Name returns the name of the function, Params the names of its parameters.
	Name() string
	Params() []string
	// Start returns the initial parameters of learning (Lawrence 2005, 3.2).
	Start() []float64
	// Add adds k(x, z_j) to dst_j for the first len(dst) points of z.
	Add(dst, p, x []float64, z *Points, room *Room)
	// Gradient differentiates the sum of w_j k(x, z_j) over the first len(w) points, with z fixed.
	// It adds the derivatives in p to dp and those in x to dx.
	Gradient(dp, dx, w, p, x []float64, z *Points, room *Room)
	// Self returns k(x, x), the variance of a point.
	Self(p, x []float64) float64
	// GradientSelf adds the derivatives of weight k(x, x) to dp and dx.
	GradientSelf(dp, dx []float64, weight float64, p, x []float64)
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

// Parse returns the kernel for a name like "rbf+bias+white".
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

// String returns the kernel's name, which Parse accepts.
func (k *Kernel) String() string {
	var names []string
	for _, p := range k.parts {
		names = append(names, p.Name())
	}
	return strings.Join(names, "+")
}

// Len is the number of parameters.
func (k *Kernel) Len() int { return k.from[len(k.parts)] }

// Names returns the names of the parameters, such as "rbf.variance".
func (k *Kernel) Names() (names []string) {
	for _, p := range k.parts {
		for _, n := range p.Params() {
			names = append(names, p.Name()+"."+n)
		}
	}
	return names
}

// Start returns the initial parameters of learning.
func (k *Kernel) Start() (theta []float64) {
	for _, p := range k.parts {
		theta = append(theta, p.Start()...)
	}
	return theta
}

// Variance returns the white noise in k(x, x), which must not depend on x.
func (k *Kernel) Variance(theta []float64) (sum float64) {
	for c, part := range k.parts {
		if _, noise := part.(White); noise {
			sum += part.Self(theta[k.from[c]:k.from[c+1]], nil)
		}
	}
	return sum
}

// CrossRow writes k(x, z_j) to dst_j, for the first len(dst) points.
func (k *Kernel) CrossRow(dst, theta, x []float64, z *Points, room *Room) {
	clear(dst)
	for c, part := range k.parts {
		if _, noise := part.(White); !noise {
			part.Add(dst, theta[k.from[c]:k.from[c+1]], x, z, room)
		}
	}
}

// GradientRow differentiates the sum of w_j k(x, z_j) with z fixed. It adds the derivatives in
// theta to dtheta and those in x to dx.
func (k *Kernel) GradientRow(dtheta, dx, w, theta, x []float64, z *Points, room *Room) {
	for c, part := range k.parts {
		if _, noise := part.(White); !noise {
			from, to := k.from[c], k.from[c+1]
			part.Gradient(dtheta[from:to], dx, w, theta[from:to], x, z, room)
		}
	}
}

// Self returns k(x, x), with white noise.
func (k *Kernel) Self(theta, x []float64) (sum float64) {
	for c, part := range k.parts {
		sum += part.Self(theta[k.from[c]:k.from[c+1]], x)
	}
	return sum
}

// GradientSelf adds the derivatives of weight k(x, x) in theta to dtheta and in x to
// dx.
func (k *Kernel) GradientSelf(dtheta, dx []float64, weight float64, theta, x []float64) {
	for c, part := range k.parts {
		from, to := k.from[c], k.from[c+1]
		part.GradientSelf(dtheta[from:to], dx, weight, theta[from:to], x)
	}
}
