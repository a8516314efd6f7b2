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
	// dist is the distance from where a search began, and seen the last search, or step of a
	// matching, that came to a point; from is room for other distances.
	dist, seen, from []int32
	searches         int32
	queue            []int32
	// number and with are, of a point that an edge to be cut ends in, its edges and its partner.
	number, with []int32
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
	from := d.from
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
	d.searches++
	d.seen[start] = d.searches
	d.dist[start] = 0
	for at := 0; at < len(d.queue); at++ {
		i := d.queue[at]
		for _, j := range d.neighbors[i] {
			if d.set[j] == set && d.seen[j] != d.searches {
				d.seen[j] = d.searches
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
	m := matching{dissection: d}
	for _, i := range first {
		var edges []int32
		for _, j := range d.neighbors[i] {
			if d.set[j] == other {
				edges = append(edges, j)
				d.with[j] = none
			}
		}
		if len(edges) > 0 {
			d.number[i], d.with[i] = int32(len(m.edges)), none
			m.ends, m.edges = append(m.ends, i), append(m.edges, edges)
		}
	}
	cover := m.cover()
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

// none is no partner.
const none = -1

// matching pairs the ends of edges between two parts, each with at most one.
type matching struct {
	*dissection
	// ends are those in the first part, edges where their edges lead in the second.
	ends  []int32
	edges [][]int32
}

// augment finds a partner for i, for which others may have to change theirs.
func (m *matching) augment(i int32) bool {
	for _, j := range m.edges[m.number[i]] {
		if m.seen[j] == m.searches {
			continue
		}
		m.seen[j] = m.searches
		if p := m.with[j]; p == none || m.augment(p) {
			m.with[i], m.with[j] = j, i
			return true
		}
	}
	return false
}

// cover returns the fewest points that all edges end in (Koenig): of the first part those
// which alternating paths from points without a partner do not reach, of the second
// those which they do.
func (m *matching) cover() map[int32]bool {
	for _, i := range m.ends {
		m.searches++
		m.augment(i)
	}
	m.searches++
	var stack []int32
	for _, i := range m.ends {
		if m.with[i] == none {
			m.seen[i] = m.searches
			stack = append(stack, i)
		}
	}
	cover := map[int32]bool{}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, j := range m.edges[m.number[i]] {
			cover[j] = true
			if p := m.with[j]; m.seen[p] != m.searches {
				m.seen[p] = m.searches
				stack = append(stack, p)
			}
		}
	}
	for _, i := range m.ends {
		if m.seen[i] != m.searches {
			cover[i] = true
		}
	}
	return cover
}
