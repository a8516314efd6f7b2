package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"unfold/ingest/parquetcheck"
	"unfold/ingest/table"
	"unfold/internal/par"
)

// regular reads a column of numbers, or of lists of numbers, as long as it is regular: every row has
// the same number of values, or none if it is null or an empty list. So are vectors. Pages are
// decoded concurrently, and their rows follow from few of their levels (levels.go, rows.go).
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
	within    uint64 // the definition level of a list that has values
	per       int    // values of a row; 0 until the first row group
	next      int    // the row group that follows the current one
	pages     *parquetcheck.Pages
	rate      float64 // rows of the current row group for each of its values
	codec     compress.Codec
	known     []byte // the current dictionary
	ready     ready
	offsets   *memory.Buffer
	hasPassed bool // the pages have been checked
}

// datum is a page that is to be decoded.
type datum struct {
	parquetcheck.Page
	codec      compress.Codec
	group      int // the row group, as an index of reader.groups
	dictionary []byte
	dst        []byte   // room for all its values
	rows       pageRows // set by fill
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
		g.within = definitionOfValues(d)
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
	for g.ready.rows < n {
		if !g.decode(n, threads) {
			return nil
		}
	}
	if int64(n) == g.r.end-g.r.origin.Row && !g.isComplete(n) {
		return nil
	}
	values, empty := g.ready.take(n, g.per*g.width)
	if g.list {
		return g.lists(n, values, empty)
	}
	return g.numbers(n, values, empty)
}

// decode decodes the pages that n rows need, according to the average number of values of a row, and
// the start of a further row, since the last may continue on the next page.
func (g *regular) decode(n, threads int) bool {
	if g.per == 0 && !g.measure() {
		return false
	}
	if int64(g.per)*int64(n) > math.MaxInt32 {
		return false
	}
	var pages []datum
	size := len(g.ready.values)
	for missing := g.ready.missing(n, g.per); missing > -1e-6 || len(pages) == 0; {
		p, ok := g.page()
		if !ok {
			if g.hasPages() {
				return false
			}
			break
		}
		if p.Values > 0 {
			pages = append(pages, p)
			size += int(p.Values) * g.width
			missing -= float64(p.Values) * g.rate
		}
		if int64(size) > g.r.mem.Limit {
			return false
		}
	}
	room := table.Heap.Allocate(size)
	at := len(g.ready.values)
	for i := range pages {
		end := at + int(pages[i].Values)*g.width
		pages[i].dst, at = room[at:end:end], end
	}
	good := make([]bool, len(pages))
	par.Do(threads, len(pages), func(i int) { good[i] = g.fill(&pages[i]) })
	before := g.ready.rows
	return !slices.Contains(good, false) && g.join(room, pages) && (len(pages) > 0 || g.ready.rows > before)
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
			return datum{Page: p, codec: g.codec, group: g.next - 1, dictionary: g.known}, true
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
	g.pages, g.known = pages, nil
	g.rate = float64(g.r.meta.RowGroups[at].NumRows) / float64(max(1, pages.Values()))
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
		ok = g.decodePage(p, room)
		return nil
	})
	return ok && err == nil
}

func (g *regular) decodePage(p *datum, room *pageRoom) bool {
	parts, ok := g.parts(p, room)
	if !ok {
		return false
	}
	dst, ok := g.levels(p, parts.repetition, parts.definition)
	if !ok {
		return false
	}
	b := parts.values
	if parts.isPacked {
		into := dst
		if p.Encoding != plain || parts.size != int64(len(dst)) {
			room.plain = grown(room.plain, parts.size)
			into = room.plain
		}
		if b, ok = decompressed(p.codec, into, b); !ok {
			return false
		}
	}
	return decodeValues(dst, b, p.Encoding, g.width, p.dictionary)
}

// pageParts has the encoded parts of a page.
type pageParts struct {
	repetition, definition, values []byte
	isPacked                       bool  // the values are compressed
	size                           int64 // the size of the values without compression
}

// parts reads a page. The parts of a page of version 1 are compressed as a whole.
func (g *regular) parts(p *datum, room *pageRoom) (out pageParts, ok bool) {
	if p.Kind == parquetcheck.DataPageV2 {
		return g.partsV2(p, room)
	}
	b, ok := g.bytes(p, room)
	if !ok || (g.list || g.most > 0) && p.Levels != levelRuns {
		return out, false
	}
	if g.list {
		if out.repetition, b, ok = prefixed(b); !ok {
			return out, false
		}
	}
	if g.most > 0 {
		if out.definition, b, ok = prefixed(b); !ok {
			return out, false
		}
	}
	out.values, out.size = b, int64(len(b))
	return out, true
}

func (g *regular) partsV2(p *datum, room *pageRoom) (out pageParts, ok bool) {
	room.raw = grown(room.raw, p.Compressed)
	if _, err := g.r.file.ReadAt(room.raw, p.At); err != nil {
		return out, false
	}
	levels := p.Repetition + p.Definition
	out = pageParts{room.raw[:p.Repetition], room.raw[p.Repetition:levels], room.raw[levels:], p.codec != nil && !p.Bare, p.Uncompressed - levels}
	return out, out.isPacked || int64(len(out.values)) == out.size
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
