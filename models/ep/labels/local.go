package labels

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/psi"
)

// local are processes on parts of a map, each of which contains the places nearest to the same
// centre. Each has inducing inputs, length scales and classes of its own, which adapts the model to
// the number and the density of a map's islands.
type local struct {
	scale   scale
	centres vec.Matrix[float64] // B x d
	parts   []*part
}

// scale are the parameters that the processes of all parts share.
type scale struct {
	// Length is the kernel's length relative to the part's radius, Variance its variance, and
	// Spread the factor of the places' variances.
	Length   float64 `json:"length"`
	Variance float64 `json:"variance"`
	Spread   float64 `json:"spread"`
}

// part is the process of one part.
type part struct {
	classes []int32 // of its events
	events  int
	joint   *ep.Joint // nil for a single class or without a process
	share   []float64 // shares of the classes, if there is no process
}

// own is the approximate number of events per part. around is the number of further events near it,
// from which it also learns, so that neighbouring parts agree at their border. mostParts bounds the
// number of parts, and mostOwn the number of a part's own events that are used.
const (
	own       = 128
	around    = 128
	mostParts = 256
	mostOwn   = 3 * own
	besides   = 8 // neighbouring parts that provide further events
)

// cut is the division of a map's labelled events into parts.
type cut struct {
	centres vec.Matrix[float64]
	of      []int   // the part of each event
	members [][]int // the events of each part, in order
	learn   [][]int // events from which each part learns: its own, then others
}

// divide divides events into parts.
func (k *known) divide(set Settings) *cut {
	const sample = 64 // events per centre that suffice for k-means
	n := k.mu.Rows
	b := min(mostParts, max(1, (n+own/2)/own))
	c := &cut{centres: centres(k.mu.Slice(0, min(n, b*sample)), b, set.Seed), of: make([]int, n)}
	par.Ranges(set.Threads, n, 1024, func(_, from, to int) {
		for i := from; i < to; i++ {
			c.of[i] = nearestRow(c.centres, k.mu.Row(i))
		}
	})
	b = c.centres.Rows
	c.members, c.learn = make([][]int, b), make([][]int, b)
	for i, a := range c.of {
		c.members[a] = append(c.members[a], i)
	}
	par.Do(set.Threads, b, func(a int) {
		c.learn[a] = append(slices.Clone(c.members[a][:min(mostOwn, len(c.members[a]))]), c.nearby(a, k.mu)...)
	})
	return c
}

// nearby returns the events of other parts that are nearest to the centre of part a.
func (c *cut) nearby(a int, mu vec.Matrix[float64]) []int {
	centre := c.centres.Row(a)
	type far struct {
		i  int
		d2 float64
	}
	byDistance := func(x, y far) int { return cmp.Or(cmp.Compare(x.d2, y.d2), cmp.Compare(x.i, y.i)) }
	var others, events []far
	for o := range c.members {
		if o != a {
			others = append(others, far{o, vec.SquaredDistance(c.centres.Row(o), centre)})
		}
	}
	slices.SortFunc(others, byDistance)
	for _, o := range others[:min(besides, len(others))] {
		members := c.members[o.i]
		for _, i := range members[:min(mostOwn, len(members))] {
			events = append(events, far{i, vec.SquaredDistance(mu.Row(i), centre)})
		}
	}
	slices.SortFunc(events, byDistance)
	events = events[:min(around, len(events))]
	list := make([]int, len(events))
	for j, e := range events {
		list[j] = e.i
	}
	return list
}

// nearestRow returns the row of z that is nearest to x.
func nearestRow(z vec.Matrix[float64], x []float64) (at int) {
	best := math.Inf(1)
	for a := range z.Rows {
		if v := vec.SquaredDistance(x, z.Row(a)); v < best {
			best, at = v, a
		}
	}
	return at
}

// trained is a part with its sites.
type trained struct {
	*part
	rows []int
	own  int // number of rows that belong to the part
	all  []*ep.Sparse
	did  ep.Result
}

