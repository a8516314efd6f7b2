package main

import (
	"context"
	"slices"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/score"
	"unfold/sparse/knn"
	"unfold/stream/reference"
)

// prequential are the results of a stream in which each event is placed before it is learnt (Dawid
// 1984), block by block.
type prequential struct {
	Dim, Distinct     int
	First, Block      int
	Refit             int // events between two fits of a peer that cannot be updated
	Events            []int
	Unknown           []int // events of types that have not been learnt
	Types             int
	Refreshes, Majors int
	Maps              []contestant
	Local, Global     ranking
}

// contestant is a judged method of having a map.
type contestant struct {
	Name    string
	Missing string // why it could not be judged
	Every   int    // every n-th event was judged
	Judged  []int  // events of every block
	Wrong   []int  // events whose type differs from their neighbours' vote
	ByType  float64
	Fits    int
	Seconds float64 // CPU, of learning and placing
	errors  map[int32]*tally
}

// tally counts the events of one type.
type tally struct{ events, wrong int }

// ranking is how well a novelty separates events of unknown types from others: the area under the
// ROC curve over all events, and the mean of the areas of each unknown type against all known
// types.
type ranking struct{ Events, Types float64 }

// votes is the k of the label error.
const votes = 9

// block is the data for judging one block.
type block struct {
	events, class []int32 // rows, types
	rows          []int32 // the distinct ones, ascending
	members       []int32 // the reference set before the block
	labels        []int32 // of the members
}

// every returns a block with every n-th event.
func (b *block) every(n int) *block {
	if n == 1 {
		return b
	}
	thin := &block{members: b.members, labels: b.labels}
	for i := 0; i < len(b.events); i += n {
		thin.events, thin.class = append(thin.events, b.events[i]), append(thin.class, b.class[i])
	}
	thin.rows = slices.Compact(slices.Sorted(slices.Values(thin.events)))
	return thin
}

// judge counts wrong votes. The members are at known, the rows at placed.
func (c *contestant) judge(ctx context.Context, b *block, known, placed vec.Matrix[float32], labels []int32) error {
	nb, err := knn.NewExact(known).Search(ctx, placed, min(votes, known.Rows), knn.Settings{})
	if err != nil {
		return err
	}
	vote := make([]int32, len(b.rows))
	for i := range b.rows {
		near, _ := nb.Row(i)
		vote[i] = majority(near, labels)
	}
	if c.errors == nil {
		c.errors = map[int32]*tally{}
	}
	wrong := 0
	for i, e := range b.events {
		at, _ := slices.BinarySearch(b.rows, e)
		t := c.errors[b.class[i]]
		if t == nil {
			t = new(tally)
			c.errors[b.class[i]] = t
		}
		t.events++
		if vote[at] != b.class[i] {
			t.wrong++
			wrong++
		}
	}
	c.Judged, c.Wrong = append(c.Judged, len(b.events)), append(c.Wrong, wrong)
	return nil
}

// close computes the mean over types.
func (c *contestant) close() {
	types := make([]int32, 0, len(c.errors))
	for k := range c.errors {
		types = append(types, k)
	}
	slices.Sort(types) // sums in a fixed order
	for _, k := range types {
		c.ByType += float64(c.errors[k].wrong) / float64(c.errors[k].events) / float64(len(types))
	}
}

// majority returns the most frequent label of the nearest; ties go to the nearest one's.
func majority(near, labels []int32) int32 {
	count := map[int32]int{}
	best := labels[near[0]]
	for _, j := range near {
		count[labels[j]]++
	}
	for _, j := range near {
		if count[labels[j]] > count[best] {
			best = labels[j]
		}
	}
	return best
}

// traffic is the state of a followed stream.
type traffic struct {
	c     *connections
	set   *reference.Set
	m     *live.Map
	first models.Placer
	// rowOf is the row of a slot's point, seen the learnt types, label the last learnt label of
	// every row.
	rowOf  map[int32]int32
	seen   []bool
	label  []int32
	waited int
	// frozen are the rows' places on the first map, known the rows with a place.
	frozen vec.Matrix[float32]
	known  []bool
	blocks []block
	strange
}

// strange are the events' novelties.
type strange struct {
	old     [2][]float64           // local and global, of known types
	unknown map[int32][2][]float64 // of unknown ones
}

// patience is the number of blocks after which few changes trigger a refresh, as in package learn.
// share is the share of changes that triggers one at once.
const (
	patience = 60
	share    = 0.01
)

// follow learns the first map.
func (c *connections) follow(ctx context.Context, first, size int, set live.Settings) (*traffic, error) {
	ref, err := reference.New(reference.Settings{Size: size}, c.x.Cols, 0)
	if err != nil {
		return nil, err
	}
	t := &traffic{
		c: c, set: ref, rowOf: map[int32]int32{}, seen: make([]bool, len(c.names)), label: make([]int32, c.x.Rows),
		frozen: vec.New[float32](c.x.Rows, models.DefaultDims), known: make([]bool, c.x.Rows), strange: strange{unknown: map[int32][2][]float64{}},
	}
	t.learn(0, first)
	changes := ref.Changes()
	m, fitted, err := fit.Follow(ctx, changes.X, fit.Spec{PCA: fit.PCANone, NoveltyK: set.NoveltyK, Common: set.LVM.Common, LVM: set.LVM.Options}, set, nil)
	if err != nil {
		return nil, err
	}
	t.m = m.Map
	t.took(changes, fitted.Row)
	t.first, err = lvm.NewPlacer(t.m.Snapshot(), placing.Options{})
	return t, err
}

