package labels

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models/ep"
)

// firstLength and firstVariance are where the search for a scale begins. searched is the number of
// parts that it uses.
const (
	firstLength, firstVariance = 0.5, 8
	searched                   = 8
)

var (
	lengths   = []float64{.25, 1}
	variances = []float64{2, 32}
	spreads   = []float64{.25, 1}
)

// search searches for the scale that predicts the classes of left-out events best.
type search struct {
	k       *known
	c       *cut
	set     Settings
	best    scale
	most    float64 // score of best
	tried   int
	problem error
}

// learnScale maximises the leave-one-out log score of some parts over the scale, from cavities. It
// starts without the variances of places, and includes them if that improves the blend with the
// other opinions.
func (k *known) learnScale(ctx context.Context, c *cut, again *scale, held *opinions, set Settings, r *Report) (scale, error) {
	s := &search{k: k, c: c, set: set, best: scale{Length: firstLength, Variance: firstVariance}}
	if again != nil {
		s.best = *again
		s.best.Spread = 0
	}
	s.most = s.score(ctx, s.best, nil)
	if again == nil {
		s.try(ctx, func(at scale, v float64) scale { at.Length = v; return at }, lengths...)
		s.try(ctx, func(at scale, v float64) scale { at.Variance = v; return at }, variances...)
	}
	longer := func(at scale, v float64) scale { at.Length *= v; return at }
	s.try(ctx, longer, math.Sqrt2, math.Sqrt2/2)
	r.Blur = s.blur()
	if certain := s.best; !set.Certain && r.Blur >= sharp {
		s.most = math.Inf(-1)
		s.try(ctx, func(_ scale, v float64) scale { at := certain; at.Spread = v; return at }, spreads...)
		s.try(ctx, longer, math.Sqrt2/2)
		if !s.pays(ctx, certain, s.best, held) {
			s.best = certain
		}
	}
	r.Tried = s.tried
	return s.best, s.problem
}

// sharp is the Blur below which variances of places are not tried: covariances of a process change with
// them by a factor of (1 + variance/length^2)^(-1/2) in each dimension.
const sharp = 0.05

// blur is the variance of places relative to the squared length scale of the process there: of the
// events in the parts looked at nine of ten have less.
func (s *search) blur() float64 {
	var all []float64
	for _, a := range s.parts() {
		rows := s.c.learn[a]
		length := s.best.Length * extent(vec.Take(s.k.mu, rows))
		for _, row := range rows {
			all = append(all, s.k.variance[row]/(length*length))
		}
	}
	slices.Sort(all)
	return quantile.Of(all, .9)
}

// The choice between certain and uncertain places needs this number of events, and a mean log score
// that is larger by this number of standard errors.
const (
	leastJudged = 50
	surely      = 2
)

// pays reports whether scale one is significantly better than scale than in a blend with the other
// opinions.
func (s *search) pays(ctx context.Context, than, one scale, held *opinions) bool {
	var logs [2][]float64
	for j, at := range []scale{than, one} {
		o := newOpinions(held.n, held.kinds, held.classes)
		copy(o.data, held.data)
		s.score(ctx, at, o)
		o, class := s.judged(o)
		if o.n < leastJudged || s.problem != nil {
			return false
		}
		b, p := learnBlend(o, class, s.k.prior), make([]float64, o.classes)
		for i, c := range class {
			b.pool(p, o.of(i))
			logs[j] = append(logs[j], math.Log((1-b.Floor)*p[c]+b.Floor*s.k.prior[c]))
		}
	}
	n, mean, square := float64(len(logs[0])), 0.0, 0.0
	for i, v := range logs[1] {
		mean += (v - logs[0][i]) / n
	}
	for i, v := range logs[1] {
		square += (v - logs[0][i] - mean) * (v - logs[0][i] - mean) / n
	}
	return mean > surely*math.Sqrt(square/n)
}

// judged returns the opinions on the events in the searched parts, with their classes.
func (s *search) judged(o *opinions) (of *opinions, class []int32) {
	of = &opinions{kinds: o.kinds, classes: o.classes}
	for _, a := range s.parts() {
		members := s.c.members[a]
		for _, row := range members[:min(mostOwn, len(members))] {
			if row < o.n {
				of.data, class = append(of.data, o.of(row).Data...), append(class, s.k.class[row])
			}
		}
	}
	of.n = len(class)
	return of, class
}

// parts returns the indices of the searched parts.
func (s *search) parts() (list []int) {
	n := min(searched, len(s.c.learn))
	for j := range n {
		list = append(list, j*len(s.c.learn)/n)
	}
	return list
}

// try evaluates changes of the best scale and keeps the best result.
func (s *search) try(ctx context.Context, change func(scale, float64) scale, values ...float64) {
	at := s.best
	for _, v := range values {
		next := change(at, v)
		if got := s.score(ctx, next, nil); got > s.most {
			s.best, s.most = next, got
		}
	}
}

// score returns the leave-one-out log score of a scale. If into is not nil, the predictions of the
// parts' own events are written to its opinion ofLocal.
func (s *search) score(ctx context.Context, at scale, into *opinions) (sum float64) {
	s.tried++
	parts := s.parts()
	sums, failed := make([]float64, len(parts)), make([]error, len(parts))
	par.Do(s.set.Threads, len(parts), func(j int) {
		if failed[j] = ctx.Err(); failed[j] != nil {
			return
		}
		a := parts[j]
		own := min(mostOwn, len(s.c.members[a]))
		t, err := s.k.train(s.c.learn[a], own, s.set.Inducing, at, ep.Settings{Sweeps: 5, Tolerance: 1e-3}, nil, -1, s.set.Seed)
		if err != nil {
			failed[j] = err
			return
		}
		row, work := make([]float64, len(s.k.names)), make([]float64, len(s.k.names))
		for i, e := range t.rows {
			t.others(row, work, s.k.prior, i)
			sums[j] += row[s.k.class[e]]
			if into != nil && i < own && e < into.n {
				copy(into.at(e, ofLocal), row)
			}
		}
	})
	for j, v := range sums {
		if failed[j] != nil {
			s.problem = failed[j]
		}
		sum += v
	}
	return sum
}
