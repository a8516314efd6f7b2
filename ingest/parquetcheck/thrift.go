package parquetcheck

import (
	"errors"
	"fmt"
)

// Thrift's compact protocol. A struct is fields, each a byte with the
// difference of field numbers and the type, up to a zero byte; integers are
// zigzag varints.

const (
	tTrue = iota + 1
	tFalse
	tByte
	tI16
	tI32
	tI64
	tDouble
	tBinary
	tList
	tSet
	tMap
	tStruct
)

// errShort is the error if the data ends too early: a header may just need more bytes.
var errShort = errors.New("it ends too early")

const maxDepth = 32

// cursor reads compact Thrift. The first error stays, and ends all loops.
type cursor struct {
	b     []byte
	at    int
	depth int
	err   error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *cursor) short() {
	if c.err == nil {
		c.err = errShort
	}
}

func (c *cursor) byte() byte {
	if c.err != nil || c.at >= len(c.b) {
		c.short()
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

func (c *cursor) varint() uint64 {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		b := c.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	c.fail("a number is longer than 64 bits")
	return 0
}

// int reads a zigzag integer of the given field type.
func (c *cursor) int(typ byte) int64 {
	switch typ {
	case tByte:
		return int64(int8(c.byte()))
	case tI16, tI32, tI64:
		v := c.varint()
		return int64(v>>1) ^ -int64(v&1)
	}
	c.fail("a number has the type %d", typ)
	return 0
}

// size reads a length that must fit into the rest, one byte an element at least.
func (c *cursor) size(n uint64) int {
	if n > uint64(len(c.b)-c.at) {
		c.short()
		return 0
	}
	return int(n)
}

func (c *cursor) skipBytes(n int) { c.at += c.size(uint64(n)) }

// text reads a string.
func (c *cursor) text() string {
	n := c.size(c.varint())
	c.at += n
	return string(c.b[c.at-n : c.at])
}

// fields calls f for every field of a struct; f reads or skips the value.
func (c *cursor) fields(f func(id int64, typ byte)) {
	if c.depth++; c.depth > maxDepth {
		c.fail("it is nested more than %d deep", maxDepth)
	}
	id := int64(0)
	for c.err == nil {
		h := c.byte()
		if h == 0 {
			break
		}
		if delta := int64(h >> 4); delta != 0 {
			id += delta
		} else {
			id = c.int(tI16)
		}
		if h&15 > tStruct {
			c.fail("a field has the type %d", h&15)
			break
		}
		f(id, h&15)
	}
	c.depth--
}

// list reads a list's header and calls f for each element.
func (c *cursor) list(typ byte, f func(element byte)) {
	if typ != tList && typ != tSet {
		c.fail("a list has the type %d", typ)
		return
	}
	h := c.byte()
	n := uint64(h >> 4)
	if n == 15 {
		n = c.varint()
	}
	count := c.size(n)
	if c.depth++; c.depth > maxDepth {
		c.fail("it is nested more than %d deep", maxDepth)
	}
	for k := 0; k < count && c.err == nil; k++ {
		f(h & 15)
	}
	c.depth--
}

// structs calls f for each element of a list of structs.
func (c *cursor) structs(typ byte, f func()) {
	c.list(typ, func(element byte) {
		if element != tStruct {
			c.fail("a list holds the type %d, not structs", element)
			return
		}
		f()
	})
}

// skip skips a value of a field.
func (c *cursor) skip(typ byte) {
	switch typ {
	case tTrue, tFalse: // the value is in the type
	case tByte:
		c.byte()
	case tI16, tI32, tI64:
		c.varint()
	case tDouble:
		c.skipBytes(8)
	case tBinary:
		c.skipBytes(c.size(c.varint()))
	case tList, tSet:
		c.list(typ, c.skipElement)
	case tMap:
		c.skipMap()
	case tStruct:
		c.fields(func(_ int64, typ byte) { c.skip(typ) })
	default:
		c.fail("a value has the type %d", typ)
	}
}

// skipElement is skip in a list, where a boolean takes a byte.
func (c *cursor) skipElement(typ byte) {
	if typ == tTrue || typ == tFalse {
		c.byte()
		return
	}
	c.skip(typ)
}

func (c *cursor) skipMap() {
	n := c.size(c.varint())
	if n == 0 {
		return
	}
	kinds := c.byte()
	for k := 0; k < n && c.err == nil; k++ {
		c.skipElement(kinds >> 4)
		c.skipElement(kinds & 15)
	}
}