// learn adds events to the reference set.
func (t *traffic) learn(from, to int) {
	for i := from; i < to; i++ {
		row := t.c.event[i]
		t.set.Add(t.c.x.Row(int(row)), "", int64(i))
		t.label[row], t.seen[t.c.class[i]] = t.c.class[i], true
	}
}

func (t *traffic) took(changes reference.Changes, slots []int32) {
	t.set.Took(changes, slots)
	for i, s := range slots {
		t.rowOf[s] = t.c.row(changes.X.Row(i))
	}
}

// next places and judges events for all maps of this program, then learns them.
func (t *traffic) next(ctx context.Context, from, to int, p *prequential) error {
	b := block{events: t.c.event[from:to], class: t.c.class[from:to]}
	b.rows = slices.Compact(slices.Sorted(slices.Values(b.events)))
	for _, s := range t.m.Slots() {
		row := t.rowOf[s]
		b.members, b.labels = append(b.members, row), append(b.labels, t.label[row])
	}
	begin := harness.CPUSeconds()
	placer, err := lvm.NewPlacer(t.m.Snapshot(), placing.Options{})
	if err != nil {
		return err
	}
	placed, err := placer.Place(ctx, vec.Take(t.c.x, b.rows))
	if err != nil {
		return err
	}
	p.Maps[ownMap].Seconds += harness.CPUSeconds() - begin
	if err := p.Maps[ownMap].judge(ctx, &b, vec.Convert[float32](t.m.Snapshot().Mu), placed.Mu, b.labels); err != nil {
		return err
	}
	if err := t.judgeFrozen(ctx, &b, p); err != nil {
		return err
	}
	p.Events, p.Unknown = append(p.Events, len(b.events)), append(p.Unknown, t.judgeNovelty(&b, placed))
	t.blocks = append(t.blocks, b)
	t.learn(from, to)
	return t.refresh(ctx, placer, p)
}

// judgeFrozen judges the first map twice: with the present reference points placed on it, and with
// its own points only.
func (t *traffic) judgeFrozen(ctx context.Context, b *block, p *prequential) error {
	var need []int32
	for _, row := range append(slices.Clone(b.rows), b.members...) {
		if !t.known[row] {
			t.known[row] = true
			need = append(need, row)
		}
	}
	if len(need) > 0 {
		begin := harness.CPUSeconds()
		placed, err := t.first.Place(ctx, vec.Take(t.c.x, need))
		if err != nil {
			return err
		}
		for _, k := range []int{frozenMap, frozenAlone} {
			p.Maps[k].Seconds += harness.CPUSeconds() - begin
		}
		for i, row := range need {
			copy(t.frozen.Row(int(row)), placed.Mu.Row(i))
		}
	}
	at := vec.Take(t.frozen, b.rows)
	if err := p.Maps[frozenMap].judge(ctx, b, vec.Take(t.frozen, b.members), at, b.labels); err != nil {
		return err
	}
	own := b
	if len(t.blocks) > 0 {
		own = &t.blocks[0]
	}
	return p.Maps[frozenAlone].judge(ctx, b, vec.Take(t.frozen, own.members), at, own.labels)
}

// judgeNovelty stores the novelties and returns the number of events of unknown types.
func (t *traffic) judgeNovelty(b *block, placed models.Placed) (unknown int) {
	for i, e := range b.events {
		at, _ := slices.BinarySearch(b.rows, e)
		of := [2]float64{float64(placed.NoveltyLocal[at]), float64(placed.NoveltyGlobal[at])}
		to := t.old
		k := b.class[i]
		if !t.seen[k] {
			unknown++
			to = t.unknown[k]
		}
		for w := range to {
			to[w] = append(to[w], of[w])
		}
		if t.seen[k] {
			t.old = to
		} else {
			t.unknown[k] = to
		}
	}
	return unknown
}

// refresh updates the map to the reference set if enough has changed, like a learner of package
// learn.
func (t *traffic) refresh(ctx context.Context, placer models.Placer, p *prequential) error {
	fresh := t.set.Fresh()
	if fresh == 0 {
		t.waited = 0
		return nil
	}
	if float64(fresh) < share*float64(t.set.Len()) && t.waited < patience {
		t.waited++
		return nil
	}
	t.waited = 0
	begin := harness.CPUSeconds()
	changes := t.set.Changes()
	at, err := placer.Place(ctx, changes.X)
	if err != nil {
		return err
	}
	slots, err := t.m.Change(ctx, changes.Gone, changes.X, vec.Convert[float64](at.Mu))
	if err != nil {
		return err
	}
	t.took(changes, slots)
	t.m.Novelty(at.NoveltyLocal)
	r, err := t.m.Refresh(ctx)
	if err != nil {
		return err
	}
	p.Refreshes++
	if r.Kind == live.Major {
		p.Majors++
	}
	p.Maps[ownMap].Seconds += harness.CPUSeconds() - begin
	return nil
}

// rank computes how well novelty detects unknown types.
func (s *strange) rank(p *prequential) error {
	types := make([]int32, 0, len(s.unknown))
	for k := range s.unknown {
		types = append(types, k)
	}
	slices.Sort(types)
	p.Types = len(types)
	for w, to := range []*ranking{&p.Local, &p.Global} {
		var all []float64
		for _, k := range types {
			one, err := score.AUC(s.unknown[k][w], s.old[w])
			if err != nil {
				return err
			}
			to.Types += one / float64(len(types))
			all = append(all, s.unknown[k][w]...)
		}
		var err error
		if to.Events, err = score.AUC(all, s.old[w]); err != nil {
			return err
		}
	}
	return nil
}
