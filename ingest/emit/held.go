package emit

import (
	"fmt"
	"strings"
	"unfold/ingest/arrays"
	"unfold/ingest/bridge"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A format can store some Arrow types only as another type. This file defines these conversions for
// all writers.

// held describes the conversion of a type for a format.
type held struct {
	as arrow.DataType // the type that is stored
	// words describes the stored type and what is lost, "" if nothing is lost.
	words string
}

// heldIn returns the conversion of a type for a format, or an error if the format cannot store it.
func heldIn(format input.Format, dt arrow.DataType) (held, error) {
	switch format {
	case input.Parquet:
		return heldInParquet(dt)
	case input.CSV:
		return held{dt, textFor(dt)}, nil
	case input.JSON:
		if table.KindOf(dt) == table.Vector {
			return held{dt, ""}, nil
		}
		return held{dt, textFor(dt)}, nil
	case input.NPY:
		return held{dt, "left out"}, nil
	}
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return held{d.ValueType, valuesOnly}, nil
	}
	return held{dt, ""}, nil
}

const valuesOnly = "the values without their dictionary"

// textFor describes the text that a type is stored as, or returns "" if the text reads back as the
// same type.
func textFor(dt arrow.DataType) string {
	switch dt.ID() {
	case arrow.DICTIONARY:
		return textFor(dt.(*arrow.DictionaryType).ValueType)
	case arrow.DECIMAL128, arrow.DECIMAL256, arrow.NULL:
		return ""
	case arrow.BINARY, arrow.LARGE_BINARY:
		return `text with bytes that are not UTF-8 as \xff`
	case arrow.FIXED_SIZE_BINARY:
		return "text in base64"
	}
	if k := table.KindOf(dt); k == table.Number || k == table.Bool || k == table.Text {
		return ""
	}
	return "text"
}

// heldInParquet is heldIn for Parquet. The difference between long and short offsets of text,
// binary and lists is not stored, which loses nothing.
func heldInParquet(dt arrow.DataType) (held, error) {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		h, err := heldInParquet(dt.ValueType)
		return held{h.as, both(valuesOnly, h.words)}, err
	case *arrow.TimestampType:
		return heldTime(dt), nil
	case *arrow.Time32Type:
		if dt.Unit == arrow.Second {
			return held{arrow.FixedWidthTypes.Time32ms, "milliseconds"}, nil
		}
	case *arrow.Date64Type:
		return held{arrow.FixedWidthTypes.Date32, "date32"}, nil
	case *arrow.DurationType:
		return held{arrow.PrimitiveTypes.Int64, fmt.Sprintf("a whole number of %s", dt.Unit)}, nil
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return held{}, fmt.Errorf("there is no type in Parquet for %s; write an Arrow file or CSV, or do not keep the column", table.TypeName(dt))
	case *arrow.StructType:
		return structInParquet(dt)
	case *arrow.MapType:
		return mapInParquet(dt)
	case arrow.ListLikeType:
		element := dt.ElemField()
		h, err := heldInParquet(element.Type)
		element.Type = h.as
		words := ""
		if id := dt.ID(); id != arrow.LIST && id != arrow.LARGE_LIST {
			words = "a list of any length"
		}
		return held{arrow.ListOfField(element), both(words, h.words)}, err
	case arrow.ExtensionType:
		return heldInParquet(dt.StorageType())
	}
	return held{dt, ""}, nil
}

func structInParquet(dt *arrow.StructType) (held, error) {
	fields, words := make([]arrow.Field, dt.NumFields()), ""
	for i, f := range dt.Fields() {
		h, err := heldInParquet(f.Type)
		if err != nil {
			return held{}, err
		}
		f.Type, words = h.as, both(words, h.words)
		fields[i] = f
	}
	return held{arrow.StructOf(fields...), words}, nil
}

func mapInParquet(dt *arrow.MapType) (held, error) {
	key, err := heldInParquet(dt.KeyType())
	if err != nil {
		return held{}, err
	}
	item, err := heldInParquet(dt.ItemType())
	if err != nil {
		return held{}, err
	}
	as := arrow.MapOf(key.as, item.as)
	as.KeysSorted = dt.KeysSorted
	as.SetItemNullable(dt.ItemField().Nullable)
	return held{as, both(key.words, item.words)}, nil
}

