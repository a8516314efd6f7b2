package landmark

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// part is a block of a Dynamic: its nodes (slots), its landmarks, and the nearest landmark of every
// node.
type part struct {
	level int // of the coarse-graining that may cut it
	draw  draw
	given *Bounds // where its landmarks go on from, until it is cut

	nodes     []int32   // ascending
	landmarks []int32   // ascending; nil if the part is not cut
	of        []int32   // the landmark of every node
	dist2     []float64 // and their squared distance
	// top is the part of the landmarks, and groups are the parts of the groups; both are nil at the
	// last level.
	top    *part
	groups map[int32]*part
}

// newPart returns an empty part. Parts have different salts, so that the landmarks of the parts of
// a level are independent.
func newPart(level int, seed uint64, landmark int32, landmarks bool) *part {
	kind := uint64(0)
	if landmarks {
		kind = 1
	}
	stream := (uint64(level)<<1|kind)<<32 | uint64(uint32(landmark))
	return &part{level: level, draw: draw{salt: mix(mix(seed) ^ stream)}}
}

// nobody marks a node that has just joined and has no landmark yet.
const nobody = -1

// change removes the nodes leave and adds the nodes join, both ascending.
func (p *part) change(ctx context.Context, d *Dynamic, leave, join []int32) error {
	if len(leave) == 0 && len(join) == 0 {
		return nil
	}
	var m *moves
	if p.groups != nil {
		m = &moves{map[int32][]int32{}, map[int32][]int32{}}
	}
	p.remove(leave, m)
	p.enter(join)
	if p.level > d.settings.Level || Landmarks(len(p.nodes)) < 2 {
		*p = part{level: p.level, draw: p.draw, nodes: p.nodes}
		return nil
	}
	left, given := without(p.landmarks, leave), p.given
	if p.landmarks == nil {
		m = p.begin(d.settings.Level)
		if given != nil {
			left = p.resume(given, join)
		}
	}
	now := p.draw.landmarks(p.nodes, left, join)
	promoted, retired := without(now, p.landmarks), without(p.landmarks, now)
	p.landmarks = now
	if err := p.assign(ctx, d, join, promoted, retired, m); err != nil || m == nil {
		return err
	}
	for _, a := range retired {
		delete(p.groups, a)
	}
	for _, a := range promoted {
		p.groups[a] = newPart(p.level+1, p.draw.salt, a, false)
		if given != nil {
			p.groups[a].given = given.Groups[a]
		}
	}
	for a, nodes := range m.leave {
		if g := p.groups[a]; g != nil && m.join[a] == nil {
			if err := g.change(ctx, d, nodes, nil); err != nil {
				return err
			}
		}
	}
	for a, nodes := range m.join {
		if err := p.groups[a].change(ctx, d, m.leave[a], nodes); err != nil {
			return err
		}
	}
	return p.top.change(ctx, d, retired, promoted)
}

// begin prepares a part that will be divided for the first time.
func (p *part) begin(last int) *moves {
	p.of, p.dist2 = make([]int32, len(p.nodes)), make([]float64, len(p.nodes))
	for u := range p.of {
		p.of[u] = nobody
	}
	if p.level == last {
		return nil
	}
	p.top, p.groups = newPart(p.level+1, p.draw.salt, -1, true), map[int32]*part{}
	return &moves{map[int32][]int32{}, map[int32][]int32{}}
}

// moves lists, for every landmark, the nodes that leave and join its group. A nil moves records
// nothing.
type moves struct{ leave, join map[int32][]int32 }

// note records that node i moves from one landmark to another.
func (m *moves) note(i, from, to int32) {
	if m == nil {
		return
	}
	if from != nobody {
		m.leave[from] = append(m.leave[from], i)
	}
	if to != nobody {
		m.join[to] = append(m.join[to], i)
	}
}

func (m *moves) sort() {
	if m == nil {
		return
	}
	for _, lists := range []map[int32][]int32{m.leave, m.join} {
		for _, nodes := range lists {
			slices.Sort(nodes)
		}
	}
}

// remove removes nodes.
func (p *part) remove(leave []int32, m *moves) {
	if len(leave) == 0 {
		return
	}
	to, _ := slices.BinarySearch(p.nodes, leave[0])
	for u := to; u < len(p.nodes); u++ {
		i := p.nodes[u]
		if len(leave) > 0 && leave[0] == i {
			leave = leave[1:]
			if p.landmarks != nil {
				m.note(i, p.of[u], nobody)
			}
			continue
		}
		p.nodes[to] = i
		if p.landmarks != nil {
			p.of[to], p.dist2[to] = p.of[u], p.dist2[u]
		}
		to++
	}
	p.resize(to)
}

// enter puts nodes in, with no landmark.
func (p *part) enter(join []int32) {
	u, to := len(p.nodes), len(p.nodes)+len(join)
	p.resize(to)
	for len(join) > 0 {
		to--
		last := join[len(join)-1]
		if u > 0 && p.nodes[u-1] > last {
			u--
			p.nodes[to] = p.nodes[u]
			if p.landmarks != nil {
				p.of[to], p.dist2[to] = p.of[u], p.dist2[u]
			}
			continue
		}
		p.nodes[to] = last
		if p.landmarks != nil {
			p.of[to] = nobody
		}
		join = join[:len(join)-1]
	}
}

