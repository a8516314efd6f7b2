package parquetcheck

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// pages walks the pages of a column chunk.
type pages struct {
	r     io.ReaderAt
	leaf  leaf
	chunk chunk
	lim   Limits
	head  []byte
	flaws flaws
}

// page has the fields of a PageHeader that are checked.
type page struct {
	typ, uncompressed, compressed int64
	crc                           int64
	hasCRC                        bool
	values                        int64
	encoding                      int64 // of the values
	levels                        int64 // the encoding of a version 1 page's levels, -1 if they differ
	nulls                         int64 // of a version 2 page
	defs, reps                    int64 // lengths of a version 2 page's levels
	bare                          bool  // a version 2 page's values are not compressed
	header                        bool  // it has a header of its type
}

const (
	dataPage       = 0
	indexPage      = 1
	dictionaryPage = 2
	dataPageV2     = 3
)

// maxValues bounds a page's values: the decoder makes room for as many numbers.
const maxValues = 1 << 28

// check checks all pages of a chunk with the given number of rows. end is the end of all pages.
func (p *pages) check(rows, end int64) error {
	at, end, err := p.bounds(rows, end)
	if err != nil {
		return err
	}
	return p.walk(at, end)
}

// bounds checks what the footer says about the chunk, and returns where its pages start and end.
func (p *pages) bounds(rows, end int64) (int64, int64, error) {
	c := p.chunk
	switch {
	case !c.present:
		return 0, 0, fmt.Errorf("it has no metadata in the footer")
	case !slices.Contains(codecs, c.codec):
		return 0, 0, fmt.Errorf("its compression %d is not known", c.codec)
	case c.typ != p.leaf.typ:
		return 0, 0, fmt.Errorf("its type is %d, in the schema %d", c.typ, p.leaf.typ)
	case c.values < 0 || c.values < rows || !p.leaf.repeated && c.values != rows:
		return 0, 0, fmt.Errorf("it has %d values for %d rows", c.values, rows)
	}
	at := c.data
	if c.dictionary > 0 && c.dictionary < at {
		at = c.dictionary
	}
	if at < int64(len(magic)) || c.compressed < 0 || at > end || c.compressed > end-at {
		return 0, 0, fmt.Errorf("its %d bytes at %d lie outside the file", c.compressed, at)
	}
	size := c.compressed
	if p.flaws.isShort {
		size += padding
	}
	return at, min(at+size, end), nil
}

// padding is the maximum size of the header of a dictionary.
const padding = 100

func (p *pages) walk(at, end int64) error {
	seen, dictionaries := int64(0), 0
	for seen < p.chunk.values {
		if at >= end {
			return fmt.Errorf("its pages have %d of %d values", seen, p.chunk.values)
		}
		h, n, err := p.header(at, end)
		if err != nil {
			return err
		}
		if err := p.page(h, at+n, end); err != nil {
			return fmt.Errorf("page at %d: %w", at, err)
		}
		if err := p.checksum(h, at+n); err != nil {
			return fmt.Errorf("page at %d: %w", at, err)
		}
		switch h.typ {
		case dictionaryPage:
			if dictionaries++; dictionaries > 1 {
				return fmt.Errorf("it has two dictionaries")
			}
		case dataPage, dataPageV2:
			seen += h.values
		}
		at += n + h.compressed
	}
	if seen != p.chunk.values {
		return fmt.Errorf("its pages have %d values, the footer says %d", seen, p.chunk.values)
	}
	return nil
}

// header reads a page's header, whose length is known only after reading it.
func (p *pages) header(at, end int64) (page, int64, error) {
	for size := int64(256); ; size *= 4 {
		size = min(size, end-at)
		if int64(cap(p.head)) < size {
			p.head = make([]byte, size)
		}
		b := p.head[:size]
		if _, err := p.r.ReadAt(b, at); err != nil {
			return page{}, 0, err
		}
		c := &cursor{b: b}
		h := c.page()
		if c.err == nil {
			return h, int64(c.at), nil
		}
		if c.err != errShort || size == end-at || size > 1<<22 {
			return page{}, 0, fmt.Errorf("the page header at %d is damaged: %w", at, c.err)
		}
	}
}

