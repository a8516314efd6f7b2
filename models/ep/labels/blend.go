package labels

import (
	"math"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// blend is a logarithmic opinion pool (Heskes 1998, "Selecting weighting factors in
// logarithmic opinion pools"): of opinions p_e, the probability of class c is
//
//	(1 - floor) prod_e p_e(c)^w_e / sum_c' prod_e p_e(c')^w_e + floor prior(c).
//
// The weights, not negative, are those of the largest log score for events that had no
// part in the opinions on them. They are a temperature for each opinion, for all classes at once.
type blend struct {
	Weights []float64 `json:"weights"`
	Floor   float64   `json:"floor"`
}

// Of learning a blend: the weights' precision about an equal share each, its steps, the
// least step, and floors to choose from.
const (
	held      = 1.0
	mostSteps = 30
	leastStep = 1e-8
)

var floors = []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2}

// opinions are logarithms of probabilities by event, opinion and class.
type opinions struct {
	n, kinds, classes int
	data              []float64
}

func newOpinions(n, kinds, classes int) *opinions {
	return &opinions{n, kinds, classes, make([]float64, n*kinds*classes)}
}

// at returns what opinion e is of event i; of returns all of that event, kinds x classes.
func (o *opinions) at(i, e int) []float64 {
	from := (i*o.kinds + e) * o.classes
	return o.data[from : from+o.classes]
}

func (o *opinions) of(i int) vec.Matrix[float64] {
	return vec.Of(o.kinds, o.classes, o.data[i*o.kinds*o.classes:(i+1)*o.kinds*o.classes])
}

// pool writes the probabilities of an event by its opinions, before the floor.
func (b *blend) pool(p []float64, of vec.Matrix[float64]) {
	clear(p)
	most := math.Inf(-1)
	for e, w := range b.Weights {
		if w != 0 {
			vec.Axpy(w, of.Row(e), p)
		}
	}
	for _, v := range p {
		most = max(most, v)
	}
	sum := 0.0
	for c, v := range p {
		p[c] = math.Exp(v - most)
		sum += p[c]
	}
	vec.Scale(1/sum, p)
}

// learnBlend returns the pool of opinions on events of these classes.
func learnBlend(o *opinions, class []int32, prior []float64) *blend {
	b := &blend{Weights: make([]float64, o.kinds)}
	free := make([]bool, o.kinds)
	for e := range free {
		b.Weights[e], free[e] = 1/float64(o.kinds), true
	}
	// Weights that would be negative are zero, and the others are learnt without them.
	for again := true; again; {
		again = false
		b.climb(o, class, free)
		for e, w := range b.Weights {
			if w < 0 {
				b.Weights[e], free[e], again = 0, false, true
			}
		}
	}
	b.chooseFloor(o, class, prior)
	return b
}

// climb moves the free weights to the largest log score, by Newton's method: the score is
// concave in them.
func (b *blend) climb(o *opinions, class []int32, free []bool) {
	score := b.score(o, class)
	for range mostSteps {
		g, h := b.slope(o, class, free)
		if spd.Factor(h, 1) != nil {
			return
		}
		spd.Solve(h, vec.Of(len(g), 1, g), 1)
		at := append([]float64(nil), b.Weights...)
		// Half as far as long as the score falls.
		better := false
		for scale := 1.0; scale > leastStep && !better; scale /= 2 {
			for e, v := range g {
				b.Weights[e] = at[e] + scale*v
			}
			if s := b.score(o, class); s >= score {
				better = s > score+leastStep
				score = s
				break
			}
			copy(b.Weights, at)
		}
		if !better {
			return
		}
	}
}

// score is the sum of the log probabilities of the classes, less what holds the weights.
func (b *blend) score(o *opinions, class []int32) (sum float64) {
	p := make([]float64, o.classes)
	for i := range o.n {
		b.pool(p, o.of(i))
		sum += math.Log(max(p[class[i]], math.SmallestNonzeroFloat64))
	}
	for _, w := range b.Weights {
		d := w - 1/float64(o.kinds)
		sum -= held / 2 * d * d
	}
	return sum
}

// slope returns the gradient of score in the weights and minus its Hessian: with L_e the
// opinions' logarithms and means under p, sums over events of L_e(class) - <L_e> and of
// <L_e L_f> - <L_e><L_f>.
func (b *blend) slope(o *opinions, class []int32, free []bool) (g []float64, h vec.Matrix[float64]) {
	g, h = make([]float64, o.kinds), vec.New[float64](o.kinds, o.kinds)
	p, mean, weighed := make([]float64, o.classes), make([]float64, o.kinds), make([]float64, o.classes)
	for i := range o.n {
		of := o.of(i)
		b.pool(p, of)
		for e := range o.kinds {
			mean[e] = vec.Dot(p, of.Row(e))
			g[e] += of.Row(e)[class[i]] - mean[e]
		}
		for e := range o.kinds {
			for c, v := range of.Row(e) {
				weighed[c] = p[c] * v
			}
			for f := range e + 1 {
				h.Row(e)[f] += vec.Dot(weighed, of.Row(f)) - mean[e]*mean[f]
			}
		}
	}
	for e, w := range b.Weights {
		g[e] -= held * (w - 1/float64(o.kinds))
		h.Row(e)[e] += held
	}
	for e := range o.kinds {
		for f := range e + 1 {
			if !free[e] || !free[f] {
				h.Row(e)[f] = 0
			}
			h.Row(f)[e] = h.Row(e)[f]
		}
		if !free[e] {
			g[e], h.Row(e)[e] = 0, 1
		}
	}
	return g, h
}

// chooseFloor takes the floor of the largest log score: how often all opinions are wrong
// and sure of it.
func (b *blend) chooseFloor(o *opinions, class []int32, prior []float64) {
	most, p, sums := math.Inf(-1), make([]float64, o.classes), make([]float64, len(floors))
	for i := range o.n {
		b.pool(p, o.of(i))
		for k, f := range floors {
			sums[k] += math.Log((1-f)*p[class[i]] + f*prior[class[i]])
		}
	}
	for k, f := range floors {
		if sums[k] > most {
			b.Floor, most = f, sums[k]
		}
	}
}
