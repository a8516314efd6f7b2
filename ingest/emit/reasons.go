package emit

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// Names of the nested columns that exist if events are explained.
const (
	ReasonsName   = "reasons"
	NeighborsName = "neighbors"
)

// Directions of a Reason.
const (
	// Above and Below mean that the event's value is above or below the mean of its neighbors.
	Above = "above"
	Below = "below"
	// Other means that the event's category differs from that of its neighbors.
	Other = "other"
)

// Reason describes a source column that makes an event novel.
type Reason struct {
	// Column is the name of the column, or of an element of a list, for example embedding[12].
	Column string
	// Share is the column's fraction, from 0 to 1, of the event's distance to its
	// neighbors. The shares of all columns sum to 1.
	Share     float64
	Direction string
	// Value is the event's value in the source's units, Low and High are the minimum and maximum
	// among its neighbors. For a column of text they are NaN.
	Value, Low, High float64
	// Category is the event's category in a column of text, Expected the most frequent one among
	// its neighbors. Text is set if these two fields apply.
	Text               bool
	Category, Expected string
}

// Neighbor is a reference point near an event.
type Neighbor struct {
	// ID is the id of the newest event at the reference point, or the point's number on the map if
	// no id is known.
	ID string
	// Distance is the Euclidean distance in the model's input space.
	Distance float32
}

// CheckReasons returns an error if a kept column has the name of a column of reasons.
func CheckReasons(keep []string) error {
	for _, name := range keep {
		if name == ReasonsName || name == NeighborsName {
			return fmt.Errorf("column %q cannot be kept: why events are novel is in columns %s and %s; rename it in the input", name, ReasonsName, NeighborsName)
		}
	}
	return nil
}

// items describes the items of a nested column for all formats.
type items[T any] struct {
	name   string // of a record in Avro and Protobuf
	fields []itemField[T]
}

// itemField is a field of an item, with exactly one getter set. A getter returns ok false for a
// missing value, which only an optional field may have.
type itemField[T any] struct {
	name     string
	optional bool
	text     func(*T) (v string, ok bool)
	double   func(*T) (v float64, ok bool)
	float    func(*T) (v float32, ok bool)
}

// number returns a field in which NaN stands for a missing value.
func number[T any](name string, of func(*T) float64) itemField[T] {
	return itemField[T]{name: name, optional: true, double: func(v *T) (float64, bool) { x := of(v); return x, !math.IsNaN(x) }}
}

var reasonItems = items[Reason]{"Reason", []itemField[Reason]{
	{name: "column", text: func(r *Reason) (string, bool) { return r.Column, true }},
	{name: "share", double: func(r *Reason) (float64, bool) { return r.Share, true }},
	{name: "direction", text: func(r *Reason) (string, bool) { return r.Direction, true }},
	number("value", func(r *Reason) float64 { return r.Value }),
	number("expected_low", func(r *Reason) float64 { return r.Low }),
	number("expected_high", func(r *Reason) float64 { return r.High }),
	{name: "category", optional: true, text: func(r *Reason) (string, bool) { return r.Category, r.Text }},
	{name: "expected_category", optional: true, text: func(r *Reason) (string, bool) { return r.Expected, r.Text }},
}}

var neighborItems = items[Neighbor]{"Neighbor", []itemField[Neighbor]{
	{name: "id", text: func(n *Neighbor) (string, bool) { return n.ID, true }},
	{name: "distance", float: func(n *Neighbor) (float32, bool) { return n.Distance, true }},
}}

// nested is a column of lists of records, nil for events without any. If the values are nil there
// is no column.
type nested[T any] struct {
	name string
	at   func(*Output) *[][]T
	of   *items[T]
}

func (s nested[T]) String() string       { return s.name }
func (s nested[T]) there(o *Output) bool { return *s.at(o) != nil }

func (s nested[T]) check(o *Output) error {
	if n := len(*s.at(o)); n != o.Len() {
		return fmt.Errorf("ingest: %d values of %s for %d events", n, s.name, o.Len())
	}
	return nil
}

func (s nested[T]) cut(o *Output, from, to int) { *s.at(o) = (*s.at(o))[from:to] }

func (s nested[T]) join(out *Output, parts []*Output) error {
	all := [][]T{}
	for _, p := range parts {
		all = append(all, *s.at(p)...)
	}
	*s.at(out) = all
	return nil
}

// arrowType is the type in Arrow: list<struct>.
func (r *items[T]) arrowType() *arrow.StructType {
	fields := make([]arrow.Field, len(r.fields))
	for i, f := range r.fields {
		fields[i] = arrow.Field{Name: f.name, Nullable: f.optional}
		switch {
		case f.text != nil:
			fields[i].Type = arrow.BinaryTypes.String
		case f.double != nil:
			fields[i].Type = arrow.PrimitiveTypes.Float64
		default:
			fields[i].Type = arrow.PrimitiveTypes.Float32
		}
	}
	return arrow.StructOf(fields...)
}

// array returns the lists of all events.
func (s nested[T]) array(o *Output) arrow.Array {
	lists := array.NewListBuilderWithField(table.Heap, arrow.Field{Name: "item", Type: s.of.arrowType()})
	each := lists.ValueBuilder().(*array.StructBuilder)
	for _, list := range *s.at(o) {
		if list == nil {
			lists.AppendNull()
			continue
		}
		lists.Append(true)
		for k := range list {
			each.Append(true)
			for i, f := range s.of.fields {
				f.build(each.FieldBuilder(i), &list[k])
			}
		}
	}
	return lists.NewArray()
}

// build appends the field of an item.
func (f *itemField[T]) build(b array.Builder, item *T) {
	ok := false
	switch b := b.(type) {
	case *array.StringBuilder:
		var v string
		if v, ok = f.text(item); ok {
			b.Append(v)
		}
	case *array.Float64Builder:
		var v float64
		if v, ok = f.double(item); ok {
			b.Append(v)
		}
	case *array.Float32Builder:
		var v float32
		if v, ok = f.float(item); ok {
			b.Append(v)
		}
	}
	if !ok {
		b.AppendNull()
	}
}

func (s nested[T]) columns(o *Output, _ layout) []table.Column {
	return []table.Column{table.NewColumn(s.name, s.array(o)).Nullable()}
}

func (s nested[T]) write(b *body, o *Output) { b.array(s.array(o)) }

// A map that is read back has the column as a kept column.
func (s nested[T]) names(table.Schema) []string                { return nil }
func (s nested[T]) read(*Output, *table.Table, []string) error { return nil }

// explained reports whether an output has reasons.
func (o *Output) explained() bool { return o.Reasons != nil || o.Neighbors != nil }

// checkExplained returns an error if a kept column has the name of a column of reasons.
func (o *Output) checkExplained(c table.Column) error {
	if !o.explained() {
		return nil
	}
	return CheckReasons([]string{c.Name()})
}
