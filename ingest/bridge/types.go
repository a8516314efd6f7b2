package bridge

import (
	"fmt"

	old "github.com/apache/arrow/go/v15/arrow"

	"github.com/apache/arrow-go/v18/arrow"
)

// plain pairs the types that have no parameters.
var plain = []struct {
	old old.DataType
	new arrow.DataType
}{
	{old.Null, arrow.Null},
	{old.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Boolean},
	{old.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8},
	{old.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int16},
	{old.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int32},
	{old.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64},
	{old.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint8},
	{old.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint16},
	{old.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint32},
	{old.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Uint64},
	{old.FixedWidthTypes.Float16, arrow.FixedWidthTypes.Float16},
	{old.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float32},
	{old.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64},
	{old.BinaryTypes.String, arrow.BinaryTypes.String},
	{old.BinaryTypes.Binary, arrow.BinaryTypes.Binary},
	{old.BinaryTypes.LargeString, arrow.BinaryTypes.LargeString},
	{old.BinaryTypes.LargeBinary, arrow.BinaryTypes.LargeBinary},
	{old.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date32},
	{old.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Date64},
	{old.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.MonthInterval},
	{old.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.DayTimeInterval},
	{old.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.MonthDayNanoInterval},
}

// NewType returns the same type of v18. An extension type becomes its storage.
func NewType(dt old.DataType) (arrow.DataType, error) {
	for _, p := range plain {
		if p.old.ID() == dt.ID() {
			return p.new, nil
		}
	}
	switch dt := dt.(type) {
	case *old.FixedSizeBinaryType:
		return &arrow.FixedSizeBinaryType{ByteWidth: dt.ByteWidth}, nil
	case *old.TimestampType:
		return &arrow.TimestampType{Unit: arrow.TimeUnit(dt.Unit), TimeZone: dt.TimeZone}, nil
	case *old.Time32Type:
		return &arrow.Time32Type{Unit: arrow.TimeUnit(dt.Unit)}, nil
	case *old.Time64Type:
		return &arrow.Time64Type{Unit: arrow.TimeUnit(dt.Unit)}, nil
	case *old.DurationType:
		return &arrow.DurationType{Unit: arrow.TimeUnit(dt.Unit)}, nil
	case *old.Decimal128Type:
		return &arrow.Decimal128Type{Precision: dt.Precision, Scale: dt.Scale}, nil
	case *old.Decimal256Type:
		return &arrow.Decimal256Type{Precision: dt.Precision, Scale: dt.Scale}, nil
	case *old.DictionaryType:
		parts, err := newTypes(dt.IndexType, dt.ValueType)
		if err != nil {
			return nil, err
		}
		return &arrow.DictionaryType{IndexType: parts[0], ValueType: parts[1], Ordered: dt.Ordered}, nil
	case *old.MapType:
		key, err := NewField(dt.KeyField())
		if err != nil {
			return nil, err
		}
		item, err := NewField(dt.ItemField())
		if err != nil {
			return nil, err
		}
		m := arrow.MapOfFields(key, item)
		m.KeysSorted = dt.KeysSorted
		return m, nil
	case *old.StructType:
		fields := make([]arrow.Field, dt.NumFields())
		for i, f := range dt.Fields() {
			var err error
			if fields[i], err = NewField(f); err != nil {
				return nil, err
			}
		}
		return arrow.StructOf(fields...), nil
	case old.ListLikeType:
		return newList(dt)
	case old.ExtensionType:
		return NewType(dt.StorageType())
	}
	return nil, fmt.Errorf("columns of type %s are not supported here", dt)
}

func newList(dt old.ListLikeType) (arrow.DataType, error) {
	element, err := NewField(dt.ElemField())
	if err != nil {
		return nil, err
	}
	switch dt := dt.(type) {
	case *old.ListType:
		return arrow.ListOfField(element), nil
	case *old.LargeListType:
		return arrow.LargeListOfField(element), nil
	case *old.FixedSizeListType:
		return arrow.FixedSizeListOfField(dt.Len(), element), nil
	}
	return nil, fmt.Errorf("columns of type %s are not supported here", dt)
}

