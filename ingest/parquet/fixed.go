package parquet

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"unfold/ingest/table"
)

// The library decodes DELTA_BYTE_ARRAY only for bytes of variable length, although the encoding is
// the same for bytes of fixed length. Columns of fixed length are therefore read as variable, and
// converted afterwards.

// byteArray is Parquet's type number of bytes of variable length.
const byteArray = 6

// anyLength changes columns of fixed length with DELTA_BYTE_ARRAY to variable length in the
// metadata. It returns their lengths by the index of the column.
func anyLength(meta *metadata.FileMetaData) (map[int]int, error) {
	widths := map[int]int{}
	elements := meta.FileMetaData.Schema
	leaf := -1
	for i := 1; i < len(elements); i++ {
		e := elements[i]
		if e.GetNumChildren() > 0 {
			continue
		}
		if leaf++; meta.Schema.Column(leaf).PhysicalType() != parquet.Types.FixedLenByteArray || !onlyDelta(meta, leaf) {
			continue
		}
		widths[leaf] = int(e.GetTypeLength())
		*e.Type = byteArray
		if _, decimal := meta.Schema.Column(leaf).LogicalType().(schema.DecimalLogicalType); !decimal {
			e.LogicalType, e.ConvertedType = nil, nil
		}
	}
	if len(widths) == 0 {
		return nil, nil
	}
	root, err := schema.FromParquet(elements)
	if err != nil {
		return nil, err
	}
	meta.Schema = schema.NewSchema(root.(*schema.GroupNode))
	return widths, nil
}

// onlyDelta reports whether all values of a column are encoded as DELTA_BYTE_ARRAY.
func onlyDelta(meta *metadata.FileMetaData, leaf int) bool {
	found := false
	for g := range meta.NumRowGroups() {
		chunk, err := meta.RowGroup(g).ColumnChunk(leaf)
		if err != nil {
			return false
		}
		for _, e := range chunk.Encodings() {
			switch e {
			case parquet.Encodings.DeltaByteArray:
				found = true
			case parquet.Encodings.RLE, parquet.Encodings.BitPacked: // for levels
			default:
				return false
			}
		}
	}
	return found
}

// hasDelta reports whether values of a column are encoded as DELTA_BYTE_ARRAY.
func hasDelta(meta *metadata.FileMetaData, leaf int) bool {
	for g := range meta.NumRowGroups() {
		if chunk, err := meta.RowGroup(g).ColumnChunk(leaf); err == nil && slices.Contains(chunk.Encodings(), parquet.Encodings.DeltaByteArray) {
			return true
		}
	}
	return false
}

// width returns the fixed length of a column's values that were changed by anyLength; 0 for other
// columns.
func (r *reader) width(c *column) int {
	if _, is := c.typ.(*arrow.BinaryType); !is {
		return 0
	}
	return r.widths[slices.Max(leavesOf(nil, &c.field))]
}

// fixed converts values of variable length to fixed length.
func fixed(a arrow.Array, width int) (arrow.Array, error) {
	values := a.(*array.Binary)
	b := array.NewFixedSizeBinaryBuilder(table.Heap, &arrow.FixedSizeBinaryType{ByteWidth: width})
	b.Reserve(a.Len())
	for i := range values.Len() {
		switch v := values.Value(i); {
		case values.IsNull(i):
			b.AppendNull()
		case len(v) != width:
			return nil, fmt.Errorf("a value of %d bytes, all have %d", len(v), width)
		default:
			b.Append(v)
		}
	}
	return b.NewArray(), nil
}
