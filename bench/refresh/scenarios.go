package main

import (
	"context"
	"math/rand/v2"
	"time"

	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/sparse/knn"
)

// outcome is the content of a scenario's result file.
type outcome struct {
	Scenario, Data string
	Run            string // the run that measured it
	Toy            bool
	Size, Block    int
	Settings       string // as given, without defaults
	Steps          []step
	// Marks are comparisons of the live map with a fresh one, by name.
	Marks map[string]mark
	// Figures that only one scenario has.
	Figures map[string]float64
	// Graphs are the costs of the paper's neighbourhood graph.
	Graphs []graphCost `json:",omitempty"`
	// Environment describes the machine of the measurement.
	Environment string
	// Stream are the results of the stream of connections.
	Stream *prequential `json:",omitempty"`
	// Young are comparisons of stages with fits.
	Young []youngStage `json:",omitempty"`
}

// Names of marks and figures.
const (
	atStart = "start"
	atFull  = "full"   // the growing set has reached its size
	before  = "before" // the last refresh before the backstop
	atEnd   = "end"

	usedLate, usedOthers = "used late", "used others" // shares of old places with a point nearby
	againLate            = "used late after the major"
	againOthers          = "used others after the major"
)

// mark compares a live map with a fresh one of the same points.
type mark struct {
	After       int // refreshes
	Live, Fresh quality
	FreshCPU    float64 // seconds
}

// lab is the context of all scenarios.
type lab struct {
	d    *data
	size int // R
	min  int // the growing map's first points
	long int // refreshes of a cycle: the backstop
	set  live.Settings
	say  func(format string, args ...any)

	conns   *connections
	dir     string // of the data, empty: what is bundled
	out     string // of results
	program string // unfold, whose stages are run
	threads int
	traffic struct {
		size              int // of the reference set
		first, block, few int // events
		refit             int
	}
	still                 time.Duration // of placing without a refresh, before every one
	large, starts, probes int           // of restart: points, starts, and events placed
	venv, noPeers         string        // the peers' environment, or why there is none

	// seen, if not nil, is called with every map; then none is judged.
	seen func(f *follower) error
}

// follow learns the first map of rows.
func (l *lab) follow(ctx context.Context, rows []int32) (*follower, error) {
	f, err := follow(ctx, l.d, rows, l.set, l.say)
	if err == nil && l.seen != nil {
		f.seen = l.seen
		err = l.seen(f)
	}
	return f, err
}

// scenario is a course of events.
type scenario struct {
	name string
	run  func(l *lab, ctx context.Context, o *outcome) error
}

// scenarios returns all scenarios in the order of the page.
func scenarios() []scenario {
	return []scenario{
		{stationary, (*lab).stationary}, {growth, (*lab).growth}, {appears, (*lab).appears}, {leaves, (*lab).leaves},
		{gaussian, (*lab).paper}, {inOrder, (*lab).kdd}, {serving, (*lab).serve}, {restart, (*lab).restart},
		{young, (*lab).stages},
	}
}

const (
	stationary = "stationary"
	growth     = "growth"
	appears    = "appears"
	leaves     = "leaves"
	gaussian   = "gaussian"
	inOrder    = "kdd"
	serving    = "serving"
	restart    = "restart"
	young      = "young"
)

// connections reads them once.
func (l *lab) connections(ctx context.Context) (c *connections, err error) {
	if l.conns == nil {
		l.conns, err = readConnections(ctx, l.dir, l.traffic.first, l.traffic.few)
	}
	return l.conns, err
}

func (l *lab) block() int { return max(1, l.size/100) }

// mark judges the present map.
func (l *lab) mark(ctx context.Context, f *follower, o *outcome, name string) error {
	if l.seen != nil {
		return nil
	}
	mine, theirs, err := f.compare(ctx, l.set)
	if err != nil {
		return err
	}
	o.Marks[name] = mark{After: len(f.steps), Live: mine, Fresh: theirs.quality, FreshCPU: theirs.CPU}
	o.Steps = f.steps
	return nil
}

