package parquet

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"unfold/ingest/table"
)

// A column of sparse vectors is read by its leaves, each as a column of its own, since the library
// reads what has structs in it in goroutines of its own. They are put together here.

// sparseParts are the fields that a column of sparse vectors is read by; nil if it is none, or has
// something else than values in its structs.
func sparseParts(f *pqarrow.SchemaField) []pqarrow.SchemaField {
	if f.Field == nil || table.KindOf(f.Field.Type) != table.SparseVector {
		return nil
	}
	var out []pqarrow.SchemaField
	if f.Field.Type.ID() == arrow.STRUCT {
		for _, part := range f.Children {
			field := *part.Field
			field.Nullable = field.Nullable || f.Field.Nullable
			part.Field = &field
			out = append(out, part)
		}
		return out
	}
	for _, leaf := range f.Children[0].Children {
		if !leaf.IsLeaf() {
			return nil
		}
		lists := *f
		field := *f.Field
		field.Type = arrow.ListOf(leaf.Field.Type)
		lists.Field, lists.Children = &field, []pqarrow.SchemaField{leaf}
		out = append(out, lists)
	}
	return out
}

// joined puts the parts of a column of sparse vectors together.
func joined(dt arrow.DataType, parts []arrow.Array) (arrow.Array, error) {
	s, is := dt.(*arrow.StructType)
	if is {
		return structOf(s, parts), nil
	}
	lists := make([]*array.List, len(parts))
	entries := make([]arrow.Array, len(parts))
	for i, p := range parts {
		lists[i], is = p.(*array.List)
		if !is || p.Data().Offset() != 0 {
			return nil, fmt.Errorf("its entries are %s", p.DataType())
		}
		entries[i] = lists[i].ListValues()
		if err := sameLists(lists[0], lists[i]); err != nil {
			return nil, err
		}
	}
	pairs := structOf(dt.(arrow.ListLikeType).Elem().(*arrow.StructType), entries)
	d := lists[0].Data()
	return array.MakeFromData(array.NewData(dt, d.Len(), d.Buffers(), []arrow.ArrayData{pairs.Data()}, d.NullN(), 0)), nil
}

// sameLists wants two columns of lists to have the same lengths, and values for them.
func sameLists(a, b *array.List) error {
	if a.Len() != b.Len() || a.ListValues().Len() != b.ListValues().Len() {
		return errors.New("its entries have more of one field than of another")
	}
	for i := range a.Len() {
		from, to := a.ValueOffsets(i)
		first, end := b.ValueOffsets(i)
		if from != first || to != end || a.IsNull(i) != b.IsNull(i) {
			return fmt.Errorf("the entries of row %d have more of one field than of another", i+1)
		}
	}
	return nil
}

// structOf makes structs of their fields, null where all of them are.
func structOf(dt *arrow.StructType, fields []arrow.Array) arrow.Array {
	n, nulls := fields[0].Len(), 0
	valid := make([]byte, bitutil.BytesForBits(int64(n)))
	for i := range n {
		there := false
		for _, f := range fields {
			there = there || !f.IsNull(i)
		}
		if there {
			bitutil.SetBit(valid, i)
		} else {
			nulls++
		}
	}
	children := make([]arrow.ArrayData, len(fields))
	for i, f := range fields {
		children[i] = f.Data()
	}
	buffers := []*memory.Buffer{nil}
	if nulls > 0 {
		buffers[0] = memory.NewBufferBytes(valid)
	}
	return array.MakeFromData(array.NewData(dt, n, buffers, children, nulls, 0))
}