func newTypes(dts ...old.DataType) ([]arrow.DataType, error) {
	out := make([]arrow.DataType, len(dts))
	for i, dt := range dts {
		var err error
		if out[i], err = NewType(dt); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// NewField returns the same field of v18.
func NewField(f old.Field) (arrow.Field, error) {
	dt, err := NewType(f.Type)
	return arrow.Field{Name: f.Name, Type: dt, Nullable: f.Nullable, Metadata: arrow.NewMetadata(f.Metadata.Keys(), f.Metadata.Values())}, err
}

// NewSchema returns the same schema of v18.
func NewSchema(s *old.Schema) (*arrow.Schema, error) {
	fields := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		var err error
		if fields[i], err = NewField(f); err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
	}
	m := arrow.NewMetadata(s.Metadata().Keys(), s.Metadata().Values())
	return arrow.NewSchema(fields, &m), nil
}

// OldType returns the same type of v15. An extension type becomes its storage.
func OldType(dt arrow.DataType) (old.DataType, error) {
	for _, p := range plain {
		if p.new.ID() == dt.ID() {
			return p.old, nil
		}
	}
	switch dt := dt.(type) {
	case *arrow.FixedSizeBinaryType:
		return &old.FixedSizeBinaryType{ByteWidth: dt.ByteWidth}, nil
	case *arrow.TimestampType:
		return &old.TimestampType{Unit: old.TimeUnit(dt.Unit), TimeZone: dt.TimeZone}, nil
	case *arrow.Time32Type:
		return &old.Time32Type{Unit: old.TimeUnit(dt.Unit)}, nil
	case *arrow.Time64Type:
		return &old.Time64Type{Unit: old.TimeUnit(dt.Unit)}, nil
	case *arrow.DurationType:
		return &old.DurationType{Unit: old.TimeUnit(dt.Unit)}, nil
	case *arrow.Decimal128Type:
		return &old.Decimal128Type{Precision: dt.Precision, Scale: dt.Scale}, nil
	case *arrow.Decimal256Type:
		return &old.Decimal256Type{Precision: dt.Precision, Scale: dt.Scale}, nil
	case *arrow.DictionaryType:
		parts, err := oldTypes(dt.IndexType, dt.ValueType)
		if err != nil {
			return nil, err
		}
		return &old.DictionaryType{IndexType: parts[0], ValueType: parts[1], Ordered: dt.Ordered}, nil
	case *arrow.MapType:
		return oldMap(dt)
	case *arrow.StructType:
		fields := make([]old.Field, dt.NumFields())
		for i, f := range dt.Fields() {
			var err error
			if fields[i], err = OldField(f); err != nil {
				return nil, err
			}
		}
		return old.StructOf(fields...), nil
	case arrow.ListLikeType:
		return oldList(dt)
	case arrow.ExtensionType:
		return OldType(dt.StorageType())
	}
	return nil, fmt.Errorf("columns of type %s are not supported here", dt)
}

// oldMap names key and item as v15 does: it has no other names.
func oldMap(dt *arrow.MapType) (old.DataType, error) {
	parts, err := oldTypes(dt.KeyType(), dt.ItemType())
	if err != nil {
		return nil, err
	}
	m := old.MapOf(parts[0], parts[1])
	m.KeysSorted = dt.KeysSorted
	m.SetItemNullable(dt.ItemField().Nullable)
	return m, nil
}

func oldList(dt arrow.ListLikeType) (old.DataType, error) {
	element, err := OldField(dt.ElemField())
	if err != nil {
		return nil, err
	}
	switch dt := dt.(type) {
	case *arrow.ListType:
		return old.ListOfField(element), nil
	case *arrow.LargeListType:
		return old.LargeListOfField(element), nil
	case *arrow.FixedSizeListType:
		return old.FixedSizeListOfField(dt.Len(), element), nil
	}
	return nil, fmt.Errorf("columns of type %s are not supported here", dt)
}

func oldTypes(dts ...arrow.DataType) ([]old.DataType, error) {
	out := make([]old.DataType, len(dts))
	for i, dt := range dts {
		var err error
		if out[i], err = OldType(dt); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OldField returns the same field of v15.
func OldField(f arrow.Field) (old.Field, error) {
	dt, err := OldType(f.Type)
	return old.Field{Name: f.Name, Type: dt, Nullable: f.Nullable, Metadata: old.NewMetadata(f.Metadata.Keys(), f.Metadata.Values())}, err
}
