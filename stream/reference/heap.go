package reference

// heap is a binary heap of points that knows the position of each, so that any of them can be moved
// or removed. less is the order, smallest first.
type heap struct {
	less func(a, b int32) bool
	item []int32
	// at[p] is the index of point p in item, -1 if it is not there.
	at []int32
}

func (h *heap) len() int { return len(h.item) }

// top returns the first point; the heap must not be empty.
func (h *heap) top() int32 { return h.item[0] }

func (h *heap) push(p int32) {
	for int(p) >= len(h.at) {
		h.at = append(h.at, -1)
	}
	h.item = append(h.item, p)
	h.at[p] = int32(len(h.item) - 1)
	h.up(len(h.item) - 1)
}

// remove takes a point out, if it is there.
func (h *heap) remove(p int32) {
	if int(p) >= len(h.at) || h.at[p] < 0 {
		return
	}
	i, last := int(h.at[p]), len(h.item)-1
	h.swap(i, last)
	h.item = h.item[:last]
	h.at[p] = -1
	if i < last {
		h.fix(h.item[i])
	}
}

// fix restores the heap after a point's rank has changed.
func (h *heap) fix(p int32) {
	i := int(h.at[p])
	h.up(i)
	h.down(int(h.at[p]))
}

func (h *heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.item[i], h.item[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.item) {
			return
		}
		if r := child + 1; r < len(h.item) && h.less(h.item[r], h.item[child]) {
			child = r
		}
		if !h.less(h.item[child], h.item[i]) {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heap) swap(i, j int) {
	h.item[i], h.item[j] = h.item[j], h.item[i]
	h.at[h.item[i]], h.at[h.item[j]] = int32(i), int32(j)
}
