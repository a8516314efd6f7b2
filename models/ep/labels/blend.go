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
	// Slopes, if there are any, say by how much the weights change with how well the place
	// of an event is known: w_e + Slopes_e s, s by the scale of the place.
	Slopes []float64 `json:"slopes,omitempty"`
	Scales *scales   `json:"scales,omitempty"`
}

// scales say what is usual of the scales of places: their logarithms' mean and standard deviation.
type scales struct {
	Mean  float64 `json:"mean"`
	Width float64 `json:"width"`
}

// farthest bounds how unusual a scale can be.
const farthest = 2

// usualScales returns those of events, nil if they are all the same.
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

// of returns how many standard deviations a scale is off, within bounds.
func (s *scales) of(variance float64) float64 {
	if s == nil {
		return 0
	}
	if !(variance > 0) {
		return -farthest
	}
	return min(farthest, max(-farthest, (math.Log(variance)/2-s.Mean)/s.Width))
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

// poolAt is pool for an event whose place has that variance.
func (b *blend) poolAt(p []float64, of vec.Matrix[float64], variance float64) {
	if b.Slopes == nil {
		b.pool(p, of)
		return
	}
	at := blend{Weights: append([]float64(nil), b.Weights...)}
	vec.Axpy(b.Scales.of(variance), b.Slopes, at.Weights)
	at.pool(p, of)
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
	b := fitted(o, class, o.kinds)
	b.chooseFloor(o, class, prior)
	return b
}

// learnSlopes returns the pool whose weights follow the scales of the places, or b if that
// is not surely better: by more than chance gives so many numbers.
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

// beyondChance is by how much the log score must be larger for every further number, which by
// chance it is by a half, and leastSloped how many events that takes.
const (
	beyondChance = 2
	leastSloped  = 200
)

// fitted returns the weights of the largest log score. Those of the first kinds are not negative.
func fitted(o *opinions, class []int32, kinds int) *blend {
	b := &blend{Weights: make([]float64, o.kinds)}
	free := make([]bool, o.kinds)
	for e := range free {
		b.Weights[e], free[e] = centre(e, kinds), true
	}
	// Weights that would be negative are zero, and the others are learnt without them.
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

// centre is what weight e is held at: equal shares of the first kinds.
func centre(e, kinds int) float64 {
	if e < kinds {
		return 1 / float64(kinds)
	}
	return 0
}

// climb moves the free weights to the largest log score, by Newton's method: the score is
// concave in them.
func (b *blend) climb(o *opinions, class []int32, free []bool, kinds int) {
	score := b.scoreHeld(o, class, kinds)
	for range mostSteps {
		g, h := b.slope(o, class, free, kinds)
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

// score is the sum of the log probabilities of the classes.
func (b *blend) score(o *opinions, class []int32) (sum float64) {
	p := make([]float64, o.classes)
	for i := range o.n {
		b.pool(p, o.of(i))
		sum += math.Log(max(p[class[i]], math.SmallestNonzeroFloat64))
	}
	return sum
}

// scoreHeld is score less what holds the weights.
func (b *blend) scoreHeld(o *opinions, class []int32, kinds int) float64 {
	sum := b.score(o, class)
	for e, w := range b.Weights {
		d := w - centre(e, kinds)
		sum -= held / 2 * d * d
	}
	return sum
}

// slope returns the gradient of scoreHeld in the weights and minus its Hessian: with L_e the
// opinions' logarithms and means under p, sums over events of L_e(class) - <L_e> and of
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
