package tile

import (
	"fmt"
	"math"
)

// Panels has N vectors of dimension Dim. Each has a start and, for scans that may stop after the
// first Prefix dimensions, a tail. The last panel is padded with zero vectors of start -Inf, which
// no scan finds.
type Panels struct {
	N, Dim int
	Prefix int       // 0, or the dimensions after which Scan may stop
	Data   []float32 // panel after panel; see the package comment
	Start  []float32 // vector after vector, Count()*Width of them
	Tail   []float32 // the same; half the squared norm beyond Prefix, or more
}

// NewPanels returns n zero vectors of dimension dim with start -Inf. prefix is 0 or at most dim-2.
// It panics if dim is less than 1.
func NewPanels(n, dim, prefix int) *Panels {
	if n < 0 || dim < 1 || prefix < 0 || prefix > max(0, dim-2) {
		panic(fmt.Sprintf("tile: %d vectors of dimension %d, prefix %d", n, dim, prefix))
	}
	p := &Panels{N: n, Dim: dim, Prefix: prefix}
	p.Data = make([]float32, p.Count()*Width*dim)
	p.Start = make([]float32, p.Count()*Width)
	p.Tail = make([]float32, p.Count()*Width)
	for i := range p.Start {
		p.Start[i] = float32(math.Inf(-1))
	}
	return p
}

// Count returns the number of panels.
func (p *Panels) Count() int { return (p.N + Width - 1) / Width }

// Set stores z, of length Dim, as vector i. tail must be at least half the squared norm of the
// elements after the prefix; without a prefix it is ignored.
func (p *Panels) Set(i int, z []float32, start, tail float32) {
	if i >= p.N || len(z) != p.Dim {
		panic(fmt.Sprintf("tile: %d values for vector %d of %d of dimension %d", len(z), i, p.N, p.Dim))
	}
	panel := p.Data[i/Width*Width*p.Dim:]
	for k, v := range z {
		panel[k*Width+i%Width] = v
	}
	p.Start[i], p.Tail[i] = start, tail
}
