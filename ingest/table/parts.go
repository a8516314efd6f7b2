package table

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// The fields of a struct can be used as columns by their dotted path, like those of nested JSON
// records. A column whose own name contains the dots has precedence.

// partsOf describes the fields of a struct. It returns nil for other types.
func partsOf(dt arrow.DataType) Schema {
	s, is := dt.(*arrow.StructType)
	if !is || len(s.Fields()) == 0 {
		return nil
	}
	out := Describe(arrow.NewSchema(s.Fields(), nil))
	for i := range out {
		out[i].Index = false
	}
	return out
}

// below returns the rest of a dotted path after a column's name.
func below(path, name string) (rest string, ok bool) { return strings.CutPrefix(path, name+".") }

// part finds a field by a dotted path.
func (s Schema) part(path string) (Field, bool) {
	for _, f := range s {
		if rest, ok := below(path, f.Name); ok {
			if p, ok := f.Parts.Find(rest); ok {
				p.Name, p.Nullable = path, p.Nullable || f.Nullable
				return p, true
			}
		}
	}
	return Field{}, false
}

// Flat returns the schema with each struct replaced by its fields, named by their dotted path.
// Structs that are sparse vectors stay.
func (s Schema) Flat() Schema {
	if !slices.ContainsFunc(s, func(f Field) bool { return f.Parts != nil }) {
		return s
	}
	out := make(Schema, 0, len(s))
	for _, f := range s {
		if f.Parts == nil || f.Kind == SparseVector {
			out = append(out, f)
			continue
		}
		for _, p := range f.Parts.Flat() {
			if p.Name = f.Name + "." + p.Name; s.Index(p.Name) < 0 {
				p.Nullable = p.Nullable || f.Nullable
				out = append(out, p)
			}
		}
	}
	return out
}

// part finds a column by a dotted path.
func (t *Table) part(path string) (Column, bool) {
	for i := range int(t.rec.NumCols()) {
		c := t.At(i)
		if rest, ok := below(path, c.Name()); ok {
			if p, ok := c.part(rest); ok {
				return p.Renamed(path), true
			}
		}
	}
	return Column{}, false
}

// part returns a field of a column of structs.
func (c Column) part(path string) (Column, bool) {
	a, is := c.arr.(*array.Struct)
	if !is {
		return Column{}, false
	}
	fields := a.DataType().(*arrow.StructType).Fields()
	for i, f := range fields {
		if f.Name == path {
			f.Nullable = f.Nullable || c.field.Nullable
			return Column{f, fieldOf(a, i)}, true
		}
	}
	for i, f := range fields {
		if rest, ok := below(path, f.Name); ok {
			f.Nullable = f.Nullable || c.field.Nullable
			if p, ok := (Column{f, fieldOf(a, i)}).part(rest); ok {
				return p, true
			}
		}
	}
	return Column{}, false
}

// fieldOf returns a field of structs, null where the struct is null.
func fieldOf(a *array.Struct, i int) arrow.Array {
	f := a.Field(i)
	if a.NullN() == 0 || f.DataType().ID() == arrow.NULL {
		return f
	}
	d := f.Data()
	valid := make([]byte, bitutil.BytesForBits(int64(d.Offset()+d.Len())))
	nulls := 0
	for k := range d.Len() {
		if a.IsNull(k) || f.IsNull(k) {
			nulls++
		} else {
			bitutil.SetBit(valid, d.Offset()+k)
		}
	}
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(valid)}, d.Buffers()[1:]...)
	if dict, is := f.(*array.Dictionary); is {
		return array.NewDictionaryData(array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, nulls, d.Offset(), dict.Dictionary().Data().(*array.Data)))
	}
	return array.MakeFromData(array.NewData(d.DataType(), d.Len(), buffers, d.Children(), nulls, d.Offset()))
}
