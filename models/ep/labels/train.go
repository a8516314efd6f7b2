package labels

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/models"
	"unfold/models/ep"
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
	// Fixed keeps the kernel of the older Classifier; without one, or if that was
	// learnt from less than half as many events, it is learnt.
	Fixed bool
	// Once learns the kernel once, with the scales as they are, where it otherwise is learnt
	// with each factor of them: the factor is then chosen with that kernel.
	Once bool
	// Sweeps is the most sweeps over the sites, 0 means 20.
	Sweeps  int
	Seed    uint64
	Threads int
}

// Swift are settings for learning beside a stream, so that twenty classes hold up a map
// by a second or two on one core, where the zero value takes ten times as long.
func Swift() Settings { return Settings{Inducing: 64, Most: 1500, Sweeps: 6, Once: true} }

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

// mostClasses is how many classes are distinguished at most: beyond, the labels are
// likely to be something else, such as the numbers of events.
const mostClasses = 128

// settled is the share by which sites may still move when sweeping ends.
const settled = 1e-4

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

// Train learns to predict classes, from those events that have one. It starts at the
// kernel and the sites of old, nil if there is none.
func Train(ctx context.Context, e Events, old *Classifier, set Settings) (*Classifier, Report, error) {
	set = set.withDefaults()
	r := Report{Classes: len(e.Names)}
	if r.Classes > mostClasses {
		return nil, r, models.BadInputf("there are %d classes among the labels, such as %q and %q: at most %d can be told apart; are these labels of classes?", r.Classes, e.Names[0], e.Names[1], mostClasses)
	}
	rows, err := e.labelled()
	if err != nil {
		return nil, r, err
	}
	r.Labelled = len(rows)
	rows = e.sample(rows, set)
	r.Used = len(rows)
	h, learnt := e.hybrid(rows, old, set), r.Used
	again := old != nil && 2*old.learnt >= r.Used
	if again && set.Fixed {
		learnt = old.learnt
	} else if err := h.learnKernel(ctx, again, set, &r); err != nil {
		return nil, r, err
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
	c := &Classifier{Names: slices.Clone(e.Names), joint: ep.NewJoint(all), warm: next, learnt: learnt}
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
