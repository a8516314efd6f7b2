package emit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Names of the columns with the probabilities of all classes and their entropy.
const (
	ClassProbabilitiesName = "class_probabilities"
	ClassEntropyName       = "class_entropy"
)

// ClassShare is the probability of a class.
type ClassShare struct {
	Class       string
	Probability float32
}

// ClassShares returns the probabilities p, n x len(names), of each event, likeliest class first.
// Classes of equal probability are ordered by name.
func ClassShares(names []string, p vec.Matrix[float32]) [][]ClassShare {
	out, all := make([][]ClassShare, p.Rows), make([]ClassShare, p.Rows*p.Cols)
	for i := range out {
		row := all[i*p.Cols : (i+1)*p.Cols : (i+1)*p.Cols]
		for k, v := range p.Row(i) {
			row[k] = ClassShare{names[k], v}
		}
		slices.SortFunc(row, func(a, b ClassShare) int {
			return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Class, b.Class))
		})
		out[i] = row
	}
	return out
}

// CheckClassShares returns an error if a kept column has the name of a column of all classes'
// probabilities.
func CheckClassShares(keep []string) error {
	for _, name := range keep {
		if name == ClassProbabilitiesName || name == ClassEntropyName {
			return fmt.Errorf("column %q cannot be kept: the probabilities of all classes are in columns %s and %s; rename it in the input", name, ClassProbabilitiesName, ClassEntropyName)
		}
	}
	return nil
}

// sharesColumn is the column of all classes' probabilities: a map from class to probability, null
// for events whose classes are not predicted. If the values are nil there is no column.
type sharesColumn struct{}

func (sharesColumn) String() string       { return ClassProbabilitiesName }
func (sharesColumn) there(o *Output) bool { return o.ClassShares != nil }

func (sharesColumn) check(o *Output) error {
	if n := len(o.ClassShares); n != o.Len() {
		return fmt.Errorf("ingest: %d values of %s for %d events", n, ClassProbabilitiesName, o.Len())
	}
	return nil
}

func (sharesColumn) cut(o *Output, from, to int) { o.ClassShares = o.ClassShares[from:to] }

func (sharesColumn) join(out *Output, parts []*Output) error {
	out.ClassShares = [][]ClassShare{}
	for _, p := range parts {
		out.ClassShares = append(out.ClassShares, p.ClassShares...)
	}
	return nil
}

// array returns the maps of all events: map<utf8, float>.
func (sharesColumn) array(o *Output) arrow.Array {
	b := array.NewMapBuilder(table.Heap, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float32, false)
	keys, values := b.KeyBuilder().(*array.StringBuilder), b.ItemBuilder().(*array.Float32Builder)
	for _, shares := range o.ClassShares {
		if shares == nil {
			b.AppendNull()
			continue
		}
		b.Append(true)
		for _, s := range shares {
			keys.Append(readable(s.Class))
			values.Append(s.Probability)
		}
	}
	return b.NewArray()
}

func (s sharesColumn) columns(o *Output, _ layout) []table.Column {
	return []table.Column{table.NewColumn(ClassProbabilitiesName, s.array(o)).Nullable()}
}

func (s sharesColumn) write(b *body, o *Output) { b.array(s.array(o)) }

// A map that is read back has the column as a kept column.
func (sharesColumn) names(table.Schema) []string                { return nil }
func (sharesColumn) read(*Output, *table.Table, []string) error { return nil }

// json adds an object with a field for each class.
func (sharesColumn) json(w *jsonRow, o *Output, i int) {
	w.name(ClassProbabilitiesName)
	if o.ClassShares[i] == nil {
		w.to = append(w.to, "null"...)
		return
	}
	w.shares(o.ClassShares[i])
}

func (w *jsonRow) shares(all []ClassShare) {
	w.to = append(w.to, '{')
	for _, s := range all {
		w.name(s.Class)
		w.to = appendFloat32(w.to, s.Probability)
	}
	w.to = append(w.to, '}')
}

// text returns the probabilities as JSON text, or empty if there are none.
func (sharesColumn) text(o *Output, i int) string {
	w := jsonRow{}
	if o.ClassShares[i] != nil {
		w.shares(o.ClassShares[i])
	}
	return string(w.to)
}

// avro returns the field of a nullable map.
func (sharesColumn) avro(*Output) []avroField {
	return []avroField{{ClassProbabilitiesName, []any{"null", map[string]any{"type": "map", "values": "float"}}, nil, func(to []byte, o *Output, i int) ([]byte, error) {
		shares := o.ClassShares[i]
		if shares == nil {
			return append(to, 0), nil
		}
		to = append(to, branch)
		if len(shares) > 0 {
			to = appendLong(to, int64(len(shares)))
		}
		for _, s := range shares {
			to = appendAvroFloat(appendAvroText(to, s.Class), s.Probability)
		}
		return append(to, 0), nil
	}}}
}

// proto adds one entry of the map for each class.
func (sharesColumn) proto(w *protoRow, o *Output) {
	for _, s := range o.ClassShares[0] {
		entry := protoRow{}
		entry.text(1, s.Class)
		entry.float(2, s.Probability)
		w.to = protowire.AppendTag(w.to, protoNumbers[ClassProbabilitiesName], protowire.BytesType)
		w.to = protowire.AppendBytes(w.to, entry.to)
	}
}
