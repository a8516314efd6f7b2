package parquet

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
)

// This file decodes values of 2, 4 or 8 bytes without nulls into memory of the right size.

// Encodings of values.
const (
	plain           = 0
	plainDictionary = 2
	levelRuns       = 3
	rleDictionary   = 8
	byteStreamSplit = 9
)

// decodeValues decodes the values of a page. It returns false if dst cannot be filled exactly from
// src.
func decodeValues(dst, src []byte, encoding int64, width int, dictionary []byte) bool {
	switch encoding {
	case plain:
		return copy(dst, src) == len(dst)
	case byteStreamSplit:
		return len(src) == len(dst) && unsplit(dst, src, width)
	case plainDictionary, rleDictionary:
		switch width {
		case 2:
			return lookUp(arrow.Uint16Traits.CastFromBytes(dst), arrow.Uint16Traits.CastFromBytes(dictionary), src)
		case 4:
			return lookUp(arrow.Uint32Traits.CastFromBytes(dst), arrow.Uint32Traits.CastFromBytes(dictionary), src)
		case 8:
			return lookUp(arrow.Uint64Traits.CastFromBytes(dst), arrow.Uint64Traits.CastFromBytes(dictionary), src)
		}
	}
	return false
}

// lookUp decodes runs of indices, after a byte with their number of bits, and writes the
// dictionary's values.
func lookUp[T uint16 | uint32 | uint64](dst, dictionary []T, b []byte) bool {
	if len(b) == 0 || b[0] > 32 {
		return len(dst) == 0
	}
	bits := int(b[0])
	mask := uint64(1)<<bits - 1
	for r := (runs{b[1:], bits, len(dst)}); len(dst) > 0; {
		run, ok := r.next()
		if !ok {
			return false
		}
		if run.packed == nil {
			if run.n > 0 && run.value >= uint64(len(dictionary)) {
				return false
			}
			for i := range dst[:run.n] {
				dst[i] = dictionary[run.value]
			}
		} else {
			for i := range dst[:run.n] {
				k := word(run.packed, i*bits/8) >> (i * bits % 8) & mask
				if k >= uint64(len(dictionary)) {
					return false
				}
				dst[i] = dictionary[k]
			}
		}
		dst = dst[run.n:]
	}
	return true
}

// unsplit joins the bytes of values: src has the first bytes of all values, then all second bytes,
// and so on.
func unsplit(dst, src []byte, width int) bool {
	n := len(dst) / width
	at := 0
	switch width {
	case 2:
		at = unsplit2(dst, src, n)
	case 4:
		at = unsplit4(dst, src, n)
	case 8:
		at = unsplit8(dst, src, n)
	}
	for i := at; i < n; i++ {
		for k := range width {
			dst[i*width+k] = src[k*n+i]
		}
	}
	return true
}

var little = binary.LittleEndian

// unsplit2 joins values of two bytes, eight at a time. It returns their number.
func unsplit2(dst, src []byte, n int) int {
	a, b := src[:n], src[n:2*n]
	i := 0
	for ; i+8 <= n; i += 8 {
		x, y := little.Uint64(a[i:]), little.Uint64(b[i:])
		out := dst[2*i : 2*i+16]
		little.PutUint64(out, spread2(x)|spread2(y)<<8)
		little.PutUint64(out[8:], spread2(x>>32)|spread2(y>>32)<<8)
	}
	return i
}

// spread2 moves the four lowest bytes to the even bytes.
func spread2(x uint64) uint64 {
	x &= 0xffffffff
	x = (x | x<<16) & 0x0000ffff0000ffff
	return (x | x<<8) & 0x00ff00ff00ff00ff
}

// unsplit4 is unsplit2 for values of four bytes.
func unsplit4(dst, src []byte, n int) int {
	a, b, c, d := src[:n], src[n:2*n], src[2*n:3*n], src[3*n:4*n]
	i := 0
	for ; i+8 <= n; i += 8 {
		x, y, z, w := little.Uint64(a[i:]), little.Uint64(b[i:]), little.Uint64(c[i:]), little.Uint64(d[i:])
		out := dst[4*i : 4*i+32]
		for k := 0; k < 32; k += 8 {
			little.PutUint64(out[k:], spread4(x)|spread4(y)<<8|spread4(z)<<16|spread4(w)<<24)
			x, y, z, w = x>>16, y>>16, z>>16, w>>16
		}
	}
	return i
}

// spread4 moves the two lowest bytes to bytes 0 and 4.
func spread4(x uint64) uint64 { return x&0xff | x&0xff00<<24 }

// unsplit8 is unsplit2 for values of eight bytes. It transposes an 8 x 8 matrix of bytes.
func unsplit8(dst, src []byte, n int) int {
	i := 0
	for ; i+8 <= n; i += 8 {
		var m [8]uint64
		for k := range m {
			m[k] = little.Uint64(src[k*n+i:])
		}
		for k := range 4 {
			m[k], m[k+4] = exchange(m[k], m[k+4], 32, 0x00000000ffffffff)
		}
		for _, k := range [4]int{0, 1, 4, 5} {
			m[k], m[k+2] = exchange(m[k], m[k+2], 16, 0x0000ffff0000ffff)
		}
		for k := 0; k < 8; k += 2 {
			m[k], m[k+1] = exchange(m[k], m[k+1], 8, 0x00ff00ff00ff00ff)
		}
		out := dst[8*i : 8*i+64]
		for k, v := range m {
			little.PutUint64(out[8*k:], v)
		}
	}
	return i
}

// exchange exchanges the bits of x above shift that mask selects below it with those of y below.
func exchange(x, y uint64, shift int, mask uint64) (uint64, uint64) {
	t := (x>>shift ^ y) & mask
	return x ^ t<<shift, y ^ t
}