// resize makes room for n nodes.
func (p *part) resize(n int) {
	p.nodes = slices.Grow(p.nodes, max(0, n-len(p.nodes)))[:n]
	if p.landmarks != nil {
		p.of = slices.Grow(p.of, max(0, n-len(p.of)))[:n]
		p.dist2 = slices.Grow(p.dist2, max(0, n-len(p.dist2)))[:n]
	}
}

// assign sets the nearest landmark of each node. Nodes that lost their landmark search all landmarks.
// Other nodes compare their landmark with the promoted ones. Ties go to the first landmark. A
// landmark is assigned to itself.
func (p *part) assign(ctx context.Context, d *Dynamic, join, promoted, retired []int32, m *moves) error {
	var lost, kept []int32 // positions
	if len(promoted)+len(retired) == 0 {
		for _, i := range join {
			u, _ := slices.BinarySearch(p.nodes, i)
			lost = append(lost, int32(u))
		}
	} else {
		lost, kept = p.affected(d, promoted, retired, m)
	}
	err := p.nearest(ctx, d, lost, p.landmarks, func(u int, a int32, dist2 float64) { p.move(u, a, dist2, m) })
	if err != nil {
		return err
	}
	err = p.nearest(ctx, d, kept, promoted, func(u int, a int32, dist2 float64) {
		if dist2 < p.dist2[u] || dist2 == p.dist2[u] && a < p.of[u] {
			p.move(u, a, dist2, m)
		}
	})
	m.sort()
	return err
}

// affected assigns landmarks to themselves. It returns the positions of nodes without a landmark,
// and of nodes that may be at least as near to a promoted landmark as to their own. By the triangle
// inequality that requires two landmarks at most twice as far apart as the node is from its own.
func (p *part) affected(d *Dynamic, promoted, retired []int32, m *moves) (lost, kept []int32) {
	apart := p.apart(d, promoted, retired)
	own := p.landmarks // not yet seen
	for u, i := range p.nodes {
		switch a := p.of[u]; {
		case len(own) > 0 && own[0] == i:
			own = own[1:]
			p.move(u, i, 0, m)
		case a == nobody || apart[a] < 0:
			lost = append(lost, int32(u))
		case apart[a] <= 4*(1+1e-9)*p.dist2[u]:
			kept = append(kept, int32(u))
		}
	}
	return lost, kept
}

// apart returns, for the slots of landmarks, the squared distance to the nearest promoted one; for
// retired landmarks it returns a negative number.
func (p *part) apart(d *Dynamic, promoted, retired []int32) []float64 {
	if more := d.x.Rows - len(d.apart); more > 0 {
		d.apart = slices.Grow(d.apart, more)[:d.x.Rows]
	}
	par.Ranges(d.settings.Threads, len(p.landmarks), 64, func(_, from, to int) {
		for _, b := range p.landmarks[from:to] {
			least := math.Inf(1)
			for _, a := range promoted {
				least = min(least, vec.SquaredDistance(d.x.Row(int(a)), d.x.Row(int(b))))
			}
			d.apart[b] = least
		}
	})
	for _, a := range retired {
		d.apart[a] = -1
	}
	return d.apart
}

// nearest calls f for the nodes at the given positions with their nearest landmark in the list.
func (p *part) nearest(ctx context.Context, d *Dynamic, at, landmarks []int32, f func(u int, a int32, dist2 float64)) error {
	if len(at) == 0 || len(landmarks) == 0 {
		return nil
	}
	nodes := make([]int32, len(at))
	for k, u := range at {
		nodes[k] = p.nodes[u]
	}
	of, dist2, err := nearest(ctx, d.x, nodes, landmarks, d.settings.Threads)
	for k := range of {
		f(int(at[k]), landmarks[of[k]], dist2[k])
	}
	return err
}

// move makes a the landmark of the node at position u.
func (p *part) move(u int, a int32, dist2 float64, m *moves) {
	was := p.of[u]
	p.of[u], p.dist2[u] = a, dist2
	if was != a {
		m.note(p.nodes[u], was, a)
	}
}

// without returns the elements of a that are not in b; both are ascending. It returns nil if a is
// nil.
func without(a, b []int32) []int32 {
	if a == nil {
		return nil
	}
	out := make([]int32, 0, len(a))
	for _, i := range a {
		for len(b) > 0 && b[0] < i {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != i {
			out = append(out, i)
		}
	}
	return out
}

// bytes returns the memory of the arrays.
func (p *part) bytes() int64 {
	if p == nil {
		return 0
	}
	total := int64(4*(cap(p.nodes)+cap(p.landmarks)+cap(p.of)) + 8*cap(p.dist2))
	for _, g := range p.groups {
		total += g.bytes()
	}
	return total + p.top.bytes()
}
