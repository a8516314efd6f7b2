package labels

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"unfold/models"
	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/spd"
)

// Settings of training; the zero value works.
type Settings struct {
	// Inducing is the number of inducing inputs, 0 means 100.
	Inducing int
	// Most bounds the labelled events that are used, 0 means 3000. The same ones are
	// taken again the next time.
	Most int
	// Certain leaves the events' scales out.
	Certain bool
	// Fixed keeps the kernel of the older Classifier; without one it is learnt.
	Fixed bool
	// Sweeps is the most sweeps over the sites, 0 means 20.
	Sweeps  int
	Seed    uint64
	Threads int
}

func (s Settings) withDefaults() Settings {
	for _, v := range []struct {
		at   *int
		when int
	}{{&s.Inducing, 100}, {&s.Most, 3000}, {&s.Sweeps, 20}} {
		if *v.at == 0 {
			*v.at = v.when
		}
	}
	return s
}

// Of the first kernel: its length as a share of the map's, its variance, and what it
// is learnt from.
const (
	lengthShare   = 0.25
	firstVariance = 4
	learnRows     = 400
	learnInducing = 30
	mostVariance  = 1000 // beyond, probabilities are 0 and 1 anyway
	leastOthers   = 50   // from which the factor of the variances is chosen
	settled       = 1e-4
)

// factors are those of the variances to choose from.
var factors = []float64{1, 0.25, 0.0625, 0}

// Report is what training has done.
type Report struct {
	Labelled, Used int // events with a label, and those taken
	Classes        int
	Sweeps         int // of the class that took most
	Converged      bool
	Negative       int // visits left out, see ep.Result
	Warm           int // events whose sites were known
	Gradients      int // for the kernel
}

// warm are the sites of a training.
type warm struct {
	row   map[uint64]int
	sites map[string]*ep.Sites // by class
}

// Train learns to tell classes, from those events that have one. It starts at the
// kernel and the sites of old, nil if there is none.
func Train(ctx context.Context, e Events, old *Classifier, set Settings) (*Classifier, Report, error) {
	set = set.withDefaults()
	r := Report{Classes: len(e.Names)}
	rows, err := e.labelled()
	if err != nil {
		return nil, r, err
	}
	r.Labelled = len(rows)
	rows = e.sample(rows, set)
	r.Used = len(rows)
	h := e.hybrid(rows, old, set)
	if old == nil || !set.Fixed {
		if err := learnKernel(ctx, h, old != nil, set, &r); err != nil {
			return nil, r, err
		}
	}
	all, err := h.Sparse()
	if err != nil {
		return nil, r, err
	}
	next := &warm{row: make(map[uint64]int, len(rows)), sites: map[string]*ep.Sites{}}
	for i, row := range rows {
		next.row[e.key(row)] = i
	}
	for c, s := range all {
		if old != nil && old.warm != nil {
			if r.Warm, err = old.warm.carry(s, e.Names[c], rows, e); err != nil {
				return nil, r, err
			}
		}
		next.sites[e.Names[c]] = s.Sites
	}
	if err := run(ctx, all, set, &r); err != nil {
		return nil, r, err
	}
	c := &Classifier{Names: slices.Clone(e.Names), joint: ep.NewJoint(all), warm: next}
	if !set.Certain {
		c.Spread = h.spread
	}
	return c, r, nil
}

