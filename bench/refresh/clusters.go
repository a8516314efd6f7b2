package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/lvm"
	"unfold/models/score"
)

// choice are settings to compare: of identity, and m if it differs from the course's.
type choice struct {
	name    string
	set     identity.Settings
	samples int
}

// choices are all settings to compare, the defaults first.
var choices = []choice{
	{name: "the defaults", set: identity.Settings{}},
	{name: "no favour", set: identity.Settings{Favour: -1}},
	{name: "favour 0.5", set: identity.Settings{Favour: .5}},
	{name: "favour 2", set: identity.Settings{Favour: 2}},
	{name: "favour 5", set: identity.Settings{Favour: 5}},
	{name: "a memory of one map", set: identity.Settings{Memory: 1}},
	{name: "both: each map beside the one before alone", set: identity.Settings{Favour: -1, Memory: 1}},
	{name: "min_samples 10", samples: fewSamples},
}

// fewSamples is an m below the default, which equals the least size of a cluster.
const fewSamples = 10

// late lists the settings that the table of appearing classes shows.
var late = []choice{choices[0], choices[len(choices)-1]}

// course follows the clusters of a stream's maps.
type course struct {
	d    *data
	set  clusters.Settings
	runs []*kept
	rows []int32 // members of the previous map
	took []float64
	// fresh is true if the late class has a cluster on a map that is learnt from scratch, with lvm,
	// soon after it has enough points. Without lvm none is learnt.
	lvm   *lvm.Settings
	fresh bool
}

func newCourse(d *data, set clusters.Settings, list []choice) *course {
	c := &course{d: d, set: set}
	for _, how := range list {
		c.runs = append(c.runs, &kept{choice: how})
	}
	return c
}

// kept are the results for ids with one choice.
type kept struct {
	choice
	groups *identity.Groups
	// refreshes are the changes after the first map.
	refreshes      []change
	births, deaths int
	rand           float64 // summed over all maps
	maps           []lateMap
}

// change is a change between two maps, for the common points that were in a cluster which still
// exists: the shares that are in the same cluster, in none, and in another.
type change struct{ same, noise, other float64 }

// lateMap describes the late class on a map: the number of its points, and the clusters in which
// they are the majority. alive are all living clusters.
type lateMap struct {
	points int
	mostly []identity.ID
	alive  map[identity.ID]bool
}

// see processes the next map.
func (c *course) see(ctx context.Context, f *follower) error {
	mu, err := f.places()
	if err != nil {
		return err
	}
	stayed := make([]int32, len(f.rows))
	for o, row := range f.rows {
		if stayed[o] = -1; o < len(c.rows) && c.rows[o] == row {
			stayed[o] = int32(o)
		}
	}
	c.rows = append(c.rows[:0], f.rows...)
	found := map[int]*clusters.Clusters{} // by m
	for _, r := range c.runs {
		set := c.set
		set.MinSamples = cmp.Or(r.samples, set.MinSamples)
		if found[set.MinSamples] == nil {
			begin := time.Now()
			if found[set.MinSamples], err = clusters.Find(ctx, mu, set); err != nil {
				return err
			}
			c.took = append(c.took, time.Since(begin).Seconds())
		}
		g, _, err := identity.Name(found[set.MinSamples], mu, r.groups, stayed, set, r.set)
		if err != nil {
			return err
		}
		if err := r.add(c.d, f.rows, stayed, g); err != nil {
			return err
		}
	}
	return c.whole(ctx, f)
}

// whole evaluates a map of the same points that is learnt from scratch, soon after the late class
// has enough of them for a cluster.
func (c *course) whole(ctx context.Context, f *follower) error {
	sized, _, _, _ := c.runs[0].appeared(c.set.MinSize)
	if c.lvm == nil || sized < 0 || len(c.runs[0].maps)-1 != sized+soon {
		return nil
	}
	r, err := lvm.Fit(ctx, vec.Take(c.d.x, f.rows), *c.lvm, nil)
	if err != nil {
		return err
	}
	fresh := kept{}
	g, _, err := identity.Follow(ctx, r.Mu, nil, nil, c.set, identity.Settings{})
	if err != nil {
		return err
	}
	if err := fresh.add(c.d, f.rows, nil, g); err != nil {
		return err
	}
	c.fresh = len(fresh.maps[0].mostly) > 0
	return nil
}

// soon is the target number of refreshes until an appearing class has a cluster.
const soon = 3

