package labels

import (
	"context"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// Settings of training; the zero value works.
type Settings struct {
	// Inducing is the number of inducing inputs of a part of the map, 0 means 24.
	Inducing int
	// Most bounds the labelled events that are used, 0 means 50000. The same ones are
	// taken again the next time.
	Most int
	// Certain leaves the events' scales out.
	Certain bool
	// Fixed keeps the kernel of the older Classifier; without one, or if that was
	// learnt from less than half as many events, it is learnt.
	Fixed bool
	// Sweeps is the most sweeps over the sites, 0 means 20.
	Sweeps int
	// Classes is the largest number of classes, 0 means 128. Of more than 128, each has to have two
	// labelled events on average: otherwise the labels are likely to be something else.
	Classes int
	Seed    uint64
	Threads int
}

// Swift are settings for learning beside a stream, so that tens of classes hold up a map
// by some seconds at most on one core.
func Swift() Settings { return Settings{Most: defaultPool, Sweeps: 6} }

func (s Settings) withDefaults() Settings {
	for _, v := range []struct {
		at   *int
		when int
	}{{&s.Inducing, 24}, {&s.Most, 50000}, {&s.Sweeps, 20}, {&s.Classes, mostClasses}} {
		if *v.at == 0 {
			*v.at = v.when
		}
	}
	return s
}

// mostClasses is the largest number of classes unless Settings.Classes allows more: beyond, the
// labels are likely to be something else, such as the numbers of events.
const mostClasses = 128

// settled is the share by which sites may still move when sweeping ends.
const settled = 1e-4

// judged is how many events, with what the others say of them, opinions are blended by.
const judged = 4096

// Report is what training has done.
type Report struct {
	Labelled, Used int // events with a label, and those taken
	Classes        int
	Parts          int // of the map, with a process each
	Sweeps         int // of the process that took most
	Converged      bool
	Negative       int // visits left out, see ep.Result
	Warm           int // events whose sites were known
	Tried          int // kernels, for the one that was taken
}

// Train learns to predict classes, from those events that have one. It starts at the
// kernel and the sites of old, nil if there is none.
func Train(ctx context.Context, e Events, old *Classifier, set Settings) (*Classifier, Report, error) {
	set = set.withDefaults()
	r := Report{Classes: len(e.Names)}
	if r.Classes > set.Classes {
		return nil, r, models.BadInputf("there are %d classes among the labels, such as %q and %q: at most %d can be told apart; are these labels of classes?", r.Classes, e.Names[0], e.Names[1], set.Classes)
	}
	rows, err := e.labelled()
	if err != nil {
		return nil, r, err
	}
	r.Labelled = len(rows)
	if r.Classes > mostClasses && r.Labelled < 2*r.Classes {
		return nil, r, models.BadInputf("there are %d classes among the labels, such as %q and %q: of more than %d each needs two labels on average; are these labels of classes?", r.Classes, e.Names[0], e.Names[1], mostClasses)
	}
	rows = e.sample(rows, set)
	r.Used = len(rows)
	k := e.take(rows)
	c := &Classifier{Names: slices.Clone(e.Names), dims: e.Mu.Cols, prior: k.prior, learnt: r.Used}
	if old != nil && (old.dims != c.dims || old.local == nil) {
		old = nil
	}
	if err := c.poll(ctx, k, set); err != nil {
		return nil, r, err
	}
	// The memory of opinions does not grow with the classes beyond mostClasses.
	held := newOpinions(min(judged*mostClasses/max(mostClasses, len(c.Names)), r.Used), c.kinds(), len(c.Names))
	if err := c.hear(ctx, k, held, set); err != nil {
		return nil, r, err
	}
	if err := c.process(ctx, k, held, old, set, &r); err != nil {
		return nil, r, err
	}
	c.blend = learnBlend(held, k.class[:held.n], k.prior)
	if !set.Certain {
		c.blend = c.blend.learnSlopes(held, k.class[:held.n], k.variance[:held.n], k.prior)
	}
	return c, r, nil
}

// poll makes the voters.
func (c *Classifier) poll(ctx context.Context, k *known, set Settings) (err error) {
	if c.onMap, err = newVoters(ctx, vec.Convert[float32](k.mu), k.class, set.Threads); err != nil || k.seen.Rows == 0 {
		return err
	}
	c.inInput, err = newVoters(ctx, k.seen, k.class, set.Threads)
	return err
}

// process learns the processes on the map.
func (c *Classifier) process(ctx context.Context, k *known, held *opinions, old *Classifier, set Settings, r *Report) (err error) {
	parts, at := k.divide(set), scale{}
	var again *scale
	var sites *warm
	if old != nil {
		sites = old.warm
		if 2*old.learnt >= r.Used {
			again = &old.local.scale
		}
	}
	if again != nil && set.Fixed {
		at, c.learnt = *again, old.learnt
	} else if at, err = k.learnScale(ctx, parts, again, held, set, r); err != nil {
		return err
	}
	if set.Certain {
		at.Spread = 0
	}
	r.Parts, r.Warm = len(parts.learn), sites.count(k)
	c.local, c.warm, err = k.learnLocal(ctx, parts, at, set, sites, held, r)
	c.Spread = at.Spread
	return err
}

// hear chooses how votes are counted, and writes what the other events say of each of the
// first ones to held, but for the processes.
func (c *Classifier) hear(ctx context.Context, k *known, held *opinions, set Settings) (err error) {
	if len(k.class) == 1 {
		c.mapPoll, c.inputPoll = broad, broad // nobody else votes
		return nil
	}
	v, class := new(votes), k.class[:held.n]
	if v.onMap, err = c.onMap.others(ctx, held.n, set.Threads); err != nil {
		return err
	}
	c.mapPoll = choose(v.onMap, class, k.prior, set.Threads)
	if c.inInput != nil {
		if v.inInput, err = c.inInput.others(ctx, held.n, set.Threads); err != nil {
			return err
		}
		c.inputPoll = choose(v.inInput, class, k.prior, set.Threads)
		c.usual = usually(v.inInput)
		c.plane = k.learnLinear(held, set.Threads)
	}
	v.opinions(held, 0, c)
	return nil
}
