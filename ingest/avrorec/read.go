package avrorec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reader reads Avro's binary values. After a failed read err is set, and returned values are
// meaningless.
type reader struct {
	data []byte
	at   int
	err  error
}

// fail keeps the first error.
func (r *reader) fail(format string, args ...any) bool {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	return false
}

func (r *reader) left() int { return len(r.data) - r.at }

// long reads an integer.
func (r *reader) long() (int64, bool) {
	if r.at < len(r.data) && r.data[r.at] < 0x80 {
		v := r.data[r.at]
		r.at++
		return int64(v>>1) ^ -int64(v&1), true
	}
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		if n < 0 {
			return 0, r.fail("an integer of more than 64 bits, at byte %d", r.at+1)
		}
		return 0, r.short("an integer")
	}
	r.at += n
	return int64(v>>1) ^ -int64(v&1), true
}

func (r *reader) short(what string) bool {
	return r.fail("%s is cut off, at byte %d", what, r.at+1)
}

// bytes reads a length and then that number of bytes. The result shares the message's memory.
func (r *reader) bytes() ([]byte, bool) {
	n, ok := r.long()
	if !ok {
		return nil, false
	}
	if n < 0 || n > int64(r.left()) {
		return nil, r.fail("a text or bytes of length %d, where %d bytes are left, at byte %d", n, r.left(), r.at+1)
	}
	return r.take(int(n))
}

// take reads n bytes.
func (r *reader) take(n int) ([]byte, bool) {
	if n > r.left() {
		return nil, r.short("a value")
	}
	v := r.data[r.at : r.at+n]
	r.at += n
	return v, true
}

func (r *reader) float() (float32, bool) {
	v, ok := r.take(4)
	if !ok {
		return 0, false
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(v)), true
}

func (r *reader) double() (float64, bool) {
	v, ok := r.take(8)
	if !ok {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v)), true
}

// index reads the number of a union's branch or of an enum's symbol and checks that it is below n.
func (r *reader) index(n int, what string) (int, bool) {
	i, ok := r.long()
	if ok && (i < 0 || i >= int64(n)) {
		return 0, r.fail("%s %d, where there are %d, at byte %d", what, i, n, r.at)
	}
	return int(i), ok
}

// block reads the header of a block: the number of items, 0 at the end, and their size in bytes, -1
// if not given.
func (r *reader) block(items *shape) (n, size int, ok bool) {
	count, ok := r.long()
	bytes := int64(-1)
	if ok && count < 0 {
		if bytes, ok = r.long(); ok && (bytes < 0 || bytes > int64(r.left())) {
			return 0, 0, r.fail("a block of %d bytes, where %d are left, at byte %d", bytes, r.left(), r.at+1)
		}
		if count = -count; count < 0 {
			return 0, 0, r.fail("a block of too many items, at byte %d", r.at+1)
		}
	}
	if !ok {
		return 0, 0, false
	}
	// Items without bytes are not read, so their number need not be bounded.
	if least := int64(items.least); items.fixed && least == 0 {
		count = min(count, 1)
	} else if count > int64(r.left())/max(least, 1) {
		return 0, 0, r.fail("a block of %d items, where %d bytes are left, at byte %d", count, r.left(), r.at+1)
	}
	if least := int64(items.least); bytes >= 0 && count*least > bytes {
		return 0, 0, r.fail("a block of %d items in %d bytes, at byte %d", count, bytes, r.at+1)
	}
	return int(count), int(bytes), true
}

// skip passes over a value.
func (r *reader) skip(s *shape, depth int) bool {
	if s.fixed {
		_, ok := r.take(s.least)
		return ok
	}
	if depth <= 0 {
		return r.deep()
	}
	switch s.kind {
	case kindInt:
		_, ok := r.long()
		return ok
	case kindEnum:
		_, ok := r.index(len(s.symbols), "symbol")
		return ok
	case kindBytes:
		_, ok := r.bytes()
		return ok
	case kindUnion:
		i, ok := r.index(len(s.branches), "branch")
		return ok && r.skip(s.branches[i], depth-1)
	case kindRecord:
		for _, of := range s.solid {
			if !r.skip(of, depth-1) {
				return false
			}
		}
		return true
	}
	return r.skipBlocks(s, depth)
}

func (r *reader) deep() bool { return r.fail("values lie too deep within each other") }

// skipBlocks skips an array or a map.
func (r *reader) skipBlocks(s *shape, depth int) bool {
	for {
		n, size, ok := r.block(s.items)
		if !ok || n == 0 {
			return ok
		}
		switch {
		case size >= 0:
			r.at += size
			continue
		case s.kind == kindArray && s.items.fixed:
			r.at += n * s.items.least
			continue
		}
		for range n {
			if s.kind == kindMap {
				if _, ok := r.bytes(); !ok {
					return false
				}
			}
			if !r.skip(s.items, depth-1) {
				return false
			}
		}
	}
}

// number reads a number, NaN for null.
func (r *reader) number(s *shape) (float64, bool) {
	switch s.kind {
	case kindNull:
		return math.NaN(), true
	case kindInt:
		v, ok := r.long()
		return float64(v), ok
	case kindFloat:
		v, ok := r.float()
		return float64(v), ok
	case kindDouble:
		return r.double()
	case kindUnion:
		i, ok := r.index(len(s.branches), "branch")
		if !ok {
			return 0, false
		}
		return r.number(s.branches[i])
	}
	return 0, r.fail("no number, at byte %d", r.at+1)
}
