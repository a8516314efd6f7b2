package table_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// Types that several tests use.
var (
	i8, i32, i64 = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	f32, f64     = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	text         = arrow.BinaryTypes.String
)

// here is the position of row 0 in tests of errors: error texts count rows from 1.
var here = table.Origin{File: "x.csv", Row: 10}

// field returns a nullable field.
func field(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: true}
}

// fromJSON returns an array from JSON values.
func fromJSON(t testing.TB, dt arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(table.Heap, dt, strings.NewReader(values))
	if err != nil {
		t.Fatalf("%s: %s: %v", dt, values, err)
	}
	return a
}

// column returns a column "c" from JSON values.
func column(t testing.TB, dt arrow.DataType, values string) table.Column {
	t.Helper()
	return table.NewColumn("c", fromJSON(t, dt, values))
}

// coded returns a dictionary column from its values and indices.
func coded(t testing.TB, values arrow.Array, rows string) arrow.Array {
	t.Helper()
	dt := &arrow.DictionaryType{IndexType: i8, ValueType: values.DataType()}
	return array.NewDictionaryArray(dt, fromJSON(t, i8, rows), values)
}

// structOf returns an array of structs of these fields, without nulls.
func structOf(t testing.TB, names []string, fields ...arrow.Array) arrow.Array {
	t.Helper()
	a, err := array.NewStructArray(fields, names)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// foreignType is an extension type of another program, stored as an Arrow type.
type foreignType struct{ arrow.ExtensionBase }

type foreignArray struct{ array.ExtensionArrayBase }

func (*foreignType) ExtensionName() string                      { return "test.foreign" }
func (*foreignType) Serialize() string                          { return "" }
func (*foreignType) ArrayType() reflect.Type                    { return reflect.TypeOf(foreignArray{}) }
func (e *foreignType) ExtensionEquals(arrow.ExtensionType) bool { return true }
func (e *foreignType) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return foreignOf(storage), nil
}

func foreignOf(storage arrow.DataType) arrow.ExtensionType {
	return &foreignType{arrow.ExtensionBase{Storage: storage}}
}

// foreign returns an array of an extension type of another program.
func foreign(a arrow.Array) arrow.Array {
	return array.NewExtensionArrayWithStorage(foreignOf(a.DataType()), a)
}

// rows returns the rows of a column as text, with "null" for nulls.
func rows(c table.Column) string {
	out := c.Strings()
	for i := range out {
		if c.IsNull(i) {
			out[i] = "null"
		}
	}
	return strings.Join(out, "|")
}

// wantError fails unless the input is refused with an error that contains a text.
func wantError(t testing.TB, err error, want string) {
	t.Helper()
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, expected %s", err, want)
	}
}
