package labels

import (
	"math"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// blend is a logarithmic opinion pool (Heskes 1998, "Selecting weighting factors in logarithmic
// opinion pools"). Given opinions p_e, the probability of class c is
//
//	(1 - floor) prod_e p_e(c)^w_e / sum_c' prod_e p_e(c')^w_e + floor prior(c).
//
// The weights are nonnegative and maximise the log score on events that were left out of the
// opinions about them. Each acts as a temperature of its opinion, the same for all classes.
type blend struct {
	Weights []float64 `json:"weights"`
	Floor   float64   `json:"floor"`
	// Slopes, if not nil, adapt the weights to the uncertainty of an event's place: w_e + Slopes_e
	// s, where s is the standardised scale of the place.
	Slopes []float64 `json:"slopes,omitempty"`
	Scales *scales   `json:"scales,omitempty"`
}

// scales are the mean and the standard deviation of the logarithms of places' scales.
type scales struct {
	Mean  float64 `json:"mean"`
	Width float64 `json:"width"`
}

// farthest bounds the standardised scale.
const farthest = 2

// usualScales returns the scales of events, nil if they are all equal.
func usualScales(variance []float64) *scales {
	s, n := new(scales), 0.0
	for _, v := range variance {
		if v > 0 {
			s.Mean += math.Log(v) / 2
			n++
		}
	}
	if n == 0 {
		return nil
	}
	s.Mean /= n
	for _, v := range variance {
		if v > 0 {
			d := math.Log(v)/2 - s.Mean
			s.Width += d * d / n
		}
	}
	s.Width = math.Sqrt(s.Width)
	if !(s.Width > 1e-6) {
		return nil
	}
	return s
}

// of returns the standardised scale, within bounds.
func (s *scales) of(variance float64) float64 {
	if s == nil {
		return 0
	}
	if !(variance > 0) {
		return -farthest
	}
	return min(farthest, max(-farthest, (math.Log(variance)/2-s.Mean)/s.Width))
}

// held is the precision of the weights' prior around equal shares. mostSteps and leastStep bound
// Newton's method. floors are the candidates for the floor.
const (
	held      = 1.0
	mostSteps = 30
	leastStep = 1e-8
)

var floors = []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2}

// opinions are log probabilities by event, opinion and class.
type opinions struct {
	n, kinds, classes int
	data              []float64
}

func newOpinions(n, kinds, classes int) *opinions {
	return &opinions{n, kinds, classes, make([]float64, n*kinds*classes)}
}

// at returns opinion e on event i. of returns all opinions on the event, kinds x classes.
func (o *opinions) at(i, e int) []float64 {
	from := (i*o.kinds + e) * o.classes
	return o.data[from : from+o.classes]
}

func (o *opinions) of(i int) vec.Matrix[float64] {
	return vec.Of(o.kinds, o.classes, o.data[i*o.kinds*o.classes:(i+1)*o.kinds*o.classes])
}

// poolAt is pool for an event whose place has the given variance.
func (b *blend) poolAt(p []float64, of vec.Matrix[float64], variance float64) {
	if b.Slopes == nil {
		b.pool(p, of)
		return
	}
	at := blend{Weights: append([]float64(nil), b.Weights...)}
	vec.Axpy(b.Scales.of(variance), b.Slopes, at.Weights)
	at.pool(p, of)
}

// pool writes the probabilities of an event from its opinions, before the floor.
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

// learnBlend learns the pool from opinions on events of known classes.
func learnBlend(o *opinions, class []int32, prior []float64) *blend {
	b := fitted(o, class, o.kinds)
	b.chooseFloor(o, class, prior)
	return b
}

// learnSlopes returns a pool whose weights depend on the scales of places. It returns b unless the
// score improves by more than chance explains for the additional parameters.
func (b *blend) learnSlopes(o *opinions, class []int32, variance, prior []float64) *blend {
	usual := usualScales(variance)
	if usual == nil || o.n < leastSloped {
		return b
	}
	both := newOpinions(o.n, 2*o.kinds, o.classes)
	for i := range o.n {
		s := usual.of(variance[i])
		for e := range o.kinds {
			copy(both.at(i, e), o.at(i, e))
			vec.Axpy(s, o.at(i, e), both.at(i, o.kinds+e))
		}
	}
	next := fitted(both, class, o.kinds)
	if next.score(both, class) < b.score(o, class)+beyondChance*float64(o.kinds) {
		return b
	}
	next.chooseFloor(both, class, prior)
	next.Weights, next.Slopes, next.Scales = next.Weights[:o.kinds:o.kinds], next.Weights[o.kinds:], usual
	return next
}

// beyondChance is the least increase of the log score per additional parameter; chance gives a
// half. leastSloped is the least number of events for slopes.
const (
	beyondChance = 2
	leastSloped  = 200
)

// fitted returns the weights with the largest log score. The weights of the first kinds are
// nonnegative.
func fitted(o *opinions, class []int32, kinds int) *blend {
	b := &blend{Weights: make([]float64, o.kinds)}
	free := make([]bool, o.kinds)
	for e := range free {
		b.Weights[e], free[e] = centre(e, kinds), true
	}
	// Negative weights become zero, and the others are learnt again without them.
	for again := true; again; {
		again = false
		b.climb(o, class, free, kinds)
		for e, w := range b.Weights[:kinds] {
			if w < 0 {
				b.Weights[e], free[e], again = 0, false, true
			}
		}
	}
	return b
}

// centre returns the prior mean of weight e: an equal share for the first kinds, else 0.
func centre(e, kinds int) float64 {
	if e < kinds {
		return 1 / float64(kinds)
	}
	return 0
}

// climb maximises the log score over the free weights with Newton's method. The score is concave.
func (b *blend) climb(o *opinions, class []int32, free []bool, kinds int) {
	score := b.scoreHeld(o, class, kinds)
	for range mostSteps {
		g, h := b.slope(o, class, free, kinds)
		if spd.Factor(h, 1) != nil {
			return
		}
		spd.Solve(h, vec.Of(len(g), 1, g), 1)
		at := append([]float64(nil), b.Weights...)
		// Halve the step as long as the score falls.
		better := false
		for scale := 1.0; scale > leastStep && !better; scale /= 2 {
			for e, v := range g {
				b.Weights[e] = at[e] + scale*v
			}
			if s := b.scoreHeld(o, class, kinds); s >= score {
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

// score returns the sum of the log probabilities of the true classes.
func (b *blend) score(o *opinions, class []int32) (sum float64) {
	p := make([]float64, o.classes)
	for i := range o.n {
		b.pool(p, o.of(i))
		sum += math.Log(max(p[class[i]], math.SmallestNonzeroFloat64))
	}
	return sum
}

// scoreHeld is score with the prior of the weights.
func (b *blend) scoreHeld(o *opinions, class []int32, kinds int) float64 {
	sum := b.score(o, class)
	for e, w := range b.Weights {
		d := w - centre(e, kinds)
		sum -= held / 2 * d * d
	}
	return sum
}

// slope returns the gradient of scoreHeld by the weights and minus its Hessian. With L_e the
// logarithms of opinion e and means under p, they are sums over events of L_e(class) - <L_e> and of
// <L_e L_f> - <L_e><L_f>.
func (b *blend) slope(o *opinions, class []int32, free []bool, kinds int) (g []float64, h vec.Matrix[float64]) {
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
		g[e] -= held * (w - centre(e, kinds))
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

// chooseFloor chooses the floor with the largest log score. It accounts for events on which all
// opinions are confidently wrong.
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