// train learns the process of the events rows; the first own of them belong to the part. Sites
// start from those of old, in its part before.
func (k *known) train(rows []int, own, inducing int, s scale, how ep.Settings, old *warm, before int, seed uint64) (*trained, error) {
	n, d := len(rows), k.mu.Cols
	in := psi.Inputs{Mu: vec.Take(k.mu, rows), S: vec.New[float64](n, d)}
	t := &trained{part: k.part(rows), rows: rows, own: own, did: ep.Result{Converged: true}}
	for i, row := range rows {
		for q := range d {
			in.S.Row(i)[q] = s.Spread * k.variance[row]
		}
	}
	if len(t.classes) == 1 {
		return t, nil
	}
	length := s.Length * extent(in.Mu)
	kernel := &psi.Kernel{Variance: s.Variance, Alpha: slices.Repeat([]float64{1 / (length * length)}, d)}
	p, err := ep.NewProcess(kernel, in, centres(in.Mu, min(inducing, n), seed), 1)
	if err != nil {
		return t.unlessIndefinite(err)
	}
	for _, c := range t.classes[:functions(len(t.classes))] {
		y := make([]float64, n)
		for i, row := range rows {
			if y[i] = -1; k.class[row] == c {
				y[i] = 1
			}
		}
		one, err := ep.NewSparse(ep.Probit{}, p, y)
		if err != nil {
			return t.unlessIndefinite(err)
		}
		if err := old.carry(one, k, c, rows, before); err != nil {
			return t.unlessIndefinite(err)
		}
		did, err := one.Run(how)
		if err != nil {
			return t.unlessIndefinite(err)
		}
		t.did.Sweeps, t.did.Negative = max(t.did.Sweeps, did.Sweeps), t.did.Negative+did.Negative
		t.did.Converged = t.did.Converged && did.Converged
		t.all = append(t.all, one)
	}
	t.joint = ep.NewJoint(t.all)
	return t, nil
}

// unlessIndefinite leaves a part without a process if its matrices are not positive definite.
func (t *trained) unlessIndefinite(err error) (*trained, error) {
	var indefinite *spd.IndefiniteError
	if errors.As(err, &indefinite) {
		t.all, t.joint, err = nil, nil, nil
	}
	return t, err
}

// part returns the classes of events.
func (k *known) part(rows []int) *part {
	count := make([]float64, len(k.names))
	for _, row := range rows {
		count[k.class[row]]++
	}
	p := &part{events: len(rows)}
	for c, n := range count {
		if n > 0 {
			p.classes = append(p.classes, int32(c))
			p.share = append(p.share, n/float64(len(rows)))
		}
	}
	return p
}

// spread writes the log probabilities of all classes from those of the part's own classes, in work.
// It leaves a share for other classes, as for one further event.
func (p *part) spread(dst, work, prior []float64) {
	other := 1 / float64(p.events+2)
	for c, v := range prior {
		dst[c] = other * v
	}
	for k, c := range p.classes {
		dst[c] += (1 - other) * work[k]
	}
	for c, v := range dst {
		dst[c] = math.Log(v)
	}
}

// classify writes the log probabilities of classes from the means and variances of the functions.
func (p *part) classify(dst, work, mean, variance, prior []float64) {
	work = work[:len(p.classes)]
	if p.joint == nil {
		copy(work, p.share)
	} else {
		normalise(work, mean, variance)
	}
	p.spread(dst, work, prior)
}

// others writes the leave-one-out prediction of the part's event i, from the cavity of its site.
func (t *trained) others(dst, work, prior []float64, i int) {
	mean, variance := make([]float64, len(t.all)), make([]float64, len(t.all))
	for f, s := range t.all {
		if tau := s.CavTau[i]; tau > 0 {
			mean[f], variance[f] = s.CavNu[i]/tau, 1/tau
		} else {
			variance[f] = t.joint.Kernel.Variance
		}
	}
	t.classify(dst, work, mean, variance, prior)
}

