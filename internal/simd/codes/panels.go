package codes

import (
	"encoding/binary"
	"fmt"
)

const (
	// Width is the number of vectors of a panel.
	Width = 48
	// Height is the number of vectors of a left side.
	Height = 8
	// MaxDim is the largest dimension.
	MaxDim = 1 << 14
	// Largest is the largest magnitude of a code.
	Largest = 127
	// Lowest is a threshold that every pair reaches, except those with padding.
	Lowest = -1 << 29

	group   = 4        // elements that are multiplied at once
	zero    = 128      // the byte of code 0 in a panel
	padding = -1 << 30 // the start of padding
)

// Panels has N vectors of dimension Dim. The last panel is padded with vectors that no scan finds.
type Panels struct {
	N, Dim int
	data   []uint8 // panel after panel, see the package comment
	start  []int32 // vector after vector, Count()*Width of them
	left   []int32 // the same of vectors on the left side
}

// NewPanels allocates n vectors of dimension dim, to be set by Set. It panics if dim is not in
// 1..MaxDim.
func NewPanels(n, dim int) *Panels {
	if n < 0 || dim < 1 || dim > MaxDim {
		panic(fmt.Sprintf("codes: %d vectors of dimension %d", n, dim))
	}
	p := &Panels{N: n, Dim: dim}
	p.data = make([]uint8, p.Count()*p.size())
	p.start = make([]int32, p.Count()*Width)
	for k := range p.data {
		p.data[k] = zero
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
func groups(dim int) int { return (dim + group - 1) / group }

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
		panel[k/group*group*Width+at+k%group] = uint8(int(c) + zero)
	}
	p.start[i], p.left[i] = starts(codes)
}

// starts returns -floor(|c|^2/2) and, for the left side, the same less the products of the codes
// with the 128 that panels add to theirs.
func starts(codes []int8) (start, left int32) {
	var norm, sum int32
	for _, c := range codes {
		norm += int32(c) * int32(c)
		sum += int32(c)
	}
	start = -(norm >> 1)
	return start, start - zero*sum
}

// Left is the left side of products: Height vectors of a dimension. Vectors that were not set are
// zero.
type Left struct {
	dim   int
	data  []uint8 // signed bytes, group after group, those of the Height vectors side by side
	start [Height]int32
}

// NewLeft allocates a left side.
func NewLeft(dim int) *Left {
	if dim < 1 || dim > MaxDim {
		panic(fmt.Sprintf("codes: a left side of dimension %d", dim))
	}
	return &Left{dim: dim, data: make([]uint8, groups(dim)*group*Height)}
}

// Set stores codes as vector r.
func (l *Left) Set(r int, codes []int8) {
	if len(codes) != l.dim {
		panic(fmt.Sprintf("codes: %d codes for a dimension of %d", len(codes), l.dim))
	}
	for k, c := range codes {
		l.data[k/group*group*Height+r*group+k%group] = uint8(c)
	}
	_, l.start[r] = starts(codes)
}

// Take copies vectors first, ..., first+Height-1 of panels with the same dimension. first must be a
// multiple of Height. Padding is below every threshold here too.
func (l *Left) Take(p *Panels, first int) {
	if first%Height != 0 || p.Dim != l.dim {
		panic(fmt.Sprintf("codes: vectors from %d of dimension %d for a left side of dimension %d", first, p.Dim, l.dim))
	}
	copy(l.start[:], p.left[first:][:Height])
	const signs = 0x8080808080808080 // subtracts zero from eight bytes
	from := p.data[first/Width*p.size()+first%Width*group:]
	for at := 0; at < len(l.data); at += group * Height {
		to, x := l.data[at:][:group*Height], from[at/Height*Width:][:group*Height]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(x)^signs)
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(x[8:])^signs)
		binary.LittleEndian.PutUint64(to[16:], binary.LittleEndian.Uint64(x[16:])^signs)
		binary.LittleEndian.PutUint64(to[24:], binary.LittleEndian.Uint64(x[24:])^signs)
	}
}
