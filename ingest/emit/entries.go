package emit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unfold/ingest/table"
	"unfold/internal/vec"

	"github.com/apache/arrow/go/v15/arrow"
)

// idColumn is the id, or the row number if there is none.
type idColumn struct{}

func (idColumn) String() string { return IDName }

func (idColumn) there(*Output) bool { return true }

func (idColumn) check(o *Output) error {
	if !o.ID.Valid() {
		return nil
	}
	return checkRows(o.ID, o)
}

func (idColumn) cut(o *Output, from, to int) { o.ID = o.ID.Slice(from, to) }

func (idColumn) join(out *Output, parts []*Output) (err error) {
	all := make([]table.Column, len(parts))
	for i, p := range parts {
		if all[i] = p.ID; p.ID.Valid() != parts[0].ID.Valid() {
			return fmt.Errorf("the columns change between batches: not all have an id")
		}
	}
	out.ID, err = table.Concat(all...)
	return err
}

func (idColumn) columns(o *Output, _ layout) []table.Column {
	if o.ID.Valid() {
		return []table.Column{o.ID.Renamed(IDName)}
	}
	return []table.Column{table.Int64Column(IDName, o.rowNumbers())}
}

func (o *Output) rowNumbers() []int64 {
	ids := make([]int64, o.Len())
	for i := range ids {
		ids[i] = o.FirstRow + int64(i)
	}
	return ids
}

func (idColumn) write(b *body, o *Output) {
	if o.ID.Valid() {
		b.column(o.ID)
		return
	}
	b.fixed(arrow.Int64Traits.CastToBytes(o.rowNumbers()))
}

func (idColumn) names(s table.Schema) []string { return present(s, IDName) }

func (idColumn) read(o *Output, t *table.Table, names []string) (err error) {
	o.ID, err = t.Need(names[0])
	return err
}

// present returns the name if the schema has it, otherwise nothing.
func present(s table.Schema, name string) []string {
	if _, ok := s.Find(name); ok {
		return []string{name}
	}
	return nil
}

func checkRows(c table.Column, o *Output) error {
	if c.Len() != o.Len() {
		return fmt.Errorf("ingest: column %q has %d rows for %d events", c.Name(), c.Len(), o.Len())
	}
	return nil
}

// keptColumns are the columns that are passed on.
type keptColumns struct{}

func (keptColumns) String() string { return "kept columns" }

func (keptColumns) there(o *Output) bool { return len(o.Kept) > 0 }

// repeated reports whether a kept column is the id column again, which is written only once.
func (o *Output) repeated(c table.Column) bool { return c.Name() == IDName && o.ID.Name() == IDName }

func (keptColumns) check(o *Output) error {
	for _, c := range o.Kept {
		if o.repeated(c) {
			continue
		}
		if err := CheckKept(o.ID.Name(), []string{c.Name()}); err != nil {
			return err
		}
		if o.Class != nil {
			if err := CheckClasses([]string{c.Name()}); err != nil {
				return err
			}
		}
		if o.ClassShares != nil || o.ClassEntropy != nil {
			if err := CheckClassShares([]string{c.Name()}); err != nil {
				return err
			}
		}
		if o.Cluster != nil {
			if err := CheckClusters([]string{c.Name()}); err != nil {
				return err
			}
		}
		if err := o.checkExplained(c); err != nil {
			return err
		}
		if err := checkRows(c, o); err != nil {
			return err
		}
	}
	return nil
}

func (keptColumns) cut(o *Output, from, to int) {
	all := make([]table.Column, len(o.Kept))
	for i, c := range o.Kept {
		all[i] = c.Slice(from, to)
	}
	o.Kept = all
}

func (keptColumns) join(out *Output, parts []*Output) (err error) {
	out.Kept = make([]table.Column, len(parts[0].Kept))
	for k := range out.Kept {
		all := make([]table.Column, len(parts))
		for i, p := range parts {
			if len(p.Kept) != len(out.Kept) || p.Kept[k].Name() != parts[0].Kept[k].Name() {
				return fmt.Errorf("the columns change between batches: other columns are kept")
			}
			all[i] = p.Kept[k]
		}
		if out.Kept[k], err = table.Concat(all...); err != nil {
			return err
		}
	}
	return nil
}

func (keptColumns) columns(o *Output, _ layout) (all []table.Column) {
	for _, c := range o.Kept {
		if !o.repeated(c) {
			all = append(all, c)
		}
	}
	return all
}

