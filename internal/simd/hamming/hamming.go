package hamming

import (
	"fmt"
	"math/bits"

	"unfold/internal/simd"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/hamming -out ../simd/hamming/kernels_amd64.s -stubs ../simd/hamming/stubs_amd64.go -pkg hamming
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/hamming -out ../simd/hamming/kernels_arm64.s -stubs ../simd/hamming/stubs_arm64.go -pkg hamming

// Width is the number of rows of a panel.
const Width = 64

// Words returns the number of words for the given number of bits.
func Words(bits int) int { return (bits + 63) / 64 }

// Count returns the number of bits in which two rows of equal length differ.
func Count(a, b []uint64) (n int) {
	b = b[:len(a)]
	for k, w := range a {
		n += bits.OnesCount64(w ^ b[k])
	}
	return n
}

// Panels are rows of bits in panels of 64. Places without a row have zeros.
type Panels struct {
	words int
	data  []uint64
}

// NewPanels allocates space for rows of the given number of words, at least one.
func NewPanels(rows, words int) *Panels {
	if words < 1 {
		panic(fmt.Sprintf("hamming: rows of %d words", words))
	}
	return &Panels{words: words, data: make([]uint64, (rows+Width-1)/Width*Width*words)}
}

// Len is the number of panels.
func (p *Panels) Len() int { return len(p.data) / (Width * p.words) }

// Bytes is the memory of the panels.
func (p *Panels) Bytes() int64 { return int64(8 * len(p.data)) }

// Set stores a row at a place: place i is the (i mod Width)th of panel i/Width.
func (p *Panels) Set(place int, row []uint64) {
	to := p.data[place/Width*Width*p.words+place%Width:]
	for k, w := range row[:p.words] {
		to[k*Width] = w
	}
}

// Within compares queries, stored one after the other, with the rows of a panel. Bit j of mask[r]
// is set if row j differs from query r in at most limit[r] bits; limits must not exceed 1<<62. head
// is the number of words, from 1 to all, after which queries without any near row may be skipped.
func (p *Panels) Within(l simd.Level, mask, queries, limit []uint64, panel, head int) {
	n := len(limit)
	if n == 0 {
		return
	}
	if len(mask) < n || len(queries) < n*p.words || panel < 0 || panel >= p.Len() || head < 1 || head > p.words {
		panic(fmt.Sprintf("hamming: %d queries in %d words of %d each, room for %d masks, panel %d of %d, a head of %d",
			n, len(queries), p.words, len(mask), panel, p.Len(), head))
	}
	within(l, mask, queries, limit, p.words, head, p.data[panel*Width*p.words:][:Width*p.words])
}