// run sweeps over the sites of all classes, side by side.
func run(ctx context.Context, all []*ep.Sparse, set Settings, r *Report) (err error) {
	var mu sync.Mutex
	r.Converged = true
	par.Do(set.Threads, len(all), func(c int) {
		if ctx.Err() != nil {
			return
		}
		did, failed := all[c].Run(ep.Settings{Sweeps: set.Sweeps, Tolerance: settled})
		mu.Lock()
		defer mu.Unlock()
		r.Sweeps, r.Negative = max(r.Sweeps, did.Sweeps), r.Negative+did.Negative
		r.Converged = r.Converged && did.Converged
		if failed != nil {
			err = failed
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}

func (e Events) key(row int) uint64 {
	if e.Key == nil {
		return uint64(row)
	}
	return e.Key[row]
}

// labelled lists the rows with a label and says what is wrong with them.
func (e Events) labelled() (rows []int, err error) {
	n := e.Mu.Rows
	if len(e.Sigma) != n || len(e.Class) != n || e.Key != nil && len(e.Key) != n {
		return nil, models.BadInputf("there are %d places, %d scales, %d classes and %d keys", n, len(e.Sigma), len(e.Class), len(e.Key))
	}
	for i, c := range e.Class {
		switch {
		case c < 0:
			continue
		case int(c) >= len(e.Names):
			return nil, models.BadInputf("row %d has class %d: there are %d", i, c, len(e.Names))
		case !(e.Sigma[i] >= 0) || math.IsInf(e.Sigma[i], 0):
			return nil, models.BadInputf("row %d has the scale %g: it must be a number not below zero", i, e.Sigma[i])
		}
		if err := models.CheckRows(e.Mu.Slice(i, i+1), nil); err != nil {
			return nil, models.BadInputf("place of row %d: %w", i, err)
		}
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return nil, models.BadInputf("no event has a label")
	}
	return rows, nil
}

// sample returns the rows to use, in an order that depends on their keys alone.
func (e Events) sample(rows []int, set Settings) []int {
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(mix(e.key(a)^set.Seed), mix(e.key(b)^set.Seed)), cmp.Compare(a, b))
	})
	return rows[:min(len(rows), set.Most)]
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// carry starts the sites of a class where they ended before, for events that are
// still there.
func (w *warm) carry(s *ep.Sparse, class string, rows []int, e Events) (known int, err error) {
	old := w.sites[class]
	if old == nil {
		return 0, nil
	}
	start := ep.NewSites(len(rows))
	for i, row := range rows {
		if j, ok := w.row[e.key(row)]; ok {
			start.Tau[i], start.Nu[i] = old.Tau[j], old.Nu[j]
			known++
		}
	}
	return known, s.Warm(start)
}

// model is a classifier under training.
type model struct {
	*ep.Hybrid
	// variance are the squared scales, of which spread times is used.
	variance vec.Matrix[float64]
	spread   float64
}

// hybrid sets up inputs, labels, inducing inputs and the kernel to begin with.
func (e Events) hybrid(rows []int, old *Classifier, set Settings) *model {
	n, d := len(rows), e.Mu.Cols
	functions := len(e.Names)
	if functions == 2 {
		functions = 1
	}
	h := &model{Hybrid: &ep.Hybrid{Threads: set.Threads, In: psi.Inputs{Mu: vec.Take(e.Mu, rows), S: vec.New[float64](n, d)}},
		variance: vec.New[float64](n, d), spread: 1}
	c := &ep.Classes{Y: vec.New[float64](n, functions)}
	for i, row := range rows {
		for q := range d {
			h.variance.Row(i)[q] = e.Sigma[row] * e.Sigma[row]
		}
		for k := range functions {
			if c.Y.Row(i)[k] = -1; e.Class[row] == int32(k) {
				c.Y.Row(i)[k] = 1
			}
		}
	}
	if old != nil && old.Dims() == d {
		c.Kernel = psi.Kernel{Variance: old.joint.Kernel.Variance, Alpha: slices.Clone(old.joint.Kernel.Alpha)}
		h.spread = old.Spread
	} else {
		c.Kernel = psi.Kernel{Variance: firstVariance, Alpha: make([]float64, d)}
		width := lengthShare * extent(h.In.Mu)
		for q := range c.Kernel.Alpha {
			c.Kernel.Alpha[q] = 1 / (width * width)
		}
	}
	c.Z = centres(h.In.Mu, min(set.Inducing, n), set.Seed)
	h.Classes = c
	if !set.Certain {
		h.spreadOut()
	}
	return h
}

func (h *model) spreadOut() {
	copy(h.In.S.Data, h.variance.Data)
	vec.Scale(h.spread, h.In.S.Data)
}

// extent is the root of the mean variance of the places, 1 if all are in one.
func extent(x vec.Matrix[float64]) float64 {
	mean, sum := make([]float64, x.Cols), 0.0
	for i := range x.Rows {
		vec.Axpy(1/float64(x.Rows), x.Row(i), mean)
	}
	for i := range x.Rows {
		sum += vec.SquaredDistance(x.Row(i), mean)
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum / float64(x.Rows))
}

// learnKernel moves the kernel to where the bound is higher, by part of the events,
// and takes the factor of the variances that foretells the classes of others best:
// the bound itself always prefers inputs without variance.
func learnKernel(ctx context.Context, h *model, again bool, set Settings, r *Report) error {
	n := min(h.In.Mu.Rows, learnRows)
	small := &ep.Hybrid{Threads: set.Threads,
		In:      psi.Inputs{Mu: h.In.Mu.Slice(0, n), S: h.In.S.Slice(0, n).Clone()},
		Classes: &ep.Classes{Kernel: psi.Kernel{Variance: h.Classes.Kernel.Variance, Alpha: slices.Clone(h.Classes.Kernel.Alpha)}, Z: centres(h.In.Mu.Slice(0, n), min(n, learnInducing), set.Seed), Y: h.Classes.Y.Slice(0, n)}}
	how := ep.LearnSettings{Rounds: 3, Steps: 5, Sweeps: 3, FixInputs: true, FixInducing: true, Tied: true}
	if again {
		how.Rounds, how.Steps = 1, 3
	}
	did, err := small.Learn(ctx, how)
	r.Gradients = did.Gradients
	var indefinite *spd.IndefiniteError
	if errors.As(err, &indefinite) {
		return nil // the kernel went too far: it stays what it was
	}
	if err != nil {
		return err
	}
	h.Classes.Kernel = small.Classes.Kernel
	small.Classes.Kernel.Variance = min(small.Classes.Kernel.Variance, mostVariance)
	h.Classes.Kernel.Variance = min(h.Classes.Kernel.Variance, mostVariance)
	others := min(h.In.Mu.Rows-n, learnRows)
	if set.Certain || others < leastOthers {
		return nil
	}
	most := math.Inf(-1)
	for _, factor := range factors {
		v, err := h.foretell(small, factor, n, n+others)
		if err != nil {
			return err
		}
		if v > most {
			most, h.spread = v, factor
		}
	}
	h.spreadOut()
	return nil
}

// foretell returns the sum of the log probabilities of the classes of rows from, ...
// by the sites of small, if places have factor times their variance.
func (h *model) foretell(small *ep.Hybrid, factor float64, from, to int) (sum float64, err error) {
	n := small.In.S.Rows
	copy(small.In.S.Data, h.variance.Slice(0, n).Data)
	vec.Scale(factor, small.In.S.Data)
	all, err := small.Sparse()
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if _, err := s.Run(ep.Settings{Sweeps: 5, Tolerance: 1e-3}); err != nil {
			return 0, err
		}
	}
	in := psi.Inputs{Mu: h.In.Mu.Slice(from, to), S: h.variance.Slice(from, to).Clone()}
	vec.Scale(factor, in.S.Data)
	mean, variance := vec.New[float64](to-from, len(all)), vec.New[float64](to-from, len(all))
	ep.NewJoint(all).Predict(mean, variance, in, h.Threads)
	p := make([]float64, max(2, len(all)))
	for i := range to - from {
		normalise(p, mean.Row(i), variance.Row(i))
		class := 1 // the second of two
		for k, y := range h.Classes.Y.Row(from + i) {
			if y > 0 {
				class = k
			}
		}
		sum += math.Log(max(p[class], math.SmallestNonzeroFloat64))
	}
	return sum, nil
}

