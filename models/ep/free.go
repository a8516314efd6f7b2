package ep

import (
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models/psi"
)

// slopes are the derivatives of the bound of a Hybrid. Those of the inputs are stored once.
type slopes struct {
	data, classes *psi.Gradient
	precision     float64
	mu, s         vec.Matrix[float64]
}

func (h *Hybrid) newSlopes() *slopes {
	n, q := h.In.Mu.Rows, h.In.Mu.Cols
	g := &slopes{mu: vec.New[float64](n, q), s: vec.New[float64](n, q)}
	shared := func(m int) *psi.Gradient {
		return &psi.Gradient{Alpha: make([]float64, q), Z: vec.New[float64](m, q), Mu: g.mu, S: g.s}
	}
	if h.Data != nil {
		g.data = shared(h.Data.Z.Rows)
	}
	if h.Classes != nil {
		g.classes = shared(h.Classes.Z.Rows)
	}
	return g
}

func (g *slopes) clear() {
	g.precision = 0
	clear(g.mu.Data)
	clear(g.s.Data)
	for _, p := range []*psi.Gradient{g.data, g.classes} {
		if p != nil {
			p.Variance = 0
			clear(p.Alpha)
			clear(p.Z.Data)
		}
	}
}

// block is a block of free parameters, moved as they are, by their logarithms, or by the logarithm
// of a common factor.
type block struct {
	at, slope []float64
	// scalar and slopeOf replace at and slope for a single number.
	scalar, slopeOf *float64
	log             bool
	start           []float64 // the scaled numbers at the start
}

type blocks []block

// free lists the free parameters.
func (h *Hybrid) free(g *slopes, set LearnSettings) (out blocks) {
	switch {
	case !set.FixInputs:
		out = append(out, block{at: h.In.Mu.Data, slope: g.mu.Data}, block{at: h.In.S.Data, slope: g.s.Data, log: true})
	case set.Spread:
		out = append(out, block{at: h.In.S.Data, slope: g.s.Data, start: slices.Clone(h.In.S.Data)})
	}
	kernel := func(k *psi.Kernel, z vec.Matrix[float64], g *psi.Gradient) {
		out = append(out, block{scalar: &k.Variance, slopeOf: &g.Variance, log: true})
		if set.Tied {
			out = append(out, block{at: k.Alpha, slope: g.Alpha, start: slices.Clone(k.Alpha)})
		} else {
			out = append(out, block{at: k.Alpha, slope: g.Alpha, log: true})
		}
		if !set.FixInducing {
			out = append(out, block{at: z.Data, slope: g.Z.Data})
		}
	}
	if h.Data != nil {
		kernel(&h.Data.Kernel, h.Data.Z, g.data)
		out = append(out, block{scalar: &h.Data.Precision, slopeOf: &g.precision, log: true})
	}
	if h.Classes != nil {
		kernel(&h.Classes.Kernel, h.Classes.Z, g.classes)
	}
	return out
}

func (b block) len() int {
	if b.scalar != nil || b.start != nil {
		return 1
	}
	return len(b.at)
}

func (b blocks) len() (sum int) {
	for _, one := range b {
		sum += one.len()
	}
	return sum
}

// get writes the coordinates of the present parameters.
func (b blocks) get(x []float64) {
	for _, one := range b {
		switch own := x[:one.len()]; {
		case one.start != nil:
			own[0] = 0
		case one.scalar != nil:
			own[0] = math.Log(*one.scalar)
		default:
			for i, v := range one.at {
				if own[i] = v; one.log {
					own[i] = math.Log(v)
				}
			}
		}
		x = x[one.len():]
	}
}

// set sets the parameters from coordinates.
func (b blocks) set(x []float64) {
	for _, one := range b {
		switch own := x[:one.len()]; {
		case one.start != nil:
			for i, v := range one.start {
				one.at[i] = v * math.Exp(own[0])
			}
		case one.scalar != nil:
			*one.scalar = math.Exp(own[0])
		default:
			for i, v := range own {
				if one.at[i] = v; one.log {
					one.at[i] = math.Exp(v)
				}
			}
		}
		x = x[one.len():]
	}
}

// slopes writes the derivatives by the coordinates.
func (b blocks) slopes(grad []float64) {
	for _, one := range b {
		switch own := grad[:one.len()]; {
		case one.start != nil:
			own[0] = vec.Dot(one.at, one.slope)
		case one.scalar != nil:
			own[0] = *one.scalar * *one.slopeOf
		default:
			for i, v := range one.slope {
				if own[i] = v; one.log {
					own[i] = v * one.at[i]
				}
			}
		}
		grad = grad[one.len():]
	}
}