func (keptColumns) write(b *body, o *Output) {
	for _, c := range o.Kept {
		if !o.repeated(c) {
			b.column(c)
		}
	}
}

// Columns that no other entry recognizes are kept columns: see readOutput.
func (keptColumns) names(table.Schema) []string                { return nil }
func (keptColumns) read(*Output, *table.Table, []string) error { return nil }

// placeColumn is the embedding.
type placeColumn struct{}

func (placeColumn) String() string { return EmbeddingName }

func (placeColumn) there(*Output) bool  { return true }
func (placeColumn) check(*Output) error { return nil }

// placeless reports whether the rows have no places, and so no columns for them.
func (o *Output) placeless() bool { return o.Embedding.Cols == 0 && o.Embedding.Rows > 0 }

func (placeColumn) cut(o *Output, from, to int) { o.Embedding = o.Embedding.Slice(from, to) }

func (placeColumn) join(out *Output, parts []*Output) error {
	dims, rows := parts[0].Embedding.Cols, 0
	for _, p := range parts {
		if p.Embedding.Cols != dims {
			return fmt.Errorf("the embedding has %d dimensions, before it had %d", p.Embedding.Cols, dims)
		}
		rows += p.Len()
	}
	out.Embedding = vec.New[float32](rows, dims)
	at := 0
	for _, p := range parts {
		at += copy(out.Embedding.Data[at:], p.Embedding.Data)
	}
	return nil
}

func (placeColumn) columns(o *Output, places layout) []table.Column {
	if o.placeless() {
		return nil
	}
	return places(o.Embedding)
}

func (placeColumn) write(b *body, o *Output) { b.lists(o.Embedding) }

// names finds the embedding: the column of that name, embedding_0.., or the only vector
// there is (a npy file).
func (placeColumn) names(s table.Schema) []string {
	if f, ok := s.Find(EmbeddingName); ok && f.Kind == table.Vector {
		return []string{f.Name}
	}
	var names []string
	for {
		name := EmbeddingName + "_" + strconv.Itoa(len(names))
		if f, ok := s.Find(name); !ok || f.Kind != table.Number {
			break
		}
		names = append(names, name)
	}
	if len(names) == 0 && len(s) == 1 && s[0].Kind == table.Vector {
		return []string{s[0].Name}
	}
	return names
}

// read expects o.Embedding.Cols dimensions, or any number if that is 0.
func (placeColumn) read(o *Output, t *table.Table, names []string) error {
	dims := len(names)
	c, err := t.Need(names[0])
	if err != nil {
		return err
	}
	vectors := c.Kind() == table.Vector
	if vectors {
		if dims = o.Embedding.Cols; dims == 0 {
			dims, _ = table.VectorDim(c)
		}
	}
	if dims == 0 && t.Len() > 0 {
		return t.Origin.BadColumn(c.Name(), "the vectors are empty")
	}
	o.Embedding = vec.New[float32](t.Len(), dims)
	if o.holes {
		return gatherKnown(o.Embedding, t, names)
	}
	if vectors {
		return table.CopyVectors(o.Embedding.Data, dims, c, t.Origin, false)
	}
	return gather(o.Embedding, t, names)
}

// gatherKnown is like gather, also for vectors, with NaN for coordinates that are missing.
func gatherKnown(x vec.Matrix[float32], t *table.Table, names []string) error {
	read, err := rowReader(t, names, x.Cols)
	if err != nil {
		return err
	}
	row := make([]float64, x.Cols)
	for i := range x.Rows {
		if err := read(i, row); err != nil {
			return err
		}
		for k, v := range row {
			x.Row(i)[k] = float32(v)
		}
	}
	return nil
}

func gather(x vec.Matrix[float32], t *table.Table, names []string) error {
	for k, name := range names {
		c, err := t.Need(name)
		if err != nil {
			return err
		}
		get, err := table.NumbersOf(c, t.Origin, false)
		if err != nil {
			return err
		}
		for i := range x.Rows {
			v, err := get(i)
			if err != nil {
				return err
			}
			x.Data[i*x.Cols+k] = float32(v)
		}
	}
	return nil
}

// series is a column with one value per event. If the values are nil there is no column.
type series[T any] struct {
	name   string
	at     func(*Output) *[]T
	column func(string, []T) table.Column
	body   func(*body, []T)
	values func(table.Column, table.Origin) ([]T, error)
	text   func([]byte, T) []byte
}

