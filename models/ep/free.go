package ep

import (
	"math"

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

// block is a block of free parameters, moved as they are or by their logarithms.
type block struct {
	at, slope []float64
	// scalar and slopeOf replace at and slope for a single number.
	scalar, slopeOf *float64
	log             bool
}

type blocks []block

// free lists the free parameters.
func (h *Hybrid) free(g *slopes, set LearnSettings) (out blocks) {
	if !set.FixInputs {
		out = append(out, block{at: h.In.Mu.Data, slope: g.mu.Data}, block{at: h.In.S.Data, slope: g.s.Data, log: true})
	}
	kernel := func(k *psi.Kernel, z vec.Matrix[float64], g *psi.Gradient) {
		out = append(out, block{scalar: &k.Variance, slopeOf: &g.Variance, log: true},
			block{at: k.Alpha, slope: g.Alpha, log: true}, block{at: z.Data, slope: g.Z.Data})
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
	if b.scalar != nil {
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
		own := x[:one.len()]
		if one.scalar != nil {
			own[0] = math.Log(*one.scalar)
		}
		for i, v := range one.at {
			if own[i] = v; one.log {
				own[i] = math.Log(v)
			}
		}
		x = x[one.len():]
	}
}

// set sets the parameters from coordinates.
func (b blocks) set(x []float64) {
	for _, one := range b {
		own := x[:one.len()]
		if one.scalar != nil {
			*one.scalar = math.Exp(own[0])
		}
		for i := range one.at {
			if one.at[i] = own[i]; one.log {
				one.at[i] = math.Exp(own[i])
			}
		}
		x = x[one.len():]
	}
}

// slopes writes the derivatives by the coordinates.
func (b blocks) slopes(grad []float64) {
	for _, one := range b {
		own := grad[:one.len()]
		if one.scalar != nil {
			own[0] = *one.scalar * *one.slopeOf
		}
		for i, v := range one.slope {
			if own[i] = v; one.log {
				own[i] = v * one.at[i]
			}
		}
		grad = grad[one.len():]
	}
}
