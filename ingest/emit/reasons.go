package emit

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// Names of the nested columns that are there where events are explained.
const (
	ReasonsName   = "reasons"
	NeighborsName = "neighbors"
)

// Directions of a Reason.
const (
	// Above and Below: the event's value is more or less than its neighbours' mean.
	Above = "above"
	Below = "below"
	// Other: the event's category is another than that of its neighbours.
	Other = "other"
)

// Reason is a column of the source that makes an event novel.
type Reason struct {
	// Column is its name, of an element of a list as in embedding[12].
	Column string
	// Share is what the column carries of the event's distance to its neighbours, from 0
	// to 1; those of all columns sum to 1.
	Share     float64
	Direction string
	// Value is the event's in the source's units; Low and High are the least and the most
	// of its neighbours'. They are NaN of a column of text.
	Value, Low, High float64
	// Category is that of the event in a column of text, Expected is the most frequent one
	// of its neighbours. Text says that these are what counts.
	Text               bool
	Category, Expected string
}

// Neighbor is a reference point that is near an event.
type Neighbor struct {
	// ID is that of the newest event that the point is, or the point's number on the map
	// where no id is known.
	ID string
	// Distance is Euclidean, in the space that the model sees.
	Distance float32
}

// CheckReasons says which kept column conflicts with the columns of reasons.
func CheckReasons(keep []string) error {
	for _, name := range keep {
		if name == ReasonsName || name == NeighborsName {
			return fmt.Errorf("column %q cannot be kept: why events are novel is in columns %s and %s; rename it in the input", name, ReasonsName, NeighborsName)
		}
	}
	return nil
}

// items describes those of a nested column for all formats.
type items[T any] struct {
	name   string // of a record in Avro and Protobuf
	fields []itemField[T]
}

// itemField is a field of an item. One of its getters is set; ok is false where there is
// no value, which an optional field alone may lack.
type itemField[T any] struct {
	name     string
	optional bool
	text     func(*T) (v string, ok bool)
	double   func(*T) (v float64, ok bool)
	float    func(*T) (v float32, ok bool)
}

// number is a field that NaN stands for nothing in.
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

// nested is a column of lists of records, nil for an event without. Nil for all: there is
// no column.
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

// array makes the lists of all events.
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

// A map that is read keeps the column as it is.
func (s nested[T]) names(table.Schema) []string                { return nil }
func (s nested[T]) read(*Output, *table.Table, []string) error { return nil }

// explained says whether an output holds reasons.
func (o *Output) explained() bool { return o.Reasons != nil || o.Neighbors != nil }

// checkExplained says which kept column conflicts with reasons.
func (o *Output) checkExplained(c table.Column) error {
	if !o.explained() {
		return nil
	}
	return CheckReasons([]string{c.Name()})
}
