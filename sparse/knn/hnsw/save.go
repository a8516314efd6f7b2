package hnsw

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// The file is little-endian throughout:
//
//	magic "UNFOLINK", version uint32
//	dim, M, EfConstruction, Ef uint32; Seed, levels drawn uint64
//	rows, blocks, layers, vacant rows, heights uint32
//	level, kids       rows x uint8
//	tower             rows x int32
//	base              rows x 2M int32
//	block kids        blocks x uint8
//	blocks            blocks x M int32
//	roots             layers x int32
//	vacant rows       vacant rows x int32
//	vacant towers     for each height: count uint32, count x int32
//	CRC-32C of all of the above, uint32
//
// The chains of twins follow from the slots for links (see twins.go).
const (
	magic   = "UNFOLINK"
	version = 1
)

// header is the fixed-size part after magic and version.
type header struct {
	Dim, M, EfConstruction, Ef            uint32
	Seed, Drawn                           uint64
	Rows, Blocks, Layers, Vacant, Heights uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SaveLinks writes the index without its rows, which callers store elsewhere. Equal indexes give
// equal bytes.
func (ix *Index) SaveLinks(to io.Writer) error {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	w := &writer{to: to, sum: crc32.New(castagnoli)}
	w.write([]byte(magic))
	w.number(version)
	w.fixed(header{
		Dim: uint32(ix.dim), M: uint32(ix.set.M), EfConstruction: uint32(ix.set.EfConstruction), Ef: uint32(ix.set.Ef),
		Seed: ix.set.Seed, Drawn: ix.drawn,
		Rows: uint32(len(ix.level)), Blocks: uint32(len(ix.upperKids)), Layers: uint32(len(ix.roots)),
		Vacant: uint32(len(ix.vacant)), Heights: uint32(len(ix.vacantTowers)),
	})
	w.write(ix.level)
	w.write(ix.kids)
	w.numbers(ix.tower)
	w.numbers(ix.base)
	w.write(ix.upperKids)
	w.numbers(ix.upper)
	w.numbers(ix.roots)
	w.numbers(ix.vacant)
	for _, t := range ix.vacantTowers {
		w.number(uint32(len(t)))
		w.numbers(t)
	}
	w.number(w.sum.Sum32())
	w.flush()
	if w.err != nil {
		return fmt.Errorf("hnsw: save: %w", w.err)
	}
	return nil
}

// writer encodes values, updates the checksum and keeps the first error.
type writer struct {
	to  io.Writer
	sum hash.Hash32
	buf []byte
	err error
}

const bufferSize = 1 << 16

func (w *writer) flush() {
	if w.err == nil {
		_, w.err = w.to.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// done adds the last n bytes of the buffer to the checksum.
func (w *writer) done(n int) {
	w.sum.Write(w.buf[len(w.buf)-n:])
	if len(w.buf) >= bufferSize {
		w.flush()
	}
}

func (w *writer) write(b []byte) {
	for len(b) > 0 {
		n := min(len(b), bufferSize)
		w.buf = append(w.buf, b[:n]...)
		w.done(n)
		b = b[n:]
	}
}

func (w *writer) number(v uint32) {
	w.buf = binary.LittleEndian.AppendUint32(w.buf, v)
	w.done(4)
}

func (w *writer) numbers(v []int32) {
	for _, x := range v {
		w.number(uint32(x))
	}
}

func (w *writer) fixed(v any) {
	had := len(w.buf)
	w.buf, _ = binary.Append(w.buf, binary.LittleEndian, v) // a struct of integers always fits
	w.done(len(w.buf) - had)
}
