package multifrontal

import (
	"cmp"
	"slices"
)

// dissection is a tree that is being made.
type dissection struct {
	neighbors [][]int32
	most      int
	fronts    []Front
	// set is the number of the set that a point is in now, sets how many there were.
	set  []int32
	sets int32
	// dist is the distance from where a search began.
	dist  []int32
	queue []int32
}

// build adds the fronts of a set of points and returns the number of the topmost.
func (d *dissection) build(points []int32) int {
	front := Front{Own: points, Parent: -1}
	if len(points) > d.most {
		if left, separator, right := d.split(points); len(left) > 0 && len(right) > 0 {
			front.Own = separator
			a, b := d.build(left), d.build(right)
			d.fronts[a].Parent, d.fronts[b].Parent = len(d.fronts), len(d.fronts)
		}
	}
	slices.Sort(front.Own)
	d.fronts = append(d.fronts, front)
	return len(d.fronts) - 1
}

// split takes a set of points apart. No edge leads from left to right.
func (d *dissection) split(points []int32) (left, separator, right []int32) {
	set := d.gather(points)
	reached := slices.Clone(d.search(points[0], set))
	if len(reached) < len(points) {
		left, right = d.components(points, reached, set)
		return left, nil, right
	}
	a := reached[len(reached)-1]
	b := d.search(a, set)
	from := make(map[int32]int32, len(points))
	for _, i := range b {
		from[i] = d.dist[i]
	}
	d.search(b[len(b)-1], set)
	ordered := slices.Clone(points)
	slices.SortFunc(ordered, func(i, j int32) int {
		return cmp.Or(cmp.Compare(from[i]-d.dist[i], from[j]-d.dist[j]), cmp.Compare(from[i], from[j]), cmp.Compare(i, j))
	})
	half := len(ordered) / 2
	return d.separate(ordered[:half], ordered[half:])
}

// gather makes a set of points.
func (d *dissection) gather(points []int32) int32 {
	d.sets++
	for _, i := range points {
		d.set[i] = d.sets
	}
	return d.sets
}

// search visits what of a set can be reached from a point, nearest first, and returns
// the points in that order, valid until the next search.
func (d *dissection) search(start, set int32) []int32 {
	d.queue = append(d.queue[:0], start)
	seen := map[int32]bool{start: true}
	d.dist[start] = 0
	for at := 0; at < len(d.queue); at++ {
		i := d.queue[at]
		for _, j := range d.neighbors[i] {
			if d.set[j] == set && !seen[j] {
				seen[j] = true
				d.dist[j] = d.dist[i] + 1
				d.queue = append(d.queue, j)
			}
		}
	}
	return d.queue
}

// components shares the components of a set out to two parts, the larger first, each to
// the part that is smaller; reached is one of them.
func (d *dissection) components(points, reached []int32, set int32) (left, right []int32) {
	all := [][]int32{reached}
	for done := reached; ; {
		for _, i := range done {
			d.set[i] = 0
		}
		next := slices.IndexFunc(points, func(i int32) bool { return d.set[i] == set })
		if next < 0 {
			break
		}
		done = slices.Clone(d.search(points[next], set))
		all = append(all, done)
	}
	slices.SortStableFunc(all, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	for _, c := range all {
		if len(left) <= len(right) {
			left = append(left, c...)
		} else {
			right = append(right, c...)
		}
	}
	return left, right
}

// separate takes out of two parts the fewest points that all edges between them end in.
func (d *dissection) separate(first, second []int32) (left, separator, right []int32) {
	other := d.gather(second)
	m := matching{edges: map[int32][]int32{}, with: map[int32]int32{}}
	var ends []int32
	for _, i := range first {
		for _, j := range d.neighbors[i] {
			if d.set[j] == other {
				m.edges[i] = append(m.edges[i], j)
			}
		}
		if len(m.edges[i]) > 0 {
			ends = append(ends, i)
		}
	}
	cover := m.cover(ends)
	part := func(points []int32) (rest []int32) {
		for _, i := range points {
			if cover[i] {
				separator = append(separator, i)
			} else {
				rest = append(rest, i)
			}
		}
		return rest
	}
	left = part(first)
	right = part(second)
	return left, separator, right
}

// matching pairs the ends of edges between two parts, each with at most one.
type matching struct {
	edges map[int32][]int32 // from the first part to the second
	with  map[int32]int32   // partners, both ways
	seen  map[int32]bool
}

// augment finds a partner for i, for which others may have to change theirs.
func (m *matching) augment(i int32) bool {
	for _, j := range m.edges[i] {
		if m.seen[j] {
			continue
		}
		m.seen[j] = true
		if p, taken := m.with[j]; !taken || m.augment(p) {
			m.with[i], m.with[j] = j, i
			return true
		}
	}
	return false
}

// cover returns the fewest points that all edges end in (Koenig): of the first part those
// which alternating paths from points without a partner do not reach, of the second
// those which they do.
func (m *matching) cover(ends []int32) map[int32]bool {
	for _, i := range ends {
		m.seen = map[int32]bool{}
		m.augment(i)
	}
	m.seen = map[int32]bool{}
	var stack []int32
	for _, i := range ends {
		if _, ok := m.with[i]; !ok {
			m.seen[i] = true
			stack = append(stack, i)
		}
	}
	cover := map[int32]bool{}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, j := range m.edges[i] {
			cover[j] = true
			if p := m.with[j]; !m.seen[p] {
				m.seen[p] = true
				stack = append(stack, p)
			}
		}
	}
	for _, i := range ends {
		if !m.seen[i] {
			cover[i] = true
		}
	}
	return cover
}
