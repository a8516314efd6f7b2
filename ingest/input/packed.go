package input

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"
)

// The binary forms of JSON have no signature. A file is recognized if its first value is a list of
// values of one kind, or a map with texts for keys, and all bytes that were looked at are valid.

// token is a value of such a form, without its elements.
type token struct {
	kind  byte // 'n' number, 't' text, 'b' bytes, '[' list, '{' map, 'o' another
	count int  // elements of a list or map, bytes of a text
}

// packedValues checks values. next decodes a token at the beginning of its argument, and returns
// its length: 0 if it is invalid, -1 if it is cut off.
type packedValues struct {
	rest   []byte
	next   func([]byte) (token, int)
	cut    bool // the end was reached inside a value
	tokens int  // that are complete
}

const deepest = 16

// value skips a value and returns its kind, 0 if it is invalid.
func (p *packedValues) value(deep int) byte {
	t, n := p.next(p.rest)
	switch {
	case n < 0:
		p.cut = true
		return t.kind
	case n == 0 || deep > deepest:
		return 0
	}
	p.rest = p.rest[n:]
	p.tokens++
	switch t.kind {
	case 't', 'b':
		n := min(t.count, len(p.rest))
		text := p.rest[:n]
		p.rest, p.cut = p.rest[n:], n < t.count
		if t.kind == 't' && !p.cut && !utf8.Valid(text) {
			return 0
		}
	case '[', '{':
		if !p.elements(t, deep) {
			return 0
		}
	}
	return t.kind
}

// elements skips the elements of a list or map, which must be alike, and the keys texts.
func (p *packedValues) elements(t token, deep int) bool {
	var first byte
	for i := 0; i < t.count && !p.cut; i++ {
		if t.kind == '{' {
			if p.value(deep+1) != 't' {
				return p.cut
			}
			if p.cut {
				return true
			}
		}
		kind := p.value(deep + 1)
		if kind == 0 || t.kind == '[' && first != 0 && kind != first && deep == 0 {
			return p.cut
		}
		first = kind
	}
	return true
}

// isPacked reports whether head begins with such a list or map of more than a few bytes.
func isPacked(head []byte, next func([]byte) (token, int)) bool {
	t, n := next(head)
	if n <= 0 || t.count == 0 || t.kind != '[' && t.kind != '{' {
		return false
	}
	// Text of other encodings has no control characters.
	if !slices.ContainsFunc(head[:min(len(head), 512)], func(c byte) bool { return c < '\t' || c > '\r' && c < ' ' && c != 27 }) {
		return false
	}
	const fewest, some, whole = 8, 16, 4096 // bytes, tokens, bytes of a file that is not cut off
	p := &packedValues{rest: head, next: next}
	switch {
	case p.value(0) == 0 || len(head)-len(p.rest) < fewest:
		return false
	case p.cut:
		return p.tokens >= some && len(head) >= whole
	case len(p.rest) == 0:
		return true
	}
	again, n := next(p.rest) // a value a record
	return n != 0 && again.kind == t.kind
}

func isMessagePack(head []byte) bool { return isPacked(head, messagePackToken) }

func messagePackToken(b []byte) (t token, n int) {
	if len(b) == 0 {
		return t, -1
	}
	c := b[0]
	sized := func(kind byte, bytes, more int) (token, int) {
		if len(b) < 1+bytes {
			return token{kind: kind}, -1
		}
		return token{kind, bigEndian(b[1:1+bytes]) + more}, 1 + bytes
	}
	fixed := func(kind byte, n int) (token, int) {
		if len(b) < n {
			return token{kind: kind}, -1
		}
		return token{kind: kind}, n
	}
	switch {
	case c < 0x80 || c >= 0xe0:
		return token{kind: 'n'}, 1
	case c < 0x90:
		return token{'{', int(c & 15)}, 1
	case c < 0xa0:
		return token{'[', int(c & 15)}, 1
	case c < 0xc0:
		return token{'t', int(c & 31)}, 1
	case c == 0xc0 || c == 0xc2 || c == 0xc3:
		return token{kind: 'o'}, 1
	case c >= 0xc4 && c <= 0xc6:
		return sized('b', 1<<(c-0xc4), 0)
	case c >= 0xc7 && c <= 0xc9:
		return sized('b', 1<<(c-0xc7), 1)
	case c == 0xca || c == 0xcb:
		return fixed('n', 5+4*int(c-0xca))
	case c >= 0xcc && c <= 0xcf:
		return fixed('n', 1+1<<(c-0xcc))
	case c >= 0xd0 && c <= 0xd3:
		return fixed('n', 1+1<<(c-0xd0))
	case c >= 0xd4 && c <= 0xd8:
		return fixed('o', 2+1<<(c-0xd4))
	case c >= 0xd9 && c <= 0xdb:
		return sized('t', 1<<(c-0xd9), 0)
	case c == 0xdc || c == 0xdd:
		return sized('[', 2<<(c-0xdc), 0)
	case c == 0xde || c == 0xdf:
		return sized('{', 2<<(c-0xde), 0)
	}
	return t, 0
}

func isCBOR(head []byte) bool {
	if len(head) > 3 && string(head[:3]) == "\xd9\xd9\xf7" { // the tag of CBOR itself
		return true
	}
	return isPacked(head, cborToken)
}

func cborToken(b []byte) (t token, n int) {
	if len(b) == 0 {
		return t, -1
	}
	major, info := b[0]>>5, b[0]&31
	size := 0
	switch {
	case info < 24:
	case info < 28:
		size = 1 << (info - 24)
	default:
		return t, 0 // without a length
	}
	kinds := "nnbt[{oo"
	t.kind = kinds[major]
	if len(b) < 1+size {
		return t, -1
	}
	switch {
	case major == 7 && size >= 2:
		t.kind = 'n'
	case major == 7 || major < 2:
	case size == 0:
		t.count = int(info)
	default:
		t.count = bigEndian(b[1 : 1+size])
	}
	return t, 1 + size
}

func bigEndian(b []byte) (n int) {
	for _, c := range b {
		n = min(n<<8|int(c), math.MaxInt32)
	}
	return n
}

// isBSON recognizes a document: its length, the type and the name of its first field, and a 0 at
// its end.
func isBSON(h []byte) bool {
	if len(h) < 8 {
		return false
	}
	size := int(binary.LittleEndian.Uint32(h))
	if size < 8 || size > 16<<20 || h[4] == 0 || h[4] > 0x13 || size <= len(h) && h[size-1] != 0 {
		return false
	}
	name := h[5:min(len(h), 5+256)]
	for i, c := range name {
		if c == 0 {
			return i > 0
		}
		if c < ' ' {
			return false
		}
	}
	return false
}
