package multifrontal

import (
	"cmp"
	"slices"
)

// dissection is a tree under construction.
type dissection struct {
	neighbors [][]int32
	most      int
	fronts    []Front
	// set is the number of each point's current set, sets the number of sets so far.
	set  []int32
	sets int32
	// dist is the distance from the start of a search. seen is the last search, or step of a
	// matching, that reached a point; from is a buffer for other distances.
	dist, seen, from []int32
	searches         int32
	queue            []int32
	// number and with are the edges and the partner of a point at an edge to be cut.
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

// split divides a set of points. No edge leads from left to right.
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

// search visits the points of a set that can be reached from a point, nearest first, and returns
// them in that order. The result is valid until the next search.
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

// components distributes the connected components of a set to two parts, the larger first, each to
// the smaller part; reached is one of the components.
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

// separate removes from two parts the fewest points that cover all edges between them.
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

// matching pairs the ends of edges between two parts, each with at most one other.
type matching struct {
	*dissection
	// ends are the points of the first part, edges their neighbours in the second.
	ends  []int32
	edges [][]int32
}

// augment finds a partner for i; other points may change theirs.
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

// cover returns the fewest points that cover all edges (Koenig): those of the first part that
// alternating paths from unmatched points do not reach, and those of the second that they reach.
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
