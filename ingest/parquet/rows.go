package parquet

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"unfold/ingest/table"
)

// pageRows has the rows of a page of a regular column. The values of a row may continue on the next
// page.
type pageRows struct {
	lead  int        // values of a row that began on a page before
	rows  int        // rows that begin on the page
	tail  int        // values of the last of these
	empty []emptyRow // rows without values
}

// emptyRow is a row without values: null or an empty list.
type emptyRow struct {
	at   int // the row's number
	null bool
}

// definitionOfValues returns the definition level of the lists of a column that have values. Lists
// are empty one level below, and null further below.
func definitionOfValues(c *schema.Column) uint64 {
	most := uint64(c.MaxDefinitionLevel())
	for n := c.SchemaNode(); n != nil; n = n.Parent() {
		switch n.RepetitionType() {
		case parquet.Repetitions.Repeated:
			return most
		case parquet.Repetitions.Optional:
			most--
		}
	}
	return most
}

// levels sets the rows of a page by its levels. It returns the room of the values that the page has.
func (g *regular) levels(p *datum, repetition, definition []byte) (dst []byte, ok bool) {
	n := int(p.Values)
	var others []level
	if g.most > 0 {
		if others, ok = othersThan(g.most, definition, bits.Len64(g.most), n); !ok {
			return nil, false
		}
	}
	dst = p.dst[:(n-len(others))*g.width]
	if !g.list {
		p.rows.rows, p.rows.tail = n, 1
		for _, o := range others {
			if uint64(o.value) > g.most {
				return nil, false
			}
			p.rows.empty = append(p.rows.empty, emptyRow{int(o.at), true})
		}
		return dst, true
	}
	begin, ok := starts(repetition, n)
	return dst, ok && g.rowsOf(&p.rows, begin, others, n)
}

// rowsOf sets the rows of a page with n levels of lists, by the levels that begin rows and by those
// without values. It returns false if a row has neither the right number of values nor none.
func (g *regular) rowsOf(p *pageRows, begin []int32, others []level, n int) bool {
	p.rows, p.lead = len(begin), n
	if len(begin) > 0 {
		p.lead = int(begin[0])
	}
	for row, from := range begin {
		to := n
		if row+1 < len(begin) {
			to = int(begin[row+1])
		}
		size := to - int(from)
		if len(others) > 0 && others[0].at == from && uint64(others[0].value) < g.within && size == 1 {
			p.empty = append(p.empty, emptyRow{row, uint64(others[0].value)+1 < g.within})
			others = others[1:]
			size = 0
		} else if size > g.per || size < g.per && to < n {
			return false
		}
		p.tail = size
	}
	return len(others) == 0
}

// ready has decoded rows that are not yet in a table. All but the last are complete.
type ready struct {
	values []byte
	rows   int        // complete rows
	open   int        // values of the row after these
	empty  []emptyRow // of the complete rows
	group  int        // the row group of the last row
	seen   int64      // rows that began in this row group
}

// missing estimates how many of n rows of d values are not ready.
func (r *ready) missing(n, d int) float64 {
	return float64(n-r.rows) - float64(r.open)/float64(d)
}

// take removes the first n rows, of size bytes each.
func (r *ready) take(n, size int) (values []byte, empty []emptyRow) {
	k := 0
	for k < len(r.empty) && r.empty[k].at < n {
		k++
	}
	empty = r.empty[:k:k]
	if r.empty = r.empty[k:]; len(r.empty) == 0 {
		r.empty = nil
	}
	for i := range r.empty {
		r.empty[i].at -= n
	}
	end := (n - k) * size
	values, r.values = r.values[:end:end], r.values[end:]
	r.rows -= n
	return values, empty
}

// join appends decoded pages, whose values are in room, to the rows that are ready. It returns false
// if rows do not continue from page to page as they should.
func (g *regular) join(room []byte, pages []datum) bool {
	r := &g.ready
	end := copy(room, r.values)
	for i := range pages {
		p := &pages[i].rows
		if pages[i].group != r.group {
			if !r.isWhole(g) || pages[i].group != r.group+1 {
				return false
			}
			r.group, r.seen = pages[i].group, 0
		}
		if p.lead > 0 && r.open == 0 {
			return false
		}
		if r.open += p.lead; r.open > g.per {
			return false
		}
		if p.rows > 0 && !r.append(p, g.per) {
			return false
		}
		values := pages[i].dst[:(int(pages[i].Values)-len(p.empty))*g.width]
		if &room[end] != &pages[i].dst[0] {
			copy(room[end:], values)
		}
		end += len(values)
	}
	r.values = room[:end]
	return g.hasPages() || r.isWhole(g)
}

// append appends the rows that begin on a page.
func (r *ready) append(p *pageRows, per int) bool {
	r.close(per)
	if r.open > 0 {
		return false
	}
	for _, e := range p.empty {
		r.empty = append(r.empty, emptyRow{r.rows + e.at, e.null})
	}
	r.rows += p.rows
	r.seen += int64(p.rows)
	if r.open = p.tail; r.open > 0 {
		r.rows--
	}
	return true
}

