package tile

import (
	"fmt"
	"math"
)

// Panels holds N vectors of dimension Dim and a starting value for each. The
// last panel is filled up with zero vectors whose start is -Inf: no scan finds
// them.
type Panels struct {
	N, Dim int
	Data   []float32 // panel after panel; see the package comment
	Start  []float32 // vector after vector, Count()*Width of them
}

// NewPanels returns room for n vectors of dimension dim, all of them zero and
// with start -Inf. It panics if dim is less than 1.
func NewPanels(n, dim int) *Panels {
	if dim < 1 || n < 0 {
		panic(fmt.Sprintf("tile: %d vectors of dimension %d", n, dim))
	}
	p := &Panels{N: n, Dim: dim}
	p.Data = make([]float32, p.Count()*Width*dim)
	p.Start = make([]float32, p.Count()*Width)
	for i := range p.Start {
		p.Start[i] = float32(math.Inf(-1))
	}
	return p
}

// Count returns the number of panels.
func (p *Panels) Count() int { return (p.N + Width - 1) / Width }

// Set makes z, of length Dim, vector i.
func (p *Panels) Set(i int, z []float32, start float32) {
	if i >= p.N || len(z) != p.Dim {
		panic(fmt.Sprintf("tile: %d values for vector %d of %d of dimension %d", len(z), i, p.N, p.Dim))
	}
	panel := p.Data[i/Width*Width*p.Dim:]
	for k, v := range z {
		panel[k*Width+i%Width] = v
	}
	p.Start[i] = start
}