// heldTime returns the Parquet form of a time: its unit is at most a millisecond, and it may be an
// instant or a local time.
func heldTime(dt *arrow.TimestampType) held {
	as, words := arrow.TimestampType{Unit: dt.Unit}, ""
	if dt.TimeZone != "" {
		as.TimeZone = "UTC"
	}
	if dt.TimeZone != as.TimeZone {
		words = "the same moment in UTC"
	}
	if dt.Unit == arrow.Second {
		as.Unit, words = arrow.Millisecond, both(words, "milliseconds")
	}
	return held{&as, words}
}

// both joins two descriptions of losses.
func both(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + ", " + b
}

// turned converts an array to a type given by heldIn. A dictionary of values without any other
// conversion becomes text.
func turned(a arrow.Array, as arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(a.DataType(), as) {
		return a, nil
	}
	switch a := a.(type) {
	case *array.Dictionary:
		values := table.PlainValues(a)
		if values.DataType().ID() == arrow.STRING {
			return values, nil
		}
		return turned(values, as)
	case *array.Duration:
		return arrays.Retyped(a, as), nil
	case *array.Timestamp:
		zoned := &arrow.TimestampType{Unit: a.DataType().(*arrow.TimestampType).Unit, TimeZone: as.(*arrow.TimestampType).TimeZone}
		return cast(arrays.Retyped(a, zoned), as)
	case *array.Struct:
		children := make([]arrow.ArrayData, a.NumField())
		for i := range children {
			c, err := turned(a.Field(i), as.(*arrow.StructType).Field(i).Type)
			if err != nil {
				return nil, err
			}
			children[i] = c.Data()
		}
		return array.MakeFromData(array.NewData(as, a.Len(), table.ValidityOf(a.Data()), children, a.NullN(), 0)), nil
	case *array.Map:
		pairs, err := turned(a.ListValues(), as.(*arrow.MapType).Elem())
		if err != nil {
			return nil, err
		}
		d := a.Data()
		return array.MakeFromData(array.NewData(as, d.Len(), d.Buffers(), []arrow.ArrayData{pairs.Data()}, d.NullN(), d.Offset())), nil
	case array.ListLike:
		values, err := turned(a.ListValues(), as.(*arrow.ListType).Elem())
		if err != nil {
			return nil, err
		}
		return listOf32(a, values)
	case array.ExtensionArray:
		return turned(a.Storage(), as)
	}
	return cast(a, as)
}

// cast converts times between units. A value that does not fit is an error.
func cast(a arrow.Array, as arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(a.DataType(), as) {
		return a, nil
	}
	return bridge.Cast(a, as)
}

// DescribeHeld describes in one line which passed-through columns of an output will have another
// type in the file, and which one; "" if there are none. It returns an error if the format cannot
// store a column.
func DescribeHeld(path string, o *Output) (string, error) {
	parts, err := heldBy(path, o)
	if err != nil || len(parts) == 0 {
		return "", err
	}
	return fmt.Sprintf("columns that %s holds as something else: %s", path, strings.Join(parts, "; ")), nil
}

// heldBy lists the names of converted columns, each with the conversion in parentheses.
func heldBy(path string, o *Output) (parts []string, err error) {
	format, _, err := FormatOf(path)
	if err != nil {
		return nil, nil // Create returns this error
	}
	var order []string
	names := map[string][]string{}
	for _, c := range o.passing() {
		h, err := heldIn(format, c.ArrowField().Type)
		if err != nil {
			return nil, table.Origin{File: path}.BadColumn(c.Name(), "%v", err)
		}
		words := h.words
		if !holdsMetadata(format) && c.ArrowField().Metadata.Len() > 0 && format != input.NPY {
			words = both(words, "without the field's metadata")
		}
		if words == "" {
			continue
		}
		if names[words] == nil {
			order = append(order, words)
		}
		names[words] = append(names[words], c.Name())
	}
	for _, words := range order {
		parts = append(parts, fmt.Sprintf("%s (%s)", table.List(names[words]), words))
	}
	return parts, nil
}

// holdsMetadata reports whether a format stores the metadata of fields.
func holdsMetadata(format input.Format) bool {
	return format == input.ArrowFile || format == input.ArrowStream
}

// passing returns the columns from the input, including the id.
func (o *Output) passing() []table.Column {
	var all []table.Column
	if o.ID.Valid() {
		all = append(all, o.ID.Renamed(IDName))
	}
	return append(all, keptColumns{}.columns(o, nil)...)
}