// learnLocal learns the processes of all parts. It writes leave-one-out predictions of the first
// events to opinion ofLocal of held.
func (k *known) learnLocal(ctx context.Context, c *cut, s scale, set Settings, old *warm, held *opinions, r *Report) (*local, *warm, error) {
	l := &local{scale: s, centres: c.centres, parts: make([]*part, c.centres.Rows)}
	done, failed := make([]*trained, len(l.parts)), make([]error, len(l.parts))
	next := newWarm(k, c)
	par.Do(set.Threads, len(l.parts), func(a int) {
		if failed[a] = ctx.Err(); failed[a] != nil {
			return
		}
		members := c.members[a]
		learnt := min(mostOwn, len(members))
		t, err := k.train(c.learn[a], learnt, set.Inducing, s, epSettings(set), old, old.nearest(c.centres.Row(a)), set.Seed)
		if err != nil {
			failed[a] = err
			return
		}
		work := make([]float64, len(k.names))
		for i, row := range members[:learnt] {
			if row < held.n {
				t.others(held.at(row, 0), work, k.prior, i)
			}
		}
		if rest := slices.DeleteFunc(slices.Clone(members[learnt:]), func(row int) bool { return row >= held.n }); len(rest) > 0 {
			out := newOpinions(len(rest), 1, len(k.names))
			t.predict(out.at, k.inputs(rest, s.Spread), k.prior)
			for i, row := range rest {
				copy(held.at(row, 0), out.at(i, 0))
			}
		}
		next.keep(a, t)
		t.all = nil
		done[a], l.parts[a] = t, t.part
	})
	r.Converged = true
	for a, t := range done {
		if failed[a] != nil {
			return nil, nil, failed[a]
		}
		r.Sweeps, r.Negative, r.Converged = max(r.Sweeps, t.did.Sweeps), r.Negative+t.did.Negative, r.Converged && t.did.Converged
	}
	return l, next, nil
}

// epSettings returns the settings of the sweeps.
func epSettings(set Settings) ep.Settings { return ep.Settings{Sweeps: set.Sweeps, Tolerance: settled} }

// inputs returns the places of events with spread times their variances.
func (k *known) inputs(rows []int, spread float64) psi.Inputs {
	in := psi.Inputs{Mu: vec.Take(k.mu, rows), S: vec.New[float64](len(rows), k.mu.Cols)}
	for i, row := range rows {
		for q := range k.mu.Cols {
			in.S.Row(i)[q] = spread * k.variance[row]
		}
	}
	return in
}

// predict writes the opinion on each input i to at(i, 0).
func (p *part) predict(at func(i, e int) []float64, in psi.Inputs, prior []float64) {
	n, work := in.Mu.Rows, make([]float64, len(prior))
	if p.joint == nil {
		for i := range n {
			p.classify(at(i, 0), work, nil, nil, prior)
		}
		return
	}
	functions := p.joint.Gamma.Cols
	mean, variance := vec.New[float64](n, functions), vec.New[float64](n, functions)
	p.joint.Predict(mean, variance, in, 1)
	for i := range n {
		p.classify(at(i, 0), work, mean.Row(i), variance.Row(i), prior)
	}
}

// predict writes the opinions of the parts on places to opinion ofLocal of out.
func (l *local) predict(out *opinions, mu vec.Matrix[float32], sigma []float32, prior []float64) {
	x, byPart := vec.Convert[float64](mu), make(map[int][]int)
	for i := range x.Rows {
		a := nearestRow(l.centres, x.Row(i))
		byPart[a] = append(byPart[a], i)
	}
	for a, rows := range byPart {
		in := psi.Inputs{Mu: vec.Take(x, rows), S: vec.New[float64](len(rows), x.Cols)}
		for i, row := range rows {
			for q := range x.Cols {
				in.S.Row(i)[q] = l.scale.Spread * float64(sigma[row]) * float64(sigma[row])
			}
		}
		l.parts[a].predict(func(i, _ int) []float64 { return out.at(rows[i], 0) }, in, prior)
	}
}
