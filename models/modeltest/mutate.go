package modeltest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/models/snapshot"
)

// Absurd are numbers that damaged or malicious files may contain: not finite, at the ends of the
// number range, zero, negative, or just beyond the limit of a shape.
var Absurd = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, math.MaxFloat64, 1e200, 1e155, -1e155, 1e120, 1e39, -1e39,
	math.MaxFloat32, -math.MaxFloat32, 1e30, -1e30, 1e-320, 1e-308, 1e-200, 1e-30, 0, -1, 1, 2, 1 << 31, 1 << 32, 1 << 53,
}

// block is a block of a model file that is being changed.
type block struct {
	snapshot.Block
	data []byte
}

// Mutate returns a model file with one to three changes to its blocks. Checksums, lengths and
// offsets are valid, as if a program had written it. raw must be a model file.
func Mutate(t testing.TB, r *rand.Rand, raw []byte) []byte {
	t.Helper()
	info, err := snapshot.ReadInfo(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([]block, len(info.Blocks))
	for i, b := range info.Blocks {
		blocks[i] = block{b, bytes.Clone(raw[b.Offset : b.Offset+b.Length])}
	}
	for range 1 + r.IntN(3) {
		blocks = change(r, blocks)
	}
	return seal(info.Format, blocks)
}

// change makes one change to one of the blocks, or to their list.
func change(r *rand.Rand, blocks []block) []block {
	if len(blocks) == 0 {
		return blocks
	}
	i := r.IntN(len(blocks))
	b := &blocks[i]
	switch r.IntN(12) {
	case 0: // a block is missing
		return slices.Delete(blocks, i, i+1)
	case 1: // two blocks have exchanged their contents
		o := &blocks[r.IntN(len(blocks))]
		b.Type, o.Type, b.Rows, o.Rows, b.Cols, o.Cols, b.data, o.data = o.Type, b.Type, o.Rows, b.Rows, o.Cols, b.Cols, o.data, b.data
	case 2: // a row is missing or repeated
		b.resize(r)
	case 3: // rows and columns are exchanged
		if b.Type != snapshot.Text {
			b.Rows, b.Cols = b.Cols, b.Rows
		}
	case 4: // changed bytes
		for range 1 + r.IntN(4) {
			if len(b.data) > 0 {
				b.data[r.IntN(len(b.data))] = byte(r.Uint32())
			}
		}
	default: // absurd numbers: one, a few, or all
		b.absurd(r)
	}
	return blocks
}

// width is the number of bytes of an element, 1 if elements are text or bytes.
func (b *block) width() int {
	switch b.Type {
	case snapshot.Uint32, snapshot.Float32:
		return 4
	case snapshot.Uint64, snapshot.Int64, snapshot.Float64:
		return 8
	}
	return 1
}

// resize removes or repeats the last row.
func (b *block) resize(r *rand.Rand) {
	row := int(b.Cols) * b.width()
	if b.Type == snapshot.Text || b.Rows == 0 || row == 0 {
		return
	}
	if r.IntN(2) == 0 {
		b.Rows, b.data = b.Rows-1, b.data[:len(b.data)-row]
		return
	}
	b.Rows, b.data = b.Rows+1, append(b.data, b.data[len(b.data)-row:]...)
}

// absurd sets elements to absurd numbers. In JSON it replaces a number.
func (b *block) absurd(r *rand.Rand) {
	w := b.width()
	if w == 1 {
		b.absurdText(r)
		return
	}
	n := len(b.data) / w
	if n == 0 {
		return
	}
	v, at, some := Absurd[r.IntN(len(Absurd))], r.IntN(n), 1
	switch r.IntN(4) {
	case 0:
		at, some = 0, n
	case 1:
		some = min(n-at, 1+r.IntN(16))
	}
	for k := at; k < at+some; k++ {
		put(b.data[k*w:], b.Type, v)
	}
}

// put writes v as an element of type t.
func put(p []byte, t snapshot.Type, v float64) {
	le := binary.LittleEndian
	switch t {
	case snapshot.Float32:
		le.PutUint32(p, math.Float32bits(float32(v)))
	case snapshot.Float64:
		le.PutUint64(p, math.Float64bits(v))
	case snapshot.Uint32:
		le.PutUint32(p, uint32(int64(min(max(v, -1e18), 1e18))))
	default:
		le.PutUint64(p, uint64(int64(min(max(v, -9e18), 9e18))))
	}
}

// absurdText replaces a number in JSON by another number. In other bytes it changes one byte.
func (b *block) absurdText(r *rand.Rand) {
	if len(b.data) == 0 {
		return
	}
	at := r.IntN(len(b.data))
	from := bytes.IndexAny(b.data[at:], "0123456789")
	if from < 0 || b.Type == snapshot.Text {
		b.data[at] ^= 1 << r.IntN(8)
		return
	}
	from += at
	to := from
	for to < len(b.data) && bytes.IndexByte([]byte("0123456789.eE+-"), b.data[to]) >= 0 {
		to++
	}
	words := []string{"1e308", "-1e308", "1e-308", "0", "-1", "null", "2147483648", "9223372036854775807", "1e400", `""`, "[]"}
	b.data = slices.Concat(b.data[:from], []byte(words[r.IntN(len(words))]), b.data[to:])
	b.Rows = uint64(len(b.data))
	if b.Cols != 1 {
		b.Rows, b.Cols = 1, uint64(len(b.data))
	}
}

// Sizes of the format; see docs/reference/model-file.md.
const (
	headerSize = 64
	entrySize  = 64
	alignment  = 64
)

// seal writes blocks as a file.
func seal(format uint32, blocks []block) []byte {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	out := make([]byte, headerSize+entrySize*len(blocks))
	pad := func() {
		for len(out)%alignment != 0 {
			out = append(out, 0)
		}
	}
	pad()
	for i, b := range blocks {
		e := out[headerSize+i*entrySize:]
		copy(e, b.Name)
		le.PutUint32(e[24:], uint32(b.Type))
		le.PutUint32(e[28:], crc32.Checksum(b.data, table))
		le.PutUint64(e[32:], b.Rows)
		le.PutUint64(e[40:], b.Cols)
		le.PutUint64(e[48:], uint64(len(out)))
		le.PutUint64(e[56:], uint64(len(b.data)))
		out = append(out, b.data...)
		pad()
	}
	copy(out, "\x89UNFOLD\n")
	le.PutUint32(out[8:], format)
	le.PutUint32(out[12:], uint32(len(blocks)))
	le.PutUint64(out[16:], uint64(len(out)))
	le.PutUint32(out[24:], crc32.Checksum(out[headerSize:headerSize+entrySize*len(blocks)], table))
	le.PutUint32(out[28:], crc32.Checksum(out[:28], table))
	return out
}
