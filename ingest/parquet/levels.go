package parquet

import (
	"encoding/binary"
	"math/bits"
)

// Levels say where lists begin and which values are missing. They are encoded as a sequence of runs:
//
//	varint 2k,   value         k times the same value, of one byte for levels
//	varint 2k+1, 8k values     bit-packed, the lowest bit first
//
// Repetition levels are 0 at the first value of a row and 1 elsewhere. Definition levels are at
// their maximum but for what is missing. So there are few of interest, and the functions here list
// these, run by run.

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

// level is a definition level that is not the maximum.
type level struct {
	at    int32
	value uint8
}

// othersThan lists encoded levels that are not want, the maximum. bits is the number of bits of a
// level, n the number of levels.
func othersThan(want uint64, b []byte, bits, n int) (out []level, ok bool) {
	pattern := uint64(0) // want in every place of 64 bits that begin with a value
	for i := 0; i < 64; i += bits {
		pattern |= want << i
	}
	for r := (runs{b, bits, n}); r.left > 0; {
		first := n - r.left
		run, ok := r.next()
		if !ok {
			return nil, false
		}
		if run.packed == nil {
			for i := range run.n {
				if run.value == want {
					break
				}
				out = append(out, level{int32(first + i), uint8(run.value)})
			}
			continue
		}
		// A step of 8 values ends at a byte.
		for at := 0; at < run.n; at += 8 {
			few, x := min(8, run.n-at), word(run.packed, at/8*bits)
			if (x^pattern)<<(64-few*bits) == 0 {
				continue
			}
			for i := range few {
				if v := x >> (i * bits) & (1<<bits - 1); v != want {
					out = append(out, level{int32(first + at + i), uint8(v)})
				}
			}
		}
	}
	return out, true
}

// starts lists which of n encoded repetition levels begin a row.
func starts(b []byte, n int) (out []int32, ok bool) {
	for r := (runs{b, 1, n}); r.left > 0; {
		first := n - r.left
		run, ok := r.next()
		if !ok || run.packed == nil && run.n > 0 && run.value > 1 {
			return nil, false
		}
		if run.packed == nil {
			for i := range run.n {
				if run.value == 1 {
					break
				}
				out = append(out, int32(first+i))
			}
			continue
		}
		for at := 0; at < run.n; at += 64 {
			zeros := ^word(run.packed, at/8)
			if few := run.n - at; few < 64 {
				zeros &= 1<<few - 1
			}
			for ; zeros != 0; zeros &= zeros - 1 {
				out = append(out, int32(first+at+bits.TrailingZeros64(zeros)))
			}
		}
	}
	return out, true
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
