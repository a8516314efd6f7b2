package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"unfold/ingest/parquetcheck"
	"unfold/ingest/table"
	"unfold/internal/par"
)

// regular reads a column of numbers, or of lists of numbers, as long as it is regular: every row has
// the same number of values, and no value is missing. So are vectors. Then the place of every page
// among the rows follows from the numbers of values alone, pages are decoded concurrently, and
// levels are compared with what they must be (levels.go).
//
// Whatever is not regular, or cannot be decoded, ends it: the library then reads the column, from
// the same row on, and decides what it is.
type regular struct {
	r         *reader
	leaf      int
	typ       arrow.DataType
	elem      arrow.DataType
	width     int    // bytes of a value
	most      uint64 // the maximum of definition levels
	list      bool
	per       int // values of a row; 0 until the first row group
	next      int // the row group that follows the current one
	pages     *parquetcheck.Pages
	codec     compress.Codec
	seen      int    // values of the current row group before the next page
	known     []byte // the current dictionary
	ready     []byte // decoded values that are not yet in a table
	offsets   *memory.Buffer
	hasPassed bool // the pages have been checked
}

// datum is a page that is to be decoded.
type datum struct {
	parquetcheck.Page
	codec      compress.Codec
	phase      int // values of its first row that are on pages before it
	dictionary []byte
	dst        []byte
}

// pageRoom is memory for a page before and after decompression.
type pageRoom struct{ raw, plain []byte }

func grown(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// newRegular returns a reader of a column, or nil if its type is another.
func (r *reader) newRegular(c *column) *regular {
	leaves := leavesOf(nil, &c.field)
	if len(leaves) != 1 {
		return nil
	}
	d := r.meta.Schema.Column(leaves[0])
	g := &regular{r: r, leaf: leaves[0], typ: c.typ, elem: c.typ, most: uint64(d.MaxDefinitionLevel())}
	if l, is := c.typ.(*arrow.ListType); is {
		g.elem, g.list = l.Elem(), true
	}
	switch {
	case g.elem.ID() == arrow.FLOAT32 && d.PhysicalType() == parquet.Types.Float:
		g.width = 4
	case g.elem.ID() == arrow.FLOAT64 && d.PhysicalType() == parquet.Types.Double:
		g.width = 8
	case g.elem.ID() == arrow.FLOAT16 && d.LogicalType().Equals(schema.Float16LogicalType{}) && d.TypeLength() == 2:
		g.width = 2
	}
	if g.width == 0 || g.most > math.MaxUint8 || g.list != (d.MaxRepetitionLevel() == 1) || d.MaxRepetitionLevel() > 1 {
		return nil
	}
	return g
}

// read returns the next n rows, decoded by at most threads goroutines. It returns nil if the column
// is not regular there, or does not fit the memory limit.
func (g *regular) read(n, threads int) arrow.Array {
	if !g.hasPassed {
		if g.r.check.Column(g.leaf, g.r.groups) != nil {
			return nil
		}
		g.hasPassed = true
	}
	size := 0
	if g.per > 0 {
		size = n * g.per * g.width
	}
	if g.per == 0 || len(g.ready) < size {
		if !g.decode(n, threads) {
			return nil
		}
		size = n * g.per * g.width
	}
	values := g.ready[:size:size]
	g.ready = g.ready[size:]
	a := table.FixedArray(g.elem, n*g.per, values)
	if !g.list {
		return a
	}
	data := array.NewData(g.typ, n, []*memory.Buffer{nil, g.rowOffsets(n)}, []arrow.ArrayData{a.Data()}, 0, 0)
	return array.MakeFromData(data)
}

// rowOffsets returns the offsets of n lists. Tables share them.
func (g *regular) rowOffsets(n int) *memory.Buffer {
	if g.offsets == nil || g.offsets.Len() != 4*(n+1) {
		out := make([]int32, n+1)
		for i := range out {
			out[i] = int32(i * g.per)
		}
		g.offsets = memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(out))
	}
	return g.offsets
}

// decode decodes pages until n rows are ready.
func (g *regular) decode(n, threads int) bool {
	var pages []datum
	size := len(g.ready)
	for g.per == 0 || size < n*g.per*g.width {
		p, ok := g.page()
		if !ok || int64(size) > g.r.mem.Limit || g.per*n > math.MaxInt32 {
			return false
		}
		if p.Values > 0 {
			pages = append(pages, p)
			size += int(p.Values) * g.width
		}
	}
	if int64(size) > g.r.mem.Limit {
		return false
	}
	ready := table.Heap.Allocate(size)
	at := copy(ready, g.ready)
	for i := range pages {
		end := at + int(pages[i].Values)*g.width
		pages[i].dst, at = ready[at:end:end], end
	}
	good := make([]bool, len(pages))
	par.Do(threads, len(pages), func(i int) { good[i] = g.fill(&pages[i]) })
	for _, ok := range good {
		if !ok {
			return false
		}
	}
	g.ready = ready
	return true
}

