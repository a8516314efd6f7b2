package avrorec

import "github.com/twmb/avro"

// Scale weighs encoded values of a schema before they are decoded to Go's general types (any). There
// a boolean of one byte takes 16 bytes, and a field without any bytes as much as its name. It is not
// safe for concurrent use.
type Scale struct {
	root *shape
	// fixed has the weights of values that always take the same bytes.
	fixed map[*shape]int64
}

// NewScale returns the scale of a schema.
func NewScale(s *avro.Schema) (*Scale, error) {
	root, err := shapeOf(s)
	return &Scale{root: root}, err
}

// Weights of values in bytes: an element of a list, a key of a map with its slot, and a text of n
// bytes, which JSON may write with six each.
const (
	elementWeight = 24
	keyWeight     = 96
	byteWeight    = 8
	mostWeight    = 1 << 40
)

// emptyItems is the number of items without bytes that package avro decodes in one list at most.
const emptyItems = 4096

// Check returns an error if one of the values that follow each other in data is wrong, lies deeper
// than depth, or weighs more than most bytes.
func (s *Scale) Check(data []byte, depth int, most int64) error {
	w := weighing{reader: reader{data: data}, scale: s}
	for ok := true; ok; {
		from := w.at
		w.left = most
		if ok = w.weigh(s.root, depth); w.at == from || w.at == len(data) {
			break
		}
	}
	return w.err
}

// fits reports whether a value weighs at most most bytes.
func (s *Scale) fits(of *shape, value []byte, depth int, most int64) bool {
	w := weighing{reader: reader{data: value}, scale: s, left: most}
	return w.weigh(of, depth)
}

// weighing is the state of one Check.
type weighing struct {
	reader
	scale *Scale
	left  int64
}

// add fails if the value becomes too large.
func (w *weighing) add(n int64) bool {
	if w.left -= n; w.left < 0 {
		return w.fail("it is too large, at byte %d", w.at+1)
	}
	return true
}

// weigh passes over a value.
func (w *weighing) weigh(s *shape, depth int) bool {
	if s.fixed {
		_, ok := w.take(s.least)
		return ok && w.add(w.scale.weight(s))
	}
	if depth <= 0 {
		return w.deep()
	}
	switch s.kind {
	case kindUnion:
		i, ok := w.index(len(s.branches), "branch")
		return ok && w.weigh(s.branches[i], depth-1)
	case kindRecord:
		for _, f := range s.fields {
			if !w.add(keyWeight+int64(len(f.name))) || !w.weigh(f.shape, depth-1) {
				return false
			}
		}
		return true
	case kindArray, kindMap:
		return w.blocks(s, depth)
	}
	from := w.at
	return w.skip(s, depth) && w.add(elementWeight+byteWeight*int64(w.at-from)+s.digits())
}

// blocks passes over an array or a map.
func (w *weighing) blocks(s *shape, depth int) bool {
	for {
		n, _, ok := w.block(s.items)
		if !ok || n == 0 {
			return ok
		}
		if s.kind == kindArray && s.items.fixed {
			count := int64(n)
			if s.items.least == 0 {
				count = emptyItems
			}
			each := w.scale.weight(s.items)
			if count > w.left/each {
				return w.add(w.left + 1)
			}
			w.add(each * count)
			if _, ok := w.take(n * s.items.least); !ok {
				return false
			}
			continue
		}
		for range n {
			if s.kind == kindMap {
				key, ok := w.bytes()
				if !ok || !w.add(keyWeight+byteWeight*int64(len(key))) {
					return false
				}
			}
			if !w.weigh(s.items, depth-1) {
				return false
			}
		}
	}
}

// bigScale is the largest scale of a decimal that contains its scale.
const bigScale = 1 << 16

// digits returns the most bytes of a value's text that do not come from its own bytes: the name of a
// symbol, or the digits of a decimal's scale.
func (s *shape) digits() (n int64) {
	switch {
	case s.kind == kindEnum:
		for _, symbol := range s.symbols {
			n = max(n, int64(len(symbol)))
		}
	case s.logical == "decimal":
		n = int64(s.scale)
	case s.logical == "big-decimal":
		n = bigScale
	}
	return 2 * n
}

// weight returns the weight of values that always take the same bytes, which no recursion has.
func (s *Scale) weight(of *shape) int64 {
	w, known := s.fixed[of]
	if known {
		return w
	}
	w = elementWeight
	switch of.kind {
	case kindFixed:
		w += byteWeight*int64(of.size) + of.digits()
	case kindRecord:
		for _, f := range of.fields {
			w = min(w+keyWeight+int64(len(f.name))+s.weight(f.shape), mostWeight)
		}
	}
	if s.fixed == nil {
		s.fixed = map[*shape]int64{}
	}
	s.fixed[of] = w
	return w
}