// add records a map's clusters relative to the previous map.
func (r *kept) add(d *data, rows, stayed []int32, g *identity.Groups) error {
	m := lateMap{alive: map[identity.ID]bool{}}
	for _, c := range g.State.Clusters {
		m.alive[c.ID] = true
	}
	if before := r.groups; before != nil {
		r.refreshes = append(r.refreshes, changeOf(before, g, stayed))
	}
	for _, e := range g.Events {
		switch e.Kind {
		case identity.Born, identity.Split:
			r.births++
		case identity.Died, identity.Merged:
			r.deaths++
		}
	}
	group, of, late := make([]int32, len(rows)), map[identity.ID]int{}, map[identity.ID]int{}
	for o, row := range rows {
		id := g.Point(o)
		group[o] = int32(id)
		of[id]++
		if d.class[row] == d.late {
			late[id]++
			m.points++
		}
	}
	for _, id := range g.ID {
		if 2*late[id] > of[id] {
			m.mostly = append(m.mostly, id)
		}
	}
	p, err := score.Partitions(group, d.labels(rows))
	if err != nil {
		return err
	}
	r.rand += p.Rand
	r.groups, r.maps = g, append(r.maps, m)
	return nil
}

func changeOf(before, after *identity.Groups, stayed []int32) change {
	there := map[identity.ID]bool{}
	for _, id := range after.ID {
		there[id] = true
	}
	var same, noise, other float64
	for o, was := range stayed {
		if was < 0 || !there[before.Point(int(was))] {
			continue
		}
		switch after.Point(o) {
		case before.Point(int(was)):
			same++
		case identity.Noise:
			noise++
		default:
			other++
		}
	}
	all := max(1, same+noise+other)
	return change{same / all, noise / all, other / all}
}

// mean returns the mean change; worst is the least share of the same.
func (r *kept) mean() (m change, worst float64) {
	worst = 1
	for _, t := range r.refreshes {
		m.same, m.noise, m.other, worst = m.same+t.same, m.noise+t.noise, m.other+t.other, min(worst, t.same)
	}
	n := float64(max(1, len(r.refreshes)))
	return change{m.same / n, m.noise / n, m.other / n}, worst
}

// atLeast counts the refreshes in which at least that share kept their id.
func (r *kept) atLeast(share float64) (n int) {
	for _, t := range r.refreshes {
		if t.same >= share {
			n++
		}
	}
	return n
}

// appeared returns the refresh at which the late class first had enough points for a cluster, the
// refresh at which it had one, and its number of points; -1 for never. lasts is true if the last
// map has one.
func (r *kept) appeared(least int) (sized, born, points int, lasts bool) {
	sized, born = -1, -1
	for k, m := range r.maps {
		if sized < 0 && m.points >= least {
			sized = k
		}
		if born < 0 && len(m.mostly) > 0 {
			born, points = k, m.points
		}
	}
	return sized, born, points, len(r.maps[len(r.maps)-1].mostly) > 0
}

// left returns the refresh at which the last of the late class's first clusters disappeared, +Inf
// for never, NaN if it had none.
func (r *kept) left() float64 {
	of := r.maps[0].mostly
	if len(of) == 0 {
		return math.NaN()
	}
	for k, m := range r.maps {
		gone := true
		for _, id := range of {
			gone = gone && !m.alive[id]
		}
		if gone {
			return float64(k)
		}
	}
	return math.Inf(1)
}

// identities are the results for ids of clusters.
type identities struct {
	stationary      *course
	appears, leaves []classCourse
	window          int // refreshes
}

// classCourse are the results for the clusters of one class.
type classCourse struct {
	name string
	*course
}

// identities runs the stationary stream and, if wanted, for each class the streams in which it
// appears and leaves.
func (l *lab) identities(ctx context.Context, set clusters.Settings, wanted func(scenario string) bool) (*identities, error) {
	out := &identities{window: l.size / l.block()}
	l.say("%s", stationary)
	var err error
	if out.stationary, err = l.course(ctx, stationary, newCourse(l.d, set, choices)); err != nil {
		return nil, err
	}
	was := l.d.late
	defer func() { l.d.late = was }()
	for class, name := range l.d.names {
		l.d.late = int32(class)
		if wanted(appears) {
			l.say("class %s appears", name)
			c := newCourse(l.d, set, late)
			c.lvm = &l.set.LVM
			if c, err = l.course(ctx, appears, c); err != nil {
				return nil, err
			}
			out.appears = append(out.appears, classCourse{name, c})
		}
		if wanted(leaves) {
			l.say("class %s leaves", name)
			c, err := l.course(ctx, leaves, newCourse(l.d, set, choices[:1]))
			if err != nil {
				return nil, err
			}
			out.leaves = append(out.leaves, classCourse{name, c})
		}
	}
	return out, nil
}

// course runs a stream.
func (l *lab) course(ctx context.Context, name string, c *course) (*course, error) {
	l.seen = func(f *follower) error { return c.see(ctx, f) }
	for _, s := range scenarios() {
		if s.name == name {
			return c, s.run(l, ctx, &outcome{Marks: map[string]mark{}, Figures: map[string]float64{}})
		}
	}
	return nil, fmt.Errorf("there is no stream %q", name)
}