// centres returns m inducing inputs among x: k-means with a spread start (Arthur and
// Vassilvitskii, "k-means++", 2007).
func centres(x vec.Matrix[float64], m int, seed uint64) vec.Matrix[float64] {
	const rounds = 5
	rnd := rand.New(rand.NewPCG(seed, 1))
	z := vec.New[float64](m, x.Cols)
	d2, near := make([]float64, x.Rows), make([]int, x.Rows)
	for i := range d2 {
		d2[i] = 1
	}
	for a := range m {
		i := draw(d2, rnd.Float64())
		copy(z.Row(a), x.Row(i))
		for j := range d2 {
			if v := vec.SquaredDistance(x.Row(j), z.Row(a)); a == 0 || v < d2[j] {
				d2[j], near[j] = v, a
			}
		}
	}
	for range rounds {
		count, sum := make([]float64, m), vec.New[float64](m, x.Cols)
		for j, a := range near {
			count[a]++
			vec.Axpy(1, x.Row(j), sum.Row(a))
		}
		for a, n := range count {
			if n > 0 {
				copy(z.Row(a), sum.Row(a))
				vec.Scale(1/n, z.Row(a))
			}
		}
		for j := range near {
			best := math.Inf(1)
			for a := range m {
				if v := vec.SquaredDistance(x.Row(j), z.Row(a)); v < best {
					best, near[j] = v, a
				}
			}
		}
	}
	return z
}

// draw returns an index with a probability in proportion to weight.
func draw(weight []float64, u float64) int {
	sum := 0.0
	for _, w := range weight {
		sum += w
	}
	u *= sum
	for i, w := range weight {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weight) - 1
}
