package sq8

import (
	"fmt"
	"math"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/sq8 -out ../simd/sq8/kernels_amd64.s -stubs ../simd/sq8/stubs_amd64.go -pkg sq8
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/sq8 -out ../simd/sq8/kernels_arm64.s -stubs ../simd/sq8/stubs_arm64.go -pkg sq8

const (
	// Side is the number of rows of a panel.
	Side = 16
	// MostDim is the largest dimension, for which scores fit in 31 bits.
	MostDim = 1 << 13

	// group is the number of columns that are adjacent in a panel.
	group = 4
	// most and mostQuery are the largest magnitudes of the codes of rows and queries.
	most, mostQuery = 63, 127
	// nowhere is the norm of places without a row.
	nowhere = 1 << 30
	// Nowhere is larger than the score of any row, and at most the score of an empty position.
	Nowhere int32 = nowhere / 2
)

// Scale converts vectors to codes. It is immutable.
type Scale struct {
	center []float32
	step   float32
	// reach (Width) is the largest magnitude of the codes of rows by column, 0 beyond the last.
	// runs are valid for any row as a query.
	reach, runs []uint8
}

// NewScale returns a scale for the rows of x, which must be finite. It returns nil if they cannot
// have codes: there are no rows or more than MostDim columns, all rows are equal, or differences
// overflow float32.
func NewScale(x vec.Matrix[float32]) *Scale {
	if x.Rows < 1 || x.Cols < 1 || x.Cols > MostDim {
		return nil
	}
	low, high := append([]float32(nil), x.Row(0)...), append([]float32(nil), x.Row(0)...)
	for r := 1; r < x.Rows; r++ {
		for k, v := range x.Row(r) {
			if v < low[k] {
				low[k] = v
			} else if v > high[k] {
				high[k] = v
			}
		}
	}
	s := &Scale{center: low}
	half := make([]float32, len(low))
	for k, v := range low {
		half[k] = high[k]/2 - v/2
		// The step is a little larger, so that rounding keeps codes within their range.
		s.step = max(s.step, half[k]*(1+1e-5)/most)
		s.center[k] = v/2 + high[k]/2
	}
	if per := 1 / s.step; !(s.step > 0) || math.IsInf(float64(s.step)*most, 0) || per > math.MaxFloat32 || per == 0 {
		return nil
	}
	s.reach = make([]uint8, s.Width())
	for k, v := range half {
		s.reach[k] = uint8(min(v/s.step+1, most))
	}
	s.runs = rowRuns(s.reach)
	return s
}

// Dim is the number of columns.
func (s *Scale) Dim() int { return len(s.center) }

// Width returns the length of a query's code: the dimension, rounded up to a multiple of four.
func (s *Scale) Width() int { return (len(s.center) + group - 1) / group * group }

// code sets code to the rounded elements of (x - center)/step. It returns the bits of the largest
// magnitude, which are more than those of any number if one is NaN, and the sum of code (code + 2
// reach). If a magnitude exceeds 127, the code and the sum are meaningless.
func (s *Scale) code(l simd.Level, code []int8, x []float32) (widest uint32, sum int32) {
	n := len(x)
	return round(l, code[:n], x, s.center[:n], s.reach[:n], 1/s.step)
}

// Panels are the codes of rows, in panels of sixteen. They are immutable once filled.
type Panels struct {
	reach []uint8 // of the scale
	data  []uint8
	norm  []int32
}

// NewPanels returns room for n panels without rows.
func (s *Scale) NewPanels(n int) *Panels {
	p := &Panels{reach: s.reach, norm: make([]int32, n*Side)}
	p.data = make([]uint8, n*p.size())
	for i := range p.norm {
		p.norm[i] = nowhere
	}
	return p
}

func (p *Panels) size() int { return len(p.reach) * Side }

// Len is the number of panels.
func (p *Panels) Len() int { return len(p.norm) / Side }

// Bytes is the memory of the panels.
func (p *Panels) Bytes() int64 { return int64(len(p.data) + 4*len(p.norm)) }

// Row sets code (Width) to the code of a row, which must be one of those that the scale was made
// for.
func (s *Scale) Row(code []int8, x []float32) {
	code = code[:s.Width()]
	clear(code[len(s.center):])
	s.code(simd.Best(), code, x)
	for k, c := range code {
		r := int8(s.reach[k])
		code[k] = max(-r, min(r, c))
	}
}

// Set stores the code of a row at a place: place i is the (i mod Side)th of panel i/Side.
func (p *Panels) Set(place int, code []int8) {
	code = code[:len(p.reach)]
	to := p.data[place/Side*p.size()+place%Side*group:]
	var norm int32
	for k := 0; k < len(code); k += group {
		four, c, reach := to[k*Side:][:group], code[k:][:group], p.reach[k:][:group]
		for i, v := range c {
			norm += int32(v) * int32(v)
			four[i] = uint8(int32(v) + int32(reach[i]))
		}
	}
	p.norm[place] = norm
}

// Scores writes to out the scores of n panels, beginning with panel from, for a query of the same
// scale. The score of a row is its squared distance in steps without the query's Base; places
// without a row score higher than any row.
func (p *Panels) Scores(out []int32, q *Query, from, n int) {
	p.scoresAt(simd.Best(), out, q, from, n)
}

func (p *Panels) scoresAt(l simd.Level, out []int32, q *Query, from, n int) {
	if n == 0 {
		return
	}
	if len(q.code) != len(p.reach) || len(out) < n*Side || from < 0 || n < 0 || (from+n)*Side > len(p.norm) {
		panic(fmt.Sprintf("sq8: %d panels from %d on of %d, room for %d scores, a code of %d elements for %d",
			n, from, len(p.norm)/Side, len(out), len(q.code), len(p.reach)))
	}
	scores(l, out, q, p.data[from*p.size():], q.norms(p.norm[from*Side:][:n*Side]), n)
}
