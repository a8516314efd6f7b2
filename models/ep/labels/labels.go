package labels

import (
	"cmp"
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models"
)

// Classifier predicts classes. It is immutable and safe for concurrent use.
type Classifier struct {
	// Names are the classes'.
	Names []string
	// Spread is the factor of the places' variances, 0 if these are ignored.
	Spread float64
	dims   int
	prior  []float64
	// The opinions: processes on the map; votes of the nearest events, on the map and, if known,
	// among projected vectors; and planes on projected vectors.
	local     *local
	onMap     *voters
	inInput   *voters
	mapPoll   poll
	inputPoll poll
	plane     *linear // nil if there are too few events or vectors are unknown
	blend     *blend
	// usual is the distance from their nearest neighbours that few events exceed.
	usual float64
	// whole is the only part of a classifier of the first format.
	whole *whole
	// warm are the sites from which the next training starts, nil after Open. learnt is the number
	// of events from which the scale was learnt, 0 after Open.
	warm   *warm
	learnt int
}

// Dims returns the dimension of the map.
func (c *Classifier) Dims() int { return c.dims }

// Opinions, in the order of a blend's weights.
const (
	ofLocal = iota
	ofMap
	ofMapBroad
	ofInput
	ofInputBroad
	ofLinear
)

// kinds returns the number of opinions.
func (c *Classifier) kinds() int {
	if c.inInput == nil {
		return ofMapBroad + 1
	}
	return ofLinear + 1
}

// block is the number of places that are processed at a time.
const block = 256

// Predict writes the class of every event, an index into Names, and its probability.
func (c *Classifier) Predict(ctx context.Context, class []int32, probability []float32, at models.Placed, threads int) error {
	return c.each(ctx, at, nil, threads, func(from int, p vec.Matrix[float64]) {
		for i := range p.Rows {
			best := slices.Index(p.Row(i), slices.Max(p.Row(i)))
			class[from+i], probability[from+i] = int32(best), float32(p.Row(i)[best])
		}
	})
}

// Predicted are the classes of n events.
type Predicted struct {
	// Class has the name of each event's likeliest class, Probability its probability.
	Class       []string
	Probability []float32
	// Entropy is that of the probabilities of all classes, in nats: 0 if one is certain, ln C if all
	// C are as likely.
	Entropy []float32
	// Names are those of all C classes, and All their probabilities, n x C; none unless asked for.
	Names []string
	All   vec.Matrix[float32]
}