func (c *cursor) page() page {
	h := page{typ: -1}
	c.fields(func(id int64, typ byte) {
		switch {
		case id == 1:
			h.typ = c.int(typ)
		case id == 2:
			h.uncompressed = c.int(typ)
		case id == 3:
			h.compressed = c.int(typ)
		case id == 4:
			h.crc, h.hasCRC = c.int(typ), true
		case typ == tStruct && (id == 5 && h.typ == dataPage || id == 7 && h.typ == dictionaryPage || id == 8 && h.typ == dataPageV2):
			h.header = true
			c.fields(func(id int64, typ byte) { c.pageField(&h, id, typ) })
		default:
			c.skip(typ)
		}
	})
	return h
}

// pageField reads a field of the header of the page's type.
func (c *cursor) pageField(h *page, id int64, typ byte) {
	switch {
	case id == 1:
		h.values = c.int(typ)
	case h.typ != dataPageV2 && id == 2 || h.typ == dataPageV2 && id == 4:
		h.encoding = c.int(typ)
	case h.typ == dataPage && id == 3:
		h.levels = c.int(typ)
	case h.typ == dataPage && id == 4:
		if c.int(typ) != h.levels {
			h.levels = -1
		}
	case h.typ == dataPageV2 && id == 2:
		h.nulls = c.int(typ)
	case h.typ == dataPageV2 && id == 7:
		h.bare = typ == tFalse
	case h.typ == dataPageV2 && id == 5:
		h.defs = c.int(typ)
	case h.typ == dataPageV2 && id == 6:
		h.reps = c.int(typ)
	default:
		c.skip(typ)
	}
}

// page checks one page, whose bytes start at position at.
func (p *pages) page(h page, at, end int64) error {
	levels := h.defs + h.reps
	switch {
	case h.typ < dataPage || h.typ > dataPageV2:
		return fmt.Errorf("its type is %d", h.typ)
	case h.compressed < 0 || h.compressed > end-at:
		return fmt.Errorf("its %d bytes lie outside the column", h.compressed)
	case h.uncompressed < 0 || h.uncompressed > p.lim.Page:
		return fmt.Errorf("it says it takes %d bytes decompressed; at most %d are allowed", h.uncompressed, p.lim.Page)
	case h.typ == indexPage:
		return nil
	case !h.header:
		return fmt.Errorf("it has no header of its type")
	case h.values < 0 || h.values > maxValues || h.typ != dictionaryPage && h.values > p.chunk.values:
		return fmt.Errorf("it says it has %d values", h.values)
	case h.typ == dictionaryPage && h.values*p.leaf.atLeast() > h.uncompressed:
		return fmt.Errorf("its dictionary of %d values has only %d bytes", h.values, h.uncompressed)
	case h.defs < 0 || h.reps < 0 || levels > h.compressed || levels > h.uncompressed:
		return fmt.Errorf("its levels take %d bytes", levels)
	case h.bare && p.chunk.codec != 0 && p.flaws.isBare:
		return fmt.Errorf("a page that Arrow before version 3 wrote, stating falsely that it is not compressed, is %w: read it by pyarrow and write it again", ErrUnsupported)
	case h.bare && h.compressed != h.uncompressed:
		return fmt.Errorf("its %d bytes are not compressed, and %d are stated", h.compressed, h.uncompressed)
	}
	return nil
}

// checksum compares a page's bytes with its CRC-32, if it has one.
func (p *pages) checksum(h page, at int64) error {
	if !h.hasCRC || h.typ == indexPage {
		return nil
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(p.r, at, h.compressed)); err != nil {
		return err
	}
	if sum.Sum32() != uint32(h.crc) {
		return fmt.Errorf("its checksum is wrong")
	}
	return nil
}
