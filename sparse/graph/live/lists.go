package live

import "math"

// lists holds, for every slot, the nearest other points: at most `most` of them,
// ordered by (squared distance, slot). The first k are K's, the first `least` those
// that Compact lists.
//
// A list is exact over its length: no point outside it comes before its last entry. It is open if
// it holds all other points, and takes any that come; otherwise it takes those before its last
// entry, and holds `least` at least.
type lists struct {
	k, least, most int

	index []int32
	dist2 []float64
	count []uint16
	// reach is the squared distance of the farthest point that a list would take: +Inf of an
	// open one, -1 of an empty slot.
	reach []float64
}

// resize makes n the number of slots; new ones are empty.
func (l *lists) resize(n int) {
	old := len(l.count)
	l.index, l.dist2 = resized(l.index, n*l.most), resized(l.dist2, n*l.most)
	l.count, l.reach = resized(l.count, n), resized(l.reach, n)
	for slot := old; slot < n; slot++ {
		l.reach[slot] = -1
	}
}

func (l *lists) bytes() int64 {
	return int64(4*cap(l.index) + 8*cap(l.dist2) + 2*cap(l.count) + 8*cap(l.reach))
}

// full returns all entries of a slot, with the room beyond them.
func (l *lists) full(slot int32) (index []int32, dist2 []float64) {
	at, n := int(slot)*l.most, int(l.count[slot])
	return l.index[at : at+n : at+l.most], l.dist2[at : at+n : at+l.most]
}

// nearest returns the entries of K: k of them, or all others if they are fewer.
func (l *lists) nearest(slot int32) (index []int32, dist2 []float64) {
	at, n := int(slot)*l.most, min(l.k, int(l.count[slot]))
	return l.index[at : at+n : at+n], l.dist2[at : at+n : at+n]
}

// listed returns the entries that Compact lists, or all others if they are fewer.
func (l *lists) listed(slot int32) (index []int32, dist2 []float64) {
	at, n := int(slot)*l.most, min(l.least, int(l.count[slot]))
	return l.index[at : at+n : at+n], l.dist2[at : at+n : at+n]
}

// clear empties a slot.
func (l *lists) clear(slot int32) { l.count[slot], l.reach[slot] = 0, -1 }

// replace sets a list to the first finite entries of index, of n points in all.
func (l *lists) replace(slot int32, index []int32, dist2 []float64, n int) {
	count := 0
	for count < min(l.most, len(index)) && index[count] != math.MaxInt32 {
		count++
	}
	at := int(slot) * l.most
	copy(l.index[at:], index[:count])
	copy(l.dist2[at:], dist2[:count])
	l.count[slot] = uint16(count)
	l.settle(slot, n)
}

// settle sets the radius of a list among n points.
func (l *lists) settle(slot int32, n int) {
	c := int(l.count[slot])
	if c == n-1 && c < l.most {
		l.reach[slot] = math.Inf(1)
		return
	}
	_, dist2 := l.full(slot)
	l.reach[slot] = dist2[c-1]
}

// offer puts a point into a list if it belongs there, and returns its position or -1. If
// the list is full the last entry goes.
func (l *lists) offer(slot, point int32, d2 float64) int {
	index, dist2 := l.full(slot)
	p := len(index)
	for p > 0 && (d2 < dist2[p-1] || d2 == dist2[p-1] && point < index[p-1]) {
		p--
	}
	if p == len(index) && !math.IsInf(l.reach[slot], 1) {
		return -1
	}
	if len(index) < l.most {
		index, dist2 = index[:len(index)+1], dist2[:len(index)+1]
		l.count[slot]++
	}
	copy(index[p+1:], index[p:])
	copy(dist2[p+1:], dist2[p:])
	index[p], dist2[p] = point, d2
	if len(index) == l.most {
		l.reach[slot] = dist2[l.most-1]
	}
	return p
}

// drop takes the dead out of a list, and returns the lowest position that one had.
func (l *lists) drop(slot int32, dead set) int {
	index, dist2 := l.full(slot)
	first, kept := -1, 0
	for p, j := range index {
		if dead.has(j) {
			if first < 0 {
				first = p
			}
			continue
		}
		index[kept], dist2[kept] = j, dist2[p]
		kept++
	}
	l.count[slot] = uint16(kept)
	return first
}

// losses returns the number of dead points in a list.
func (l *lists) losses(slot int32, dead set) (n int) {
	index, _ := l.full(slot)
	for _, j := range index {
		if dead.has(j) {
			n++
		}
	}
	return n
}