// PredictNames predicts the classes of placed events by name; all asks for the probabilities of all
// classes. Of events that it may have been learnt from just now, keys say which they are, as Events
// has them: these do not vote for themselves. No keys: they are others.
func (c *Classifier) PredictNames(ctx context.Context, at models.Placed, key []uint64, all bool, threads int) (*Predicted, error) {
	n := at.Mu.Rows
	out := &Predicted{Class: make([]string, n), Probability: make([]float32, n), Entropy: make([]float32, n)}
	if all {
		out.Names, out.All = c.Names, vec.New[float32](n, len(c.Names))
	}
	err := c.each(ctx, at, c.own(key), threads, func(from int, p vec.Matrix[float64]) {
		for i := range p.Rows {
			row := p.Row(i)
			best := slices.Index(row, slices.Max(row))
			out.Class[from+i], out.Probability[from+i], out.Entropy[from+i] = c.Names[best], float32(row[best]), float32(entropy(row))
			for k := range out.All.Cols {
				out.All.Row(from + i)[k] = float32(row[k])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// entropy returns the entropy of probabilities in nats. The probability of a single class means
// that there is no other; its entropy is that of both cases.
func entropy(p []float64) (h float64) {
	rest := 1.0
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
		rest -= v
	}
	if len(p) == 1 && rest > 0 {
		h -= rest * math.Log(rest)
	}
	return max(h, 0)
}

// own returns the index of each event among the voters, -1 if it is not one.
func (c *Classifier) own(key []uint64) []int32 {
	if key == nil || c.warm == nil {
		return nil
	}
	out := make([]int32, len(key))
	for i, k := range key {
		row, ok := c.warm.row[k]
		if !ok {
			row = -1
		}
		out[i] = int32(row)
	}
	return out
}

// Probabilities writes the probabilities of all classes, n x len(Names).
func (c *Classifier) Probabilities(ctx context.Context, dst vec.Matrix[float64], at models.Placed, threads int) error {
	return c.each(ctx, at, nil, threads, func(from int, p vec.Matrix[float64]) { copy(dst.Slice(from, from+p.Rows).Data, p.Data) })
}

// each calls done with the probabilities of consecutive blocks of events.
func (c *Classifier) each(ctx context.Context, at models.Placed, own []int32, threads int, done func(from int, p vec.Matrix[float64])) error {
	if at.Mu.Cols != c.dims {
		return &models.DimensionError{Got: at.Mu.Cols, Want: c.dims}
	}
	if len(at.Sigma) != at.Mu.Rows || at.Seen.Rows != 0 && at.Seen.Rows != at.Mu.Rows {
		return models.BadInputf("there are %d places, %d scales and %d rows that the model sees", at.Mu.Rows, len(at.Sigma), at.Seen.Rows)
	}
	if at.Mu.Rows == 0 {
		return nil
	}
	v, err := c.vote(ctx, at, own, threads)
	if err != nil {
		return err
	}
	failed := make([]error, par.Pieces(at.Mu.Rows, block))
	par.Ranges(threads, at.Mu.Rows, block, func(piece, from, to int) {
		p, mu, sigma := vec.New[float64](to-from, len(c.Names)), at.Mu.Slice(from, to), at.Sigma[from:to]
		if c.whole != nil {
			c.whole.predict(p, mu, sigma)
		} else {
			o := newOpinions(to-from, c.kinds(), len(c.Names))
			c.local.predict(o, mu, sigma, c.prior)
			v.opinions(o, from, c)
			c.decide(p, o, v, sigma, from)
		}
		if failed[piece] = finite(p, from); failed[piece] == nil {
			done(from, p)
		}
	})
	return cmp.Or(failed...)
}

// finite returns a *models.RowError for the first row of probabilities that are not finite, which a
// damaged model file may cause. first is the index of the first row.
func finite(p vec.Matrix[float64], first int) error {
	for i := range p.Rows {
		for _, v := range p.Row(i) {
			if v-v != 0 {
				return &models.RowError{Row: first + i, Column: -1, Result: "class's probability", Value: v}
			}
		}
	}
	return nil
}

// votes are the neighbours that vote on events. For events marked in unseen, only the place is
// known.
type votes struct {
	onMap, inInput near
	seen           vec.Matrix[float32] // vectors of the events if there are votes among vectors
	unseen         []bool              // nil if there are none, or no votes among vectors
}

// vote finds the neighbours of events.
func (c *Classifier) vote(ctx context.Context, at models.Placed, own []int32, threads int) (v *votes, err error) {
	v = new(votes)
	if c.whole != nil {
		return v, nil
	}
	if v.onMap, err = c.onMap.find(ctx, at.Mu, own, threads); err != nil || c.inInput == nil {
		return v, err
	}
	seen := at.Seen
	if seen.Rows == 0 {
		seen = vec.New[float32](at.Mu.Rows, c.inInput.x.Cols)
		v.unseen = slices.Repeat([]bool{true}, at.Mu.Rows)
	} else if seen.Cols != c.inInput.x.Cols {
		return v, &models.DimensionError{Got: seen.Cols, Want: c.inInput.x.Cols}
	} else if !vec.Finite(seen.Data) {
		seen, v.unseen = seen.Clone(), make([]bool, seen.Rows)
		for i := range seen.Rows {
			if v.unseen[i] = !vec.Finite(seen.Row(i)); v.unseen[i] {
				clear(seen.Row(i))
			}
		}
	}
	v.seen = seen
	v.inInput, err = c.inInput.find(ctx, seen, own, threads)
	return v, err
}

// opinions writes the votes on events from, from+1, ... to o.
func (v *votes) opinions(o *opinions, from int, c *Classifier) {
	for i := range o.n {
		c.mapPoll.count(o.at(i, ofMap), v.onMap, from+i, c.prior)
		broad.count(o.at(i, ofMapBroad), v.onMap, from+i, c.prior)
		if c.inInput != nil && (v.unseen == nil || !v.unseen[from+i]) {
			c.inputPoll.count(o.at(i, ofInput), v.inInput, from+i, c.prior)
			broad.count(o.at(i, ofInputBroad), v.inInput, from+i, c.prior)
			if c.plane != nil && v.seen.Rows > 0 {
				c.plane.predict(o.at(i, ofLinear), v.seen.Row(from+i))
			}
		}
	}
}

// decide computes probabilities from the opinions on events from, from+1, ...: those of the blend,
// mixed with the prior if an event is far from all known ones.
func (c *Classifier) decide(p vec.Matrix[float64], o *opinions, v *votes, sigma []float32, from int) {
	for i := range p.Rows {
		row := p.Row(i)
		c.blend.poolAt(row, o.of(i), float64(sigma[i])*float64(sigma[i]))
		trust := 1 - c.blend.Floor
		if c.inInput != nil && (v.unseen == nil || !v.unseen[from+i]) {
			trust *= c.trust(v.inInput.distance(from + i))
		}
		for k := range row {
			row[k] = trust*row[k] + (1-trust)*c.prior[k]
		}
		if len(row) == 1 {
			row[0] = trust * alone(len(c.onMap.class))
		}
	}
}

// alone returns the probability of the only class, after n events of it. There may be others
// (Laplace's rule of succession).
func alone(n int) float64 { return float64(n+1) / float64(n+2) }

// usualShare is the share of events whose distance from their neighbours counts as usual.
const usualShare = 0.999

// trust returns the weight of the prediction of an event at the given distance from its neighbours:
// 1 up to the usual distance, then in inverse proportion to the square of the distance.
func (c *Classifier) trust(distance float64) float64 {
	if !(c.usual > 0) || distance <= c.usual {
		return 1
	}
	return c.usual / distance * c.usual / distance
}

// usually returns the usual distance of events from their neighbours.
func usually(n near) float64 {
	all := make([]float64, n.N)
	for i := range all {
		all[i] = n.distance(i)
	}
	slices.Sort(all)
	if last := all[len(all)-1]; math.IsInf(last, 0) {
		return 0
	}
	return quantile.Of(all, usualShare)
}