// close completes the last row, if it has its values. It is known only then that no more follow.
func (r *ready) close(per int) {
	if r.open == per {
		r.open = 0
		r.rows++
	}
}

// isWhole closes the last row of a row group and reports whether the group has as many rows as it
// says.
func (r *ready) isWhole(g *regular) bool {
	r.close(g.per)
	return r.open == 0 && r.seen == g.r.meta.RowGroups[g.r.groups[r.group]].NumRows
}

// isComplete reports whether the last n rows are ready, and the pages have no more.
func (g *regular) isComplete(n int) bool {
	if p, ok := g.page(); ok || g.hasPages() {
		return ok && p.Values == 0 && g.isComplete(n)
	}
	return g.ready.isWhole(g) && g.ready.rows == n && g.ready.group == len(g.r.groups)-1
}

// hasPages reports whether page failed before the end of the column.
func (g *regular) hasPages() bool { return g.pages != nil || g.next < len(g.r.groups) }

// measure sets the number of values of a row, which is that of the first list with values; 1 if no
// list has any.
func (g *regular) measure() bool {
	if g.per = 1; !g.list {
		return true
	}
	probe := *g
	size, group := 0, 0
	for {
		p, ok := probe.page()
		if !ok && probe.hasPages() {
			return false
		}
		if !ok || size > 0 && p.group != group {
			break
		}
		more, complete, ok := g.firstSize(&p, size > 0)
		if !ok {
			return false
		}
		if size, group = size+more, p.group; complete {
			break
		}
	}
	g.per = max(1, size)
	return true
}

// firstSize returns the number of values on a page of the first list that has any, and whether it
// ends there. continued means that it began on a page before.
func (g *regular) firstSize(p *datum, continued bool) (size int, complete, ok bool) {
	room := g.r.rooms.Get()
	defer g.r.rooms.Put(room)
	parts, ok := g.parts(p, room)
	if !ok {
		return 0, false, false
	}
	n := int(p.Values)
	begin, ok := starts(parts.repetition, n)
	others, isSound := othersThan(g.most, parts.definition, bits.Len64(g.most), n)
	if !ok || !isSound {
		return 0, false, false
	}
	if continued {
		begin = append([]int32{0}, begin...)
	}
	for !continued && len(begin) > 0 && len(others) > 0 && others[0].at == begin[0] && uint64(others[0].value) < g.within {
		begin, others = begin[1:], others[1:]
	}
	switch len(begin) {
	case 0:
		return 0, false, true
	case 1:
		return n - int(begin[0]), false, true
	}
	return int(begin[1] - begin[0]), true, true
}

// lists returns n rows with their values, those of empty without any.
func (g *regular) lists(n int, values []byte, empty []emptyRow) arrow.Array {
	a := table.FixedArray(g.elem, len(values)/g.width, values)
	if len(empty) == 0 {
		return g.listArray(n, nil, g.rowOffsets(n), a)
	}
	offsets := make([]int32, n+1)
	at := int32(0)
	for i, rest := 0, empty; i < n; i++ {
		if len(rest) > 0 && rest[0].at == i {
			rest = rest[1:]
		} else {
			at += int32(g.per)
		}
		offsets[i+1] = at
	}
	return g.listArray(n, present(n, empty), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), a)
}

func (g *regular) listArray(n int, valid, offsets *memory.Buffer, values arrow.Array) arrow.Array {
	nulls := 0
	if valid != nil {
		nulls = array.UnknownNullCount
	}
	data := array.NewData(g.typ, n, []*memory.Buffer{valid, offsets}, []arrow.ArrayData{values.Data()}, nulls, 0)
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

// numbers returns n numbers, those of empty null.
func (g *regular) numbers(n int, values []byte, empty []emptyRow) arrow.Array {
	if len(empty) == 0 {
		return table.FixedArray(g.elem, n, values)
	}
	spread := table.Heap.Allocate(n * g.width)
	from, at := 0, 0 // of values, of spread
	for _, e := range empty {
		size := e.at*g.width - at
		copy(spread[at:], values[from:from+size])
		from, at = from+size, at+size+g.width
	}
	copy(spread[at:], values[from:])
	data := array.NewData(g.elem, n, []*memory.Buffer{present(n, empty), memory.NewBufferBytes(spread)}, nil, array.UnknownNullCount, 0)
	return array.MakeFromData(data)
}

// present returns a bit for each of n rows, 0 for those of empty that are null.
func present(n int, empty []emptyRow) *memory.Buffer {
	b := make([]byte, bitutil.BytesForBits(int64(n)))
	bitutil.SetBitsTo(b, 0, int64(n), true)
	for _, e := range empty {
		if e.null {
			bitutil.ClearBit(b, e.at)
		}
	}
	return memory.NewBufferBytes(b)
}
