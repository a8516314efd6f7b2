package farfield

import (
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// AnchorSettings are the settings of NewAnchors. The zero value is the default.
type AnchorSettings struct {
	// Anchors is the number of cells; default 2 sqrt n, at least 600. A point then has 4 sqrt n
	// sources.
	Anchors int
	// Near is the number of nearest cells, a point's own included, whose members are its sources
	// one by one; default 4.
	Near int
	// Seed chooses the anchors.
	Seed uint64
	// Exact is the number of points below which all pairs are computed; default 2000, negative:
	// never.
	Exact int
}

func (s AnchorSettings) withDefaults(n int) AnchorSettings {
	if s.Anchors <= 0 {
		s.Anchors = max(600, int(2*math.Sqrt(float64(n))))
	}
	if s.Near <= 0 {
		s.Near = 4
	}
	if s.Exact == 0 {
		s.Exact = ExactBelow
	}
	return s
}

// anchorRun is the largest number of targets of a batch of Anchors.
const anchorRun = 128

// Anchors approximates the sum over all points: a point's sources are the members of the cells
// nearest to its own, and the centroids of all other cells. A cell is the set of points nearest to
// one of some random anchors, which every Move draws again.
type Anchors struct {
	n, d     int
	settings AnchorSettings
	delta2   []float64
	moves    uint64

	pool    []int32 // point numbers; the anchors come first
	finder  finder
	cell    []int32 // of each point
	order   []int32 // points by cell, ascending within a cell
	points  Columns // in that order
	end     []int32 // of each anchor's members in that order
	first   []int32 // cell c is order[first[c]:first[c+1]]
	centres Columns // of the cells
	count   []float64
	near    []int32 // cells x Near, the own first, then nearest first
	away    []float64
	runs    []run
	pairs   int64
	crew    crew
}

// run is a range of members of a cell, by their positions in the order.
type run struct{ cell, from, to int32 }

// NewAnchors returns the field of random cells of len(delta2) points in dims dimensions; delta2 are
// their Delta_i^2, kept without a copy. With fewer points than s.Exact it is All.
func NewAnchors(delta2 []float64, dims int, s AnchorSettings) Field {
	n := len(delta2)
	s = s.withDefaults(n)
	if n < s.Exact || n == 0 {
		return NewAll(delta2, dims)
	}
	m := min(s.Anchors, n)
	s.Near = min(s.Near, m)
	a := &Anchors{n: n, d: dims, settings: s, delta2: delta2}
	a.pool = identity(n)
	a.finder = newFinder(m, dims)
	a.cell = make([]int32, n)
	a.order = identity(n)
	a.points = newColumns(n, dims)
	a.end = make([]int32, m+1)
	a.first = make([]int32, 0, m+1)
	a.centres = newColumns(m, dims)
	a.count = make([]float64, m)
	a.near = make([]int32, m*s.Near)
	a.away = make([]float64, m*s.Near)
	a.crew.dims = dims
	return a
}

// Move copies the current state and draws new anchors, from the seed and the number of moves so
// far.
func (a *Anchors) Move(threads int, mu vec.Matrix[float64], sigma2 []float64) {
	check(a.n, a.d, mu, sigma2)
	a.draw()
	a.finder.set(threads, mu, a.pool[:a.finder.m])
	// Points of one cell of the last move are close together, so each tries the anchor of the
	// previous point first. This only affects the speed.
	par.Ranges(threads, a.n, 1024, func(_, from, to int) {
		guess := int(a.finder.sites[0])
		for _, i := range a.order[from:to] {
			guess = a.finder.nearest(mu.Row(int(i)), guess)
			a.cell[i] = a.finder.share(guess, i)
		}
	})
	a.gather()
	par.Ranges(threads, a.n, 4096, func(_, from, to int) {
		a.points.fill(mu, sigma2, a.delta2, a.order, from, to)
	})
	par.Do(threads, a.cells(), a.centre)
	par.Do(threads, a.cells(), a.neighbours)
	a.cut()
}

// draw moves a new uniform sample of points to the front of the pool.
func (a *Anchors) draw() {
	var pcg rand.PCG
	pcg.Seed(a.settings.Seed, a.moves)
	r := rand.New(&pcg)
	a.moves++
	for i := range a.finder.m {
		j := i + r.IntN(a.n-i)
		a.pool[i], a.pool[j] = a.pool[j], a.pool[i]
	}
	slices.Sort(a.pool[:a.finder.m])
}

// gather sorts the points by cell and drops empty cells.
func (a *Anchors) gather() {
	clear(a.end)
	for _, c := range a.cell {
		a.end[c+1]++
	}
	for c := range a.finder.m {
		a.end[c+1] += a.end[c]
	}
	for i, c := range a.cell {
		a.order[a.end[c]] = int32(i)
		a.end[c]++
	}
	// Filling has moved the start of each cell to its end.
	a.first = append(a.first[:0], 0)
	for _, e := range a.end[:a.finder.m] {
		if e > a.first[len(a.first)-1] {
			a.first = append(a.first, e)
		}
	}
}

// cells returns the number of cells with members.
func (a *Anchors) cells() int { return len(a.first) - 1 }

// centre computes the centroid and the other means of cell c.
func (a *Anchors) centre(c int) {
	from, to := a.first[c], a.first[c+1]
	a.count[c] = float64(to - from)
	for j := range a.d + 2 {
		var s float64
		for _, x := range a.points.column(j)[from:to] {
			s += x
		}
		a.centres.column(j)[c] = s / a.count[c]
	}
}

// neighbours finds the cells with the centroids nearest to that of cell c, c itself first.
func (a *Anchors) neighbours(c int) {
	want := min(a.settings.Near, a.cells())
	near := a.near[c*a.settings.Near:][:want]
	away := a.away[c*a.settings.Near:][:want]
	near[0], away[0] = int32(c), -1
	found := 1
	for b := range a.cells() {
		if b == c {
			continue
		}
		var q float64
		for _, m := range a.centres.Mu {
			x := m[b] - m[c]
			q += x * x
		}
		q = comparable(q)
		p := found
		if found == want {
			if want == 1 || q >= away[want-1] {
				continue
			}
			p--
		} else {
			found++
		}
		for ; p > 1 && q < away[p-1]; p-- {
			near[p], away[p] = near[p-1], away[p-1]
		}
		near[p], away[p] = int32(b), q
	}
}

// cut divides the cells into runs and counts the pairs.
func (a *Anchors) cut() {
	a.runs, a.pairs = a.runs[:0], -int64(a.n)
	for c := range a.cells() {
		sources := int64(a.cells())
		for _, b := range a.met(c) {
			sources += int64(a.first[b+1]-a.first[b]) - 1
		}
		from, to := a.first[c], a.first[c+1]
		a.pairs += sources * int64(to-from)
		for ; from < to; from += anchorRun {
			a.runs = append(a.runs, run{int32(c), from, min(to, from+anchorRun)})
		}
	}
}

// met returns the cells whose members are sources of the members of c, c first.
func (a *Anchors) met(c int) []int32 {
	return a.near[c*a.settings.Near:][:min(a.settings.Near, a.cells())]
}

// Sweep visits runs of the cells. Their sources are the members of the near cells, beginning with
// their own cell, and then the centroids of the others.
func (a *Anchors) Sweep(threads int, visit func(b *Batch)) {
	a.crew.run(threads, len(a.runs), func(w *worker, k int) {
		r := a.runs[k]
		own := int(r.cell)
		w.clear()
		for _, c := range a.met(own) {
			from, to := int(a.first[c]), int(a.first[c+1])
			w.copySources(w.room(to-from), &a.points, from, to)
		}
		near := w.sorted(a.met(own))
		from := 0
		for _, c := range near {
			w.groups(&a.centres, a.count, from, int(c))
			from = int(c) + 1
		}
		w.groups(&a.centres, a.count, from, a.cells())
		b := w.gathered()
		b.Points = a.order[r.from:r.to]
		b.Targets.view(&a.points, int(r.from), int(r.to))
		b.Self = int(r.from - a.first[own])
		visit(b)
	})
}

// Random reports true.
func (a *Anchors) Random() bool { return true }

// Pairs returns the number of pairs, a centroid counted as one.
func (a *Anchors) Pairs() int64 { return a.pairs }

// Bytes returns the memory of a in bytes.
func (a *Anchors) Bytes() int64 {
	return a.points.bytes() + a.centres.bytes() + a.finder.bytes() + a.crew.bytes() +
		4*int64(len(a.pool)+len(a.cell)+len(a.order)+len(a.end)+cap(a.first)+len(a.near)+3*cap(a.runs)) +
		8*int64(len(a.count)+len(a.away))
}
