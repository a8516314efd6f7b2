package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// Parquet says of a time only whether it is a moment or what a clock somewhere shows. The
// library reads both as moments, and writes clock times as moments and moments of zones
// other than UTC as clock times. This file puts that right on both ways.

// timesOf is the type of a Parquet column, times without a zone where the file has them so.
func timesOf(pf *file.Reader, f *pqarrow.SchemaField) arrow.DataType {
	leaf := f
	for !leaf.IsLeaf() && len(leaf.Children) == 1 {
		leaf = &leaf.Children[0]
	}
	dt := f.Field.Type
	if !leaf.IsLeaf() {
		return dt
	}
	logical := pf.MetaData().Schema.Column(leaf.ColIndex).LogicalType()
	times, ok := logical.(schema.TimestampLogicalType)
	if p, is := logical.(*schema.TimestampLogicalType); is {
		times, ok = *p, true
	}
	if !ok || times.IsAdjustedToUTC() {
		return dt
	}
	return inZones(dt, func(string) string { return "" })
}

// WrittenTimes is the type by which the library writes moments of any zone as moments and
// clock times as clock times.
func WrittenTimes(dt arrow.DataType) arrow.DataType {
	return inZones(dt, func(zone string) string {
		if zone == "" {
			return "local"
		}
		return "UTC"
	})
}

// inZones is a type with other zones in its times.
func inZones(dt arrow.DataType, zone func(string) string) arrow.DataType {
	part := func(f arrow.Field) arrow.Field { f.Type = inZones(f.Type, zone); return f }
	switch dt := dt.(type) {
	case *arrow.TimestampType:
		return &arrow.TimestampType{Unit: dt.Unit, TimeZone: zone(dt.TimeZone)}
	case *arrow.ListType:
		return arrow.ListOfField(part(dt.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(part(dt.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(dt.Len(), part(dt.ElemField()))
	case *arrow.StructType:
		fields := make([]arrow.Field, dt.NumFields())
		for i := range fields {
			fields[i] = part(dt.Field(i))
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		out := arrow.MapOf(inZones(dt.KeyType(), zone), inZones(dt.ItemType(), zone))
		out.KeysSorted = dt.KeysSorted
		out.SetItemNullable(dt.ItemField().Nullable)
		return out
	}
	return dt
}

// Retyped is an array in the same memory, of a type of the same layout.
func Retyped(a arrow.Array, dt arrow.DataType) arrow.Array {
	if arrow.TypeEqual(a.DataType(), dt) {
		return a
	}
	return array.MakeFromData(retypedData(a.Data(), dt))
}

func retypedData(d arrow.ArrayData, dt arrow.DataType) arrow.ArrayData {
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		switch dt := dt.(type) {
		case *arrow.StructType:
			children[i] = retypedData(c, dt.Field(i).Type)
		case arrow.ListLikeType:
			children[i] = retypedData(c, dt.Elem())
		default:
			children[i] = c
		}
	}
	return array.NewData(dt, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
