package parquet

import "encoding/binary"

// Levels say where lists begin and which values are missing. They are encoded as a sequence of runs:
//
//	varint 2k,   value         k times the same value, of one byte for levels
//	varint 2k+1, 8k values     bit-packed, the lowest bit first
//
// If all rows of a column have the same number of values, and none is missing, the levels are known
// before they are decoded: definition levels are all at their maximum, and repetition levels are 0
// at the first value of a row and 1 elsewhere. The functions here compare encoded levels with that,
// run by run.

// runs iterates over encoded runs of values of a number of bits.
type runs struct {
	b    []byte
	bits int
	left int // values that follow
}

// run has the next values: n times value if packed is nil, otherwise n bit-packed values.
type run struct {
	n      int
	value  uint64
	packed []byte
}

// next returns the next run, without values beyond the last. It returns false if the bytes end too
// early.
func (r *runs) next() (out run, ok bool) {
	head, size := binary.Uvarint(r.b)
	if size <= 0 || head>>1 > 1<<31 {
		return out, false
	}
	r.b = r.b[size:]
	n := int(head >> 1)
	if head&1 == 0 {
		width := (r.bits + 7) / 8
		if len(r.b) < width {
			return out, false
		}
		for i := range width {
			out.value |= uint64(r.b[i]) << (8 * i)
		}
		r.b = r.b[width:]
		out.n = min(n, r.left)
	} else {
		// A run ends with the page, although its number of values is a multiple of eight.
		out.n = min(8*n, r.left)
		size := min(n*r.bits, len(r.b))
		if size*8 < out.n*r.bits {
			return out, false
		}
		out.packed, r.b = r.b[:size:size], r.b[size:]
	}
	r.left -= out.n
	return out, true
}

// allAre reports whether encoded levels are n times the value want. bits is their number of bits.
func allAre(b []byte, bits int, want uint64, n int) bool {
	pattern := uint64(0) // want in every place of 64 bits that begin with a value
	for i := 0; i < 64; i += bits {
		pattern |= want << i
	}
	for r := (runs{b, bits, n}); r.left > 0; {
		run, ok := r.next()
		if !ok || run.packed == nil && run.n > 0 && run.value != want {
			return false
		}
		// A step of 8 values ends at a byte.
		for at := 0; run.packed != nil && at < run.n; at += 8 {
			few := min(8, run.n-at) * bits
			if (word(run.packed, at/8*bits)^pattern)<<(64-few) != 0 {
				return false
			}
		}
	}
	return true
}

// rowsOf reports whether n encoded repetition levels belong to rows of d values, of which the first
// row lacks its first phase values.
func rowsOf(b []byte, phase, d, n int) bool {
	for r := (runs{b, 1, n}); r.left > 0; {
		run, ok := r.next()
		switch {
		case !ok:
			return false
		case run.packed != nil:
			for at := 0; at < run.n; at += 64 {
				few := min(64, run.n-at)
				if (word(run.packed, at/8)^continued(phase, d))<<(64-few) != 0 {
					return false
				}
				phase = (phase + few) % d
			}
		case run.n == 0:
		case run.value == 1 && phase > 0 && phase+run.n <= d, run.value == 0 && d == 1, run.value == 0 && phase == 0 && run.n == 1:
			phase = (phase + run.n) % d
		default:
			return false
		}
	}
	return true
}

// continued returns 64 repetition levels of rows of d values, from value phase of a row on.
func continued(phase, d int) uint64 {
	out := ^uint64(0)
	for i := (d - phase) % d; i < 64; i += d {
		out &^= 1 << i
	}
	return out
}

// word returns eight bytes from at on, with zeros after the end.
func word(b []byte, at int) uint64 {
	if at+8 <= len(b) {
		return binary.LittleEndian.Uint64(b[at:])
	}
	var tail [8]byte
	copy(tail[:], b[at:])
	return binary.LittleEndian.Uint64(tail[:])
}