// upTo lists the numbers below n.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// replace replaces random members by blocks of events, with a refresh after each.
func (l *lab) replace(ctx context.Context, f *follower, events []int32, refreshes int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 0x4ef))
	for range refreshes {
		block := events[:min(l.block(), len(events))]
		events = events[len(block):]
		out := r.Perm(len(f.rows))[:len(block)]
		if err := f.arrive(ctx, block, out); err != nil {
			return err
		}
		if err := f.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stationary is a full set. A hundredth of it is replaced before every refresh, up to and including
// the backstop.
func (l *lab) stationary(ctx context.Context, o *outcome) error {
	f, err := l.follow(ctx, upTo(l.size))
	if err != nil {
		return err
	}
	if err := l.mark(ctx, f, o, atStart); err != nil {
		return err
	}
	rest := upTo(l.d.x.Rows)[l.size:]
	if err := l.replace(ctx, f, rest, l.long-1, 1); err != nil {
		return err
	}
	if err := l.mark(ctx, f, o, before); err != nil {
		return err
	}
	if err := l.replace(ctx, f, rest[(l.long-1)*l.block():], 1, 2); err != nil {
		return err
	}
	return l.mark(ctx, f, o, atEnd)
}

// growth streams seven rows for two members, so that the set grows to its size and is then a
// reservoir. A refresh is due when a hundredth of the set's number has arrived.
func (l *lab) growth(ctx context.Context, o *outcome) error {
	f, err := l.follow(ctx, upTo(l.min))
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(3, 0x4ef))
	rows := min(l.d.x.Rows, 7*l.size/2)
	for at := l.min; at < rows; {
		n := min(max(1, len(f.rows)/100), rows-at)
		growing := len(f.rows) < l.size
		if growing {
			n = min(n, l.size-len(f.rows))
		}
		block, out := upTo(at + n)[at:], make([]int, n)
		for i := range out {
			if out[i] = added; !growing {
				out[i] = algorithmR(r, at+i, l.size)
			}
		}
		if err := f.arrive(ctx, block, out); err != nil {
			return err
		}
		if err := f.refresh(ctx); err != nil {
			return err
		}
		at += n
		if growing && len(f.rows) == l.size {
			if err := l.mark(ctx, f, o, atFull); err != nil {
				return err
			}
		}
	}
	return l.mark(ctx, f, o, atEnd)
}

// algorithmR returns which member event n, from 0, replaces, or that it is not stored (Vitter
// 1985).
func algorithmR(r *rand.Rand, n, size int) int {
	if o := r.IntN(n + 1); o < size {
		return o
	}
	return passes
}

// appears is a class that is missing at first.
func (l *lab) appears(ctx context.Context, o *outcome) error {
	_, others := l.d.split()
	known := others[:l.size]
	f, err := l.follow(ctx, known)
	if err != nil {
		return err
	}
	if err := l.mark(ctx, f, o, atStart); err != nil {
		return err
	}
	used := make([]bool, l.d.x.Rows)
	for _, i := range known {
		used[i] = true
	}
	var rest []int32
	for i := range used {
		if !used[i] {
			rest = append(rest, int32(i))
		}
	}
	r := rand.New(rand.NewPCG(5, 0x4ef))
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	if err := l.replace(ctx, f, rest, l.long*6/10, 2); err != nil {
		return err
	}
	return l.mark(ctx, f, o, atEnd)
}

// leaves is a window over a stream in which a class disappears: when its last member has left, and
// after the following major refresh.
func (l *lab) leaves(ctx context.Context, o *outcome) error {
	f, err := l.follow(ctx, upTo(l.size))
	if err != nil {
		return err
	}
	old, err := f.places()
	if err != nil {
		return err
	}
	class := l.d.labels(f.rows)
	_, others := l.d.split()
	for len(others) > 0 && int(others[0]) < l.size {
		others = others[1:]
	}
	oldest := 0
	for k := range l.long {
		block := others[:l.block()]
		others = others[len(block):]
		out := make([]int, len(block))
		for i := range out {
			out[i] = (oldest + i) % l.size
		}
		oldest += len(block)
		if err := f.arrive(ctx, block, out); err != nil {
			return err
		}
		if err := f.refresh(ctx); err != nil {
			return err
		}
		switch k {
		case l.long - 2:
			if o.Figures[usedLate], o.Figures[usedOthers], err = f.used(old, class); err != nil {
				return err
			}
			if err := l.mark(ctx, f, o, before); err != nil {
				return err
			}
		case l.long - 1:
			if o.Figures[againLate], o.Figures[againOthers], err = f.used(old, class); err != nil {
				return err
			}
		}
	}
	return l.mark(ctx, f, o, atEnd)
}

// used returns the shares of old places of the late class, and of the others, that have a point of
// the present map within a hundredth of the diameter.
func (f *follower) used(old vec.Matrix[float64], class []int32) (late, others float64, err error) {
	mu, err := f.places()
	if err != nil {
		return 0, 0, err
	}
	near, err := knn.NewExact(vec.Convert[float32](mu)).Search(context.Background(), vec.Convert[float32](old), 1, knn.Settings{})
	if err != nil {
		return 0, 0, err
	}
	var all, there [2]float64
	reach := live.Diameter(mu) / 100
	for i, d2 := range near.Dist2 {
		which := 0
		if class[i] == f.d.late {
			which = 1
		}
		all[which]++
		if d2 <= reach*reach {
			there[which]++
		}
	}
	return there[1] / max(all[1], 1), there[0] / max(all[0], 1), nil
}
