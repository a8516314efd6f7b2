package record

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"

	"unfold/ingest/table"
)

// Text adds text.
func (b *Builder) Text(n *Node, v []byte) {
	if n != nil && n.mark != markNone {
		b.marked(n.mark, string(v))
	}
	f := b.at(n)
	if f == nil || b.leftOut(f, v) {
		return
	}
	switch f.pinned {
	case Auto:
		if b.spec.Vector == "" && f.kind != kindText && bracketed(v) {
			if x, err := parseNumbers(b.floats[:0], v); err == nil && len(x) > 1 {
				b.floats = x
				b.addVector64(f, x)
				return
			}
		}
		b.addText(f, v)
	case Text:
		b.addText(f, v)
	case Vector:
		b.addTextVector(f, v)
	default:
		b.readText(f, bytes.TrimSpace(v))
	}
}

// readText parses a text as a value of the column's set type.
func (b *Builder) readText(f *field, v []byte) {
	s := unsafe.String(unsafe.SliceData(v), len(v))
	switch f.pinned {
	case Int:
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			b.addInt(f, i)
			return
		}
	case Uint:
		if i, err := strconv.ParseUint(s, 10, 64); err == nil {
			b.take(f, kindUint, func() { f.ints = append(f.ints, int64(i)) })
			return
		}
	case Float:
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			b.addFloat(f, x)
			return
		}
	case Bool:
		if t, err := strconv.ParseBool(s); err == nil {
			n := int64(0)
			if t {
				n = 1
			}
			b.addInt(f, n)
			return
		}
	case Time:
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			b.addTime(f, t.UnixMicro(), Micros)
			return
		}
	}
	b.misfit(f, fmt.Sprintf("the text %q", table.Clip(s)))
}

func (b *Builder) addText(f *field, v []byte) {
	if !utf8.Valid(v) {
		b.refuse(f.path, "its text is not UTF-8", "")
		return
	}
	b.charge(len(v))
	b.take(f, kindText, func() { f.text = append(f.text, v...); f.ends = append(f.ends, int32(len(f.text))) })
}

// Bytes adds a binary value. A vector column reads it as little-endian float32; otherwise it is
// stored as text if it is valid text, else as base64.
func (b *Builder) Bytes(n *Node, v []byte) {
	f := b.at(n)
	switch {
	case f == nil, b.leftOut(f, v):
	case f.pinned == Vector:
		b.addByteVector(f, v)
	case utf8.Valid(v):
		b.addText(f, v)
	default:
		b.text = base64.StdEncoding.AppendEncode(b.text[:0], v)
		b.addText(f, b.text)
	}
}

func bracketed(v []byte) bool {
	return len(v) > 2 && (v[0] == '[' && v[len(v)-1] == ']')
}

// addTextVector reads a vector written as text.
func (b *Builder) addTextVector(f *field, v []byte) {
	v = bytes.TrimSpace(v)
	if bracketed(v) || bytes.IndexByte(v, ',') >= 0 {
		x, err := parseNumbers(b.floats[:0], v)
		if err != nil {
			b.refuse(f.path, err.Error(), "write numbers between commas, with or without brackets")
			return
		}
		b.floats = x
		b.addVector64(f, x)
		return
	}
	raw, err := base64.StdEncoding.AppendDecode(b.text[:0], v)
	if err != nil {
		b.refuse(f.path, fmt.Sprintf("the text %q is no vector", table.Clip(string(v))), "write numbers between commas, or float32 in little endian as base64")
		return
	}
	b.text = raw
	b.addByteVector(f, raw)
}

// addByteVector reads float32, little endian.
func (b *Builder) addByteVector(f *field, v []byte) {
	if len(v)%4 != 0 {
		b.refuse(f.path, fmt.Sprintf("%d bytes are no whole number of float32", len(v)), "")
		return
	}
	b.charge(2 * len(v))
	if f.kind == kindVector64 {
		b.take(f, kindVector64, func() {
			for ; len(v) > 0; v = v[4:] {
				f.vec64 = append(f.vec64, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))))
			}
			f.ends = append(f.ends, int32(len(f.vec64)))
		})
		return
	}
	b.take(f, kindVector32, func() {
		for ; len(v) > 0; v = v[4:] {
			f.vec32 = append(f.vec32, math.Float32frombits(binary.LittleEndian.Uint32(v)))
		}
		f.ends = append(f.ends, int32(len(f.vec32)))
	})
}

// Vector32 adds a list of numbers.
func (b *Builder) Vector32(n *Node, v []float32) {
	if f := b.at(n); f != nil && !leftOutList(b, f, v) && b.listed(f) {
		b.charge(8 * len(v))
		if f.kind == kindVector64 {
			b.take(f, kindVector64, func() {
				for _, x := range v {
					f.vec64 = append(f.vec64, float64(x))
				}
				f.ends = append(f.ends, int32(len(f.vec64)))
			})
			return
		}
		b.take(f, kindVector32, func() { f.vec32 = append(f.vec32, v...); f.ends = append(f.ends, int32(len(f.vec32))) })
	}
}

// Vector64 adds a list of numbers.
func (b *Builder) Vector64(n *Node, v []float64) {
	if f := b.at(n); f != nil && !leftOutList(b, f, v) && b.listed(f) {
		b.addVector64(f, v)
	}
}

// Sparse adds a sparse vector with any number of entries, possibly none.
func (b *Builder) Sparse(n *Node, index []int64, value []float64) {
	f := b.at(n)
	if f == nil || f.pinned != Sparse && !b.listed(f) {
		return
	}
	b.charge(16 * len(index))
	b.take(f, kindSparse, func() {
		f.ints, f.vec64 = append(f.ints, index...), append(f.vec64, value...)
		f.ends = append(f.ends, int32(len(f.vec64)))
	})
}

// listed refuses lists where none is wanted.
func (b *Builder) listed(f *field) bool {
	if f.pinned != Auto && f.pinned != Vector {
		b.misfit(f, "a list")
		return false
	}
	return true
}

func (b *Builder) addVector64(f *field, v []float64) {
	b.charge(8 * len(v))
	if len(v) == 0 && f.kind == kindSparse {
		b.take(f, kindSparse, func() { f.ends = append(f.ends, int32(len(f.vec64))) })
		return
	}
	b.take(f, kindVector64, func() { f.vec64 = append(f.vec64, v...); f.ends = append(f.ends, int32(len(f.vec64))) })
}

// parseNumbers reads the numbers of a vector that is text.
func parseNumbers(to []float64, v []byte) ([]float64, error) {
	return table.ParseVector(to, unsafe.String(unsafe.SliceData(v), len(v)))
}
