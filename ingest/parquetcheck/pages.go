package parquetcheck

// PageKind is the kind of a page.
type PageKind int64

const (
	DataPage       PageKind = dataPage
	IndexPage      PageKind = indexPage
	DictionaryPage PageKind = dictionaryPage
	DataPageV2     PageKind = dataPageV2
)

// Page describes a page of a column chunk, as its header does.
type Page struct {
	Kind PageKind
	// At is where its bytes start in the file, after the header.
	At int64
	// Compressed is the number of these bytes, Uncompressed their number once decompressed.
	Compressed, Uncompressed int64
	// Values is the number of values, with nulls and a value for each empty list. Nulls is known
	// only of DataPageV2.
	Values, Nulls int64
	// Encoding is the number of the encoding of the values. Levels is that of the levels of a
	// DataPage, -1 if it has several.
	Encoding, Levels int64
	// Repetition and Definition are the lengths of the levels of a DataPageV2, in bytes. They come
	// first and are never compressed.
	Repetition, Definition int64
	// Bare is true if the values of a DataPageV2 are not compressed.
	Bare bool
}

// Pages iterates over the pages of a column in one row group.
type Pages struct {
	p       pages
	at, end int64
	seen    int64
}

// Pages returns an iterator over the pages of a column, given by its number among those that have
// values, in a row group. The page headers are checked again, but no checksums: call Column before.
func (f *File) Pages(leaf, group int) (*Pages, error) {
	g := f.footer.groups[group]
	it := &Pages{p: pages{r: f.r, leaf: f.leaves[leaf], chunk: g.chunks[leaf], lim: f.lim, flaws: f.footer.flaws}}
	var err error
	it.at, it.end, err = it.p.bounds(g.rows, f.end)
	return it, err
}

// Codec is the number of the compression.
func (it *Pages) Codec() int64 { return it.p.chunk.codec }

// Values is the number of values of all pages.
func (it *Pages) Values() int64 { return it.p.chunk.values }

// Next returns the next page. more is false after the last, which is the one that completes Values.
func (it *Pages) Next() (page Page, more bool, err error) {
	if it.seen >= it.p.chunk.values || it.at >= it.end {
		return page, false, nil
	}
	h, n, err := it.p.header(it.at, it.end)
	if err == nil {
		err = it.p.page(h, it.at+n, it.end)
	}
	if err != nil {
		return page, false, err
	}
	if h.typ == dataPage || h.typ == dataPageV2 {
		it.seen += h.values
	}
	at := it.at + n
	it.at = at + h.compressed
	return Page{Kind: PageKind(h.typ), At: at, Compressed: h.compressed, Uncompressed: h.uncompressed, Values: h.values, Nulls: h.nulls,
		Encoding: h.encoding, Levels: h.levels, Repetition: h.reps, Definition: h.defs, Bare: h.bare}, true, nil
}