// page returns the next data page.
func (g *regular) page() (datum, bool) {
	for {
		if g.pages == nil {
			if !g.group() {
				return datum{}, false
			}
		}
		p, more, err := g.pages.Next()
		switch {
		case err != nil || !g.plausible(p):
			return datum{}, false
		case !more:
			g.pages = nil
		case p.Kind == parquetcheck.DictionaryPage:
			if !g.dictionary(p) {
				return datum{}, false
			}
		case p.Kind != parquetcheck.IndexPage:
			d := datum{Page: p, codec: g.codec, phase: g.seen % g.per, dictionary: g.known}
			g.seen += int(p.Values)
			return d, true
		}
	}
}

// plausible reports whether a page may have the sizes that it claims, so that memory for it can be
// allocated before it is decompressed. The library decodes the indices of many equal values in
// smaller steps.
func (g *regular) plausible(p parquetcheck.Page) bool {
	return p.Uncompressed <= 1<<20+1024*p.Compressed && p.Values*int64(g.width) <= 64<<10+4*p.Uncompressed
}

// group begins with the next row group.
func (g *regular) group() bool {
	if g.next == len(g.r.groups) {
		return false
	}
	at := g.r.groups[g.next]
	pages, err := g.r.check.Pages(g.leaf, at)
	if err != nil {
		return false
	}
	rows := g.r.meta.RowGroups[at].NumRows
	per := pages.Values() / rows
	if per == 0 || per*rows != pages.Values() || per > math.MaxInt32 || g.per > 0 && int(per) != g.per {
		return false
	}
	g.per, g.pages, g.seen, g.known = int(per), pages, 0, nil
	g.next++
	if g.codec = nil; pages.Codec() != 0 {
		g.codec, err = compress.GetCodec(compress.Compression(pages.Codec()))
	}
	return err == nil
}

// dictionary decodes the dictionary of the following pages.
func (g *regular) dictionary(p parquetcheck.Page) bool {
	if p.Encoding != plain && p.Encoding != plainDictionary {
		return false
	}
	room := g.r.rooms.Get()
	defer g.r.rooms.Put(room)
	b, ok := g.bytes(&datum{Page: p, codec: g.codec}, room)
	size := p.Values * int64(g.width)
	if !ok || int64(len(b)) < size {
		return false
	}
	g.known = table.Heap.Allocate(int(size))
	copy(g.known, b)
	return true
}

// bytes reads and decompresses a page without levels of version 2.
func (g *regular) bytes(p *datum, room *pageRoom) ([]byte, bool) {
	room.raw = grown(room.raw, p.Compressed)
	if _, err := g.r.file.ReadAt(room.raw, p.At); err != nil {
		return nil, false
	}
	if p.codec == nil {
		return room.raw, p.Compressed == p.Uncompressed
	}
	room.plain = grown(room.plain, p.Uncompressed)
	return decompressed(p.codec, room.plain, room.raw)
}

func decompressed(codec compress.Codec, dst, src []byte) ([]byte, bool) {
	out, err := compress.Decode(codec, dst, src)
	return out, err == nil && len(out) == len(dst)
}

// fill decodes a page. It returns false if the page is not regular.
func (g *regular) fill(p *datum) (ok bool) {
	room := g.r.rooms.Get()
	defer g.r.rooms.Put(room)
	err := contained(func() error {
		if p.Kind == parquetcheck.DataPageV2 {
			ok = g.fillV2(p, room)
		} else {
			ok = g.fillV1(p, room)
		}
		return nil
	})
	return ok && err == nil
}

func (g *regular) fillV1(p *datum, room *pageRoom) bool {
	b, ok := g.bytes(p, room)
	if !ok || (g.list || g.most > 0) && p.Levels != levelRuns {
		return false
	}
	var repetition, definition []byte
	if g.list {
		if repetition, b, ok = prefixed(b); !ok {
			return false
		}
	}
	if g.most > 0 {
		if definition, b, ok = prefixed(b); !ok {
			return false
		}
	}
	return g.levels(p, repetition, definition) && decodeValues(p.dst, b, p.Encoding, g.width, p.dictionary)
}

// prefixed cuts bytes that come after their length.
func prefixed(b []byte) (first, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

func (g *regular) fillV2(p *datum, room *pageRoom) bool {
	room.raw = grown(room.raw, p.Compressed)
	if _, err := g.r.file.ReadAt(room.raw, p.At); err != nil || p.Nulls != 0 {
		return false
	}
	levels := p.Repetition + p.Definition
	b, size := room.raw[levels:], p.Uncompressed-levels
	if !g.levels(p, room.raw[:p.Repetition], room.raw[p.Repetition:levels]) {
		return false
	}
	if p.codec == nil || p.Bare {
		return int64(len(b)) == size && decodeValues(p.dst, b, p.Encoding, g.width, p.dictionary)
	}
	if p.Encoding == plain && size == int64(len(p.dst)) {
		out, ok := decompressed(p.codec, p.dst, b)
		return ok && decodeValues(p.dst, out, plain, g.width, nil)
	}
	room.plain = grown(room.plain, size)
	out, ok := decompressed(p.codec, room.plain, b)
	return ok && decodeValues(p.dst, out, p.Encoding, g.width, p.dictionary)
}

// levels reports whether the levels of a page are regular.
func (g *regular) levels(p *datum, repetition, definition []byte) bool {
	n := int(p.Values)
	return (!g.list || rowsOf(repetition, p.phase, g.per, n)) &&
		(g.most == 0 || allAre(definition, bits.Len64(g.most), g.most, n))
}
