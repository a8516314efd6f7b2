package codes

import (
	"fmt"

	"unfold/internal/simd"
)

const (
	// Width is the number of vectors of a panel.
	Width = 48
	// Height is the number of vectors of a left side.
	Height = 8
	// MaxDim is the largest dimension.
	MaxDim = 1 << 14
	// Largest is the largest magnitude of any code.
	Largest = 127
	// Lowest is a threshold that every pair reaches, except those with padding.
	Lowest = -1 << 29

	group   = 4        // elements of a lane of 32 bits
	pair    = 2        // groups in a step of a kernel
	padding = -1 << 30 // the start of padding
)

// Range is a range of codes, from -Largest to Largest, that a level multiplies fast.
type Range struct {
	Largest int
	Time    float64 // of that for products of float32
}

// Panels has N vectors of dimension Dim, with codes from -Largest to Largest. The last panel is
// padded with vectors that no scan finds.
type Panels struct {
	N, Dim  int
	Largest int
	data    []uint8 // panel after panel, see the package comment
	start   []int32 // vector after vector, Count()*Width of them
	left    []int32 // the same of vectors on the left side
}

// NewPanels allocates n vectors of dimension dim, to be set by Set. It panics if dim is not in
// 1..MaxDim, or largest not in 1..Largest.
func NewPanels(n, dim, largest int) *Panels {
	if n < 0 || dim < 1 || dim > MaxDim || largest < 1 || largest > Largest {
		panic(fmt.Sprintf("codes: %d vectors of dimension %d with codes up to %d", n, dim, largest))
	}
	p := &Panels{N: n, Dim: dim, Largest: largest}
	p.data = make([]uint8, p.Count()*p.size())
	p.start = make([]int32, p.Count()*Width)
	for k := range p.data {
		p.data[k] = uint8(largest)
	}
	p.left = make([]int32, len(p.start))
	for i := range p.start {
		// Two starts of padding would overflow. Lowest and a half is below any threshold too.
		p.start[i], p.left[i] = padding, Lowest+Lowest/2
	}
	return p
}

// Count returns the number of panels.
func (p *Panels) Count() int { return (p.N + Width - 1) / Width }

// Bytes returns the memory of the vectors.
func (p *Panels) Bytes() int64 { return int64(len(p.data)) + 4*int64(len(p.start)+len(p.left)) }

// groups is the number of groups of a vector.
func groups(dim int) int { return (dim + pair*group - 1) / (pair * group) * pair }

// size is the number of bytes of a panel.
func (p *Panels) size() int { return groups(p.Dim) * group * Width }

// Set stores codes, Dim of them from -Largest to Largest, as vector i.
func (p *Panels) Set(i int, codes []int8) {
	if i >= p.N || len(codes) != p.Dim {
		panic(fmt.Sprintf("codes: %d codes for vector %d of %d of dimension %d", len(codes), i, p.N, p.Dim))
	}
	panel := p.data[i/Width*p.size():][:p.size()]
	at := i % Width * group
	for k, c := range codes {
		panel[k/group*group*Width+at+k%group] = uint8(int(c) + p.Largest)
	}
	p.start[i], p.left[i] = starts(codes, p.Largest)
}

// starts returns -floor(|c|^2/2) and, for the left side, the same less the products of the codes
// with the zero of a panel, which it adds to its own.
func starts(codes []int8, zero int) (start, left int32) {
	var norm, sum int32
	for _, c := range codes {
		norm += int32(c) * int32(c)
		sum += int32(c)
	}
	start = -(norm >> 1)
	return start, start - int32(zero)*sum
}

// Left is the left side of products: Height vectors of a dimension, with codes from -largest to
// largest. Vectors that were not set are zero.
type Left struct {
	dim, largest int
	data         []uint8 // signed bytes, group after group, those of the Height vectors side by side
	start        [Height]int32
}

// NewLeft allocates a left side of products with panels.
func NewLeft(p *Panels) *Left {
	return &Left{dim: p.Dim, largest: p.Largest, data: make([]uint8, groups(p.Dim)*group*Height)}
}

// Set stores codes as vector r.
func (l *Left) Set(r int, codes []int8) {
	if len(codes) != l.dim {
		panic(fmt.Sprintf("codes: %d codes for a dimension of %d", len(codes), l.dim))
	}
	for k, c := range codes {
		l.data[k/group*group*Height+r*group+k%group] = uint8(c)
	}
	_, l.start[r] = starts(codes, l.largest)
}

// Take copies vectors first, ..., first+Height-1 of panels with the same dimension and codes. first
// must be a multiple of Height. Padding is below every threshold here too.
func (l *Left) Take(level simd.Level, p *Panels, first int) {
	if first%Height != 0 || !l.matches(p) {
		panic(fmt.Sprintf("codes: vectors from %d of dimension %d for a left side of dimension %d", first, p.Dim, l.dim))
	}
	copy(l.start[:], p.left[first:][:Height])
	take(level, l.data, p.data[first/Width*p.size():][:p.size()][first%Width*group:], p.Largest)
}

// takeGeneric copies the bytes of a left side out of panels, less the zero of these.
func takeGeneric(to, from []uint8, zero int) {
	for at := 0; at < len(to); at += group * Height {
		for k, v := range from[at/Height*Width:][:group*Height] {
			to[at+k] = v - uint8(zero)
		}
	}
}

// matches reports whether the left side can be multiplied with panels.
func (l *Left) matches(p *Panels) bool { return l.dim == p.Dim && l.largest == p.Largest }