func (s series[T]) String() string       { return s.name }
func (s series[T]) there(o *Output) bool { return *s.at(o) != nil }

func (s series[T]) check(o *Output) error {
	if n := len(*s.at(o)); n != o.Len() {
		return fmt.Errorf("ingest: %d values of %s for %d events", n, s.name, o.Len())
	}
	return nil
}

func (s series[T]) cut(o *Output, from, to int) { *s.at(o) = (*s.at(o))[from:to] }

func (s series[T]) join(out *Output, parts []*Output) error {
	all := []T{}
	for _, p := range parts {
		all = append(all, *s.at(p)...)
	}
	*s.at(out) = all
	return nil
}

func (s series[T]) columns(o *Output, _ layout) []table.Column {
	return []table.Column{s.column(s.name, *s.at(o))}
}

func (s series[T]) write(b *body, o *Output) { s.body(b, *s.at(o)) }

// names returns the column's name only if all columns that belong together are present; otherwise
// they are unrelated columns with the same names.
func (s series[T]) names(schema table.Schema) []string {
	for _, name := range partners(s.name) {
		if f, ok := schema.Find(name); !ok || f.Kind == table.Vector || name != ClassName && f.Kind != table.Number {
			return nil
		}
	}
	return present(schema, s.name)
}

func (s series[T]) read(o *Output, t *table.Table, names []string) error {
	c, err := t.Need(names[0])
	if err == nil {
		*s.at(o), err = s.values(c, t.Origin)
	}
	return err
}

// readFloats reads floats and returns an error if one is missing.
func readFloats(c table.Column, o table.Origin) ([]float32, error) {
	if _, missing := c.Floats(); missing >= 0 {
		return nil, table.Null(o, missing, c.Name())
	}
	return readFloatsOrNaN(c, o)
}

// readFloatsOrNaN reads floats, with NaN for missing values.
func readFloatsOrNaN(c table.Column, _ table.Origin) ([]float32, error) {
	out := make([]float32, c.Len())
	for i := range out {
		if v, ok := c.Float(i); ok {
			out[i] = float32(v)
		} else {
			out[i] = float32(math.NaN())
		}
	}
	return out, nil
}

// readIntegers reads integers and returns an error if one is missing.
func readIntegers(c table.Column, o table.Origin) ([]int64, error) {
	out := make([]int64, c.Len())
	for i := range out {
		var err error
		if c.IsNull(i) {
			return nil, table.Null(o, i, c.Name())
		}
		if out[i], err = strconv.ParseInt(c.Text(i), 10, 64); err != nil {
			return nil, o.BadAt(i, c.Name(), "%q is not a whole number of its range", c.Text(i))
		}
	}
	return out, nil
}

func readTexts(c table.Column, _ table.Origin) ([]string, error) { return c.Strings(), nil }

// constant is a column with one value for all events. The snapshot's columns exist unless its
// version is 0.
type constant[T uint32 | uint64] struct {
	name   string
	at     func(*Output) *T
	column func(string, []T) table.Column
	body   func(*body, []T)
}

func (c constant[T]) String() string                     { return c.name }
func (c constant[T]) there(o *Output) bool               { return o.Version != 0 }
func (c constant[T]) check(*Output) error                { return nil }
func (c constant[T]) cut(*Output, int, int)              {}
func (c constant[T]) names(schema table.Schema) []string { return present(schema, c.name) }
func (c constant[T]) write(b *body, o *Output)           { c.body(b, slices.Repeat([]T{*c.at(o)}, o.Len())) }
func (c constant[T]) same(a, b *Output) bool             { return *c.at(a) == *c.at(b) }

func (c constant[T]) join(out *Output, parts []*Output) error {
	*c.at(out) = *c.at(parts[len(parts)-1])
	return nil
}

func (c constant[T]) columns(o *Output, _ layout) []table.Column {
	return []table.Column{c.column(c.name, slices.Repeat([]T{*c.at(o)}, o.Len()))}
}

// read takes the value of the last row.
func (c constant[T]) read(o *Output, t *table.Table, names []string) error {
	column, err := t.Need(names[0])
	if err != nil || t.Len() == 0 {
		return err
	}
	v, err := strconv.ParseUint(column.Text(t.Len()-1), 10, 64)
	if err != nil || uint64(T(v)) != v {
		return t.Origin.BadAt(t.Len()-1, c.name, "%q is not a whole number of its range", column.Text(t.Len()-1))
	}
	*c.at(o) = T(v)
	return nil
}
