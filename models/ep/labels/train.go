package labels

import (
	"context"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// Settings are the settings of training; the zero value works.
type Settings struct {
	// Inducing is the number of inducing inputs per part of the map; 0 means 24.
	Inducing int
	// Most bounds the number of labelled events that are used; 0 means 50000. The choice is the
	// same in every training.
	Most int
	// Certain ignores the events' scales.
	Certain bool
	// Fixed keeps the kernel of the older Classifier. It is learnt anyway if there is none, or if
	// that was learnt from less than half as many events.
	Fixed bool
	// Sweeps is the most sweeps over the sites, 0 means 20.
	Sweeps int
	// Classes is the largest number of classes, 0 means 128. Of more than 128, each has to have two
	// labelled events on average: otherwise the labels are likely to be something else.
	Classes int
	Seed    uint64
	Threads int
}

// Swift returns settings for training during a stream. With tens of classes, it delays a map by at
// most some seconds on one core.
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

// mostClasses is the largest number of classes. If there are more, labels are probably something
// else, such as the numbers of events.
const mostClasses = 128

// settled is the relative change of sites below which sweeping ends.
const settled = 1e-4

// judged is the number of events from whose leave-one-out predictions the blend is learnt.
const judged = 4096

// Report is the report of training.
type Report struct {
	Labelled, Used int // events with a label, and those that were used
	Classes        int
	Parts          int // parts of the map, with a process each
	Sweeps         int // the largest number of sweeps of a process
	Converged      bool
	Negative       int // visits left out, see ep.Result
	Warm           int // events whose sites were known
	Tried          int // kernels, for the one that was taken
	// Blur is the variance of places relative to the squared length scale of the process there,
	// which nine of ten events are below; 0 if the kernel was kept. Where it is small no variances
	// are tried.
	Blur float64
}

// Train learns to predict classes from the events that have one. It starts from the kernel and the
// sites of old, unless that is nil.
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

// hear chooses how votes are counted. It writes the leave-one-out opinions on the first events to
// held, except those of the processes.
func (c *Classifier) hear(ctx context.Context, k *known, held *opinions, set Settings) (err error) {
	if len(k.class) == 1 {
		c.mapPoll, c.inputPoll = broad, broad // there is no other voter
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
