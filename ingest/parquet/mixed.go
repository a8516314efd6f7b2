package parquet

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"unfold/ingest/table"
)

// mixed reads a column of bytes of fixed length of which some pages have a dictionary and others are
// DELTA_BYTE_ARRAY, as parquet-mr writes decimals in version 2 of the format. The library decodes the
// former only as bytes of fixed length, and the latter only as bytes of variable length. Therefore
// pages go to readers of the library of both kinds.
type mixed struct {
	r      *reader
	leaf   int
	width  int
	levels file.LevelInfo
	delta  *schema.Column
	group  int // the row group that follows, as an index of reader.groups
	pages  file.PageReader
	others file.RecordReader
	feed   *feed
	rows   [][]byte // decoded, nil for null
}

// isMixed reports whether a column of bytes of fixed length, some of which are DELTA_BYTE_ARRAY, can be
// read so. Lists cannot.
func (r *reader) isMixed(c *column) bool {
	if !c.field.IsLeaf() {
		return false
	}
	switch c.typ.(type) {
	case *arrow.FixedSizeBinaryType, *arrow.Decimal128Type, *arrow.Decimal256Type:
	default:
		return false
	}
	return r.meta.Schema.Column(c.field.ColIndex).MaxRepetitionLevel() == 0
}

func (r *reader) newMixed(c *column) *mixed {
	d := r.meta.Schema.Column(c.field.ColIndex)
	node := schema.NewByteArrayNode(d.Name(), d.SchemaNode().RepetitionType(), -1)
	return &mixed{r: r, leaf: c.field.ColIndex, width: d.TypeLength(), levels: c.field.LevelInfo, delta: schema.NewColumn(node, d.MaxDefinitionLevel(), 0)}
}

// read returns the next n rows.
func (m *mixed) read(n int, typ arrow.DataType) (arrow.Array, error) {
	for len(m.rows) < n {
		if err := m.page(); err == io.EOF {
			return nil, fmt.Errorf("it has fewer rows than the file says (%d)", m.r.rows)
		} else if err != nil {
			return nil, err
		}
	}
	rows := m.rows[:n]
	m.rows = slices.Clone(m.rows[n:])
	return fixedArray(rows, m.width, typ), nil
}

// page decodes the next page.
func (m *mixed) page() error {
	for m.pages == nil || !m.pages.Next() {
		if m.pages != nil && m.pages.Err() != nil {
			return m.pages.Err()
		}
		if m.group == len(m.r.groups) {
			return io.EOF
		}
		pages, err := m.r.fr.ParquetReader().RowGroup(m.r.groups[m.group]).GetColumnPageReader(m.leaf)
		if err != nil {
			return err
		}
		m.group++
		m.pages, m.feed = pages, &feed{}
		if m.others, err = m.decoder(m.r.meta.Schema.Column(m.leaf), m.feed); err != nil {
			return err
		}
	}
	p, others := m.pages.Page(), m.others
	if parquet.Encoding(p.Encoding()) == parquet.Encodings.DeltaByteArray && p.Type() != file.PageTypeDictionaryPage {
		var err error
		if others, err = m.decoder(m.delta, &feed{page: p}); err != nil {
			return err
		}
	} else {
		m.feed.page = p
	}
	others.Reset()
	if _, err := others.ReadRecords(int64(p.NumValues())); err != nil || p.Type() == file.PageTypeDictionaryPage {
		return err // the dictionary has been read, and there is no page behind it
	}
	for _, a := range others.(file.BinaryRecordReader).GetBuilderChunks() {
		if err := m.add(a); err != nil {
			return err
		}
	}
	return nil
}

// decoder returns a reader of the values of pages, as of the given column.
func (m *mixed) decoder(d *schema.Column, pages file.PageReader) (file.RecordReader, error) {
	r := file.NewRecordReader(d, m.levels, arrow18.BinaryTypes.Binary, m.r.mem, m.r.fr.ParquetReader().BufferPool())
	return r, r.(file.RecordReaderWithError).SetPageReaderWithError(pages)
}

// add adds decoded rows.
func (m *mixed) add(a arrow18.Array) error {
	values, ok := a.(interface{ Value(int) []byte })
	if !ok {
		return fmt.Errorf("its pages are decoded to %s", a.DataType())
	}
	for i := range a.Len() {
		var v []byte
		if !a.IsNull(i) {
			if v = bytes.Clone(values.Value(i)); len(v) != m.width {
				return fmt.Errorf("a value of %d bytes, all have %d", len(v), m.width)
			}
		}
		m.rows = append(m.rows, v)
	}
	return nil
}

// fixedArray returns an array of bytes of fixed length, or of decimals whose bytes they are, in
// big-endian order.
func fixedArray(rows [][]byte, width int, typ arrow.DataType) arrow.Array {
	b := array.NewBuilder(table.Heap, typ)
	b.Reserve(len(rows))
	for _, v := range rows {
		if v == nil {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.FixedSizeBinaryBuilder:
			b.Append(v)
		case *array.Decimal128Builder:
			b.Append(decimal128.FromBigInt(table.Integer(v)))
		case *array.Decimal256Builder:
			b.Append(decimal256.FromBigInt(table.Integer(v)))
		}
	}
	return b.NewArray()
}

// feed is a page reader of the page that is set.
type feed struct{ page, current file.Page }

func (f *feed) Next() bool {
	f.current, f.page = f.page, nil
	return f.current != nil
}

func (f *feed) Page() file.Page                                                                { return f.current }
func (f *feed) Err() error                                                                     { return nil }
func (f *feed) Close() error                                                                   { return nil }
func (f *feed) SetMaxPageHeaderSize(int)                                                       {}
func (f *feed) GetDictionaryPage() (*file.DictionaryPage, error)                               { return nil, nil }
func (f *feed) SeekToPageWithRow(int64) error                                                  { return io.EOF }
func (f *feed) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {}
