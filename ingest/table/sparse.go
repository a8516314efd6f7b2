package table

import (
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/internal/vec"
)

// A column of sparse vectors stores some elements with their indices, from 0 on. All other elements
// are 0. Its type is one of
//
//	list<struct<index, value>>       any kind of list, the fields in any order
//	map<index, value>
//	struct<indices, values>          two lists; optionally size, the vector's length, and
//	                                 type, as in Spark's VectorUDT: 0, or 1 for a vector
//	                                 that is stored as a dense one, with null indices
//
// with indices of any integer type, and values of any integer or float type. Entries of a row may
// come in any order.

// isSparse reports whether a type is one of sparse vectors.
func isSparse(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case *arrow.MapType:
		return arrow.IsInteger(dt.KeyType().ID()) && isNumber(dt.ItemType())
	case arrow.ListLikeType:
		s, is := dt.Elem().(*arrow.StructType)
		return is && s.NumFields() == 2 && hasField(s, "index", isWhole) && hasField(s, "value", isNumber)
	case *arrow.StructType:
		known := 2
		for _, name := range []string{"size", "type"} {
			if hasField(dt, name, isWhole) {
				known++
			}
		}
		return dt.NumFields() == known && hasField(dt, "indices", listsOf(isWhole)) && hasField(dt, "values", listsOf(isNumber))
	}
	return false
}

func isWhole(dt arrow.DataType) bool { return arrow.IsInteger(dt.ID()) }

// listsOf returns a predicate for lists whose elements satisfy a predicate.
func listsOf(element func(arrow.DataType) bool) func(arrow.DataType) bool {
	return func(dt arrow.DataType) bool {
		l, is := dt.(arrow.ListLikeType)
		return is && element(l.Elem())
	}
}

func hasField(s *arrow.StructType, name string, is func(arrow.DataType) bool) bool {
	f, ok := s.FieldByName(name)
	return ok && is(f.Type)
}

// SparseRows reads the rows of a column of sparse vectors.
type SparseRows struct {
	// Index and Value are the elements of the last row that was read, by ascending index. Size is
	// the length of its vector, 0 if unknown.
	Index []int32
	Value []float64
	Size  int

	c          Column
	o          Origin
	missing    bool
	lists      array.ListLike // lists of entries, or of values
	indices    array.ListLike // lists of indices, if they are separate
	index      arrow.Array
	value      arrow.Array
	indexAt    func(k int) (int64, bool)
	valueAt    func(k int) float64
	size, kind arrow.Array // nil if the type has no such field
}

// NewSparseRows returns a reader of a column whose kind is SparseVector. o is the origin of row 0.
// If missing is true, nulls become NaN.
func NewSparseRows(c Column, o Origin, missing bool) *SparseRows {
	r := &SparseRows{c: c, o: o, missing: missing}
	switch a := storage(c.arr).(type) {
	case *array.Map:
		r.lists, r.index, r.value = a, a.Keys(), a.Items()
	case *array.Struct:
		r.lists, r.indices = listOf(structField(a, "values")), listOf(structField(a, "indices"))
		r.index, r.value = r.indices.ListValues(), r.lists.ListValues()
		r.size, r.kind = structField(a, "size"), structField(a, "type")
	case array.ListLike:
		r.lists = a
		entries := a.ListValues().(*array.Struct)
		r.index, r.value = structField(entries, "index"), structField(entries, "value")
	}
	r.indexAt, r.valueAt = wholeGetter(r.index), NumberGetter(r.value)
	return r
}

// structField returns the field of a struct with the given name, null where the struct is null. It
// returns nil if there is none.
func structField(a *array.Struct, name string) arrow.Array {
	i, ok := a.DataType().(*arrow.StructType).FieldIdx(name)
	if !ok {
		return nil
	}
	return fieldOf(a, i)
}

// wholeGetter returns a function that reads an array of integers. It returns false for values
// beyond int64.
func wholeGetter(a arrow.Array) func(k int) (int64, bool) {
	switch a := a.(type) {
	case *array.Int64:
		return func(k int) (int64, bool) { return a.Value(k), true }
	case *array.Uint64:
		return func(k int) (int64, bool) { return int64(a.Value(k)), a.Value(k) <= math.MaxInt64 }
	}
	get := NumberGetter(a) // at most 32 bits, which a float64 represents exactly
	return func(k int) (int64, bool) { return int64(get(k)), true }
}

// full reports whether the vector of row i is stored as a dense one, not by its entries.
func (r *SparseRows) full(i int) bool {
	return r.kind != nil && !r.kind.IsNull(i) && NumberGetter(r.kind)(i) == 1
}

// IsNull reports whether row i has no vector.
func (r *SparseRows) IsNull(i int) bool {
	return r.c.IsNull(i) || r.indices != nil && r.indices.IsNull(i) && r.lists.IsNull(i)
}

// Lacks reports whether the vector of row i, or one of its values, is missing.
func (r *SparseRows) Lacks(i int) bool {
	if r.IsNull(i) {
		return true
	}
	from, to := r.lists.ValueOffsets(i)
	for k := int(from); k < int(to); k++ {
		if r.value.IsNull(k) || math.IsNaN(r.valueAt(k)) {
			return true
		}
	}
	return false
}

// Read reads row i, whose vector may have any length up to most. Its *Error contains row and index.
func (r *SparseRows) Read(i, most int) error { return r.read(i, most, false) }

// ReadOf is Read for a vector of exactly dim elements.
func (r *SparseRows) ReadOf(i, dim int) error { return r.read(i, dim, true) }

func (r *SparseRows) read(i, width int, exact bool) error {
	r.Index, r.Value, r.Size = r.Index[:0], r.Value[:0], 0
	if r.IsNull(i) {
		return r.bad(i, "the vector is null").Suggest("drop such rows, or write an empty one where all values are 0")
	}
	if err := r.shape(i); err != nil {
		return err
	}
	if exact && r.Size > 0 && r.Size != width {
		return dimChange(r.o, i, r.c, r.Size, width)
	}
	if r.Size > width {
		return r.bad(i, "the vector has %d elements, more than %d", r.Size, width)
	}
	if err := r.entries(i, width, exact); err != nil {
		return err
	}
	r.sort()
	for p := 1; p < len(r.Index); p++ {
		if r.Index[p] == r.Index[p-1] {
			return r.bad(i, "index %d comes twice in the vector", r.Index[p]).Suggest("add its values, or keep one of them")
		}
	}
	return nil
}

func (r *SparseRows) bad(i int, problem string, args ...any) *Error {
	return r.o.BadAt(i, r.c.Name(), problem, args...)
}

// shape reads the fields of a struct other than the entries.
func (r *SparseRows) shape(i int) error {
	if r.indices == nil {
		return nil
	}
	if r.kind != nil && !r.kind.IsNull(i) {
		if v := NumberGetter(r.kind)(i); v != 0 && v != 1 {
			return r.bad(i, "the vector is of type %v, not 0 (sparse) or 1 (in full)", v)
		}
	}
	if r.size != nil && !r.size.IsNull(i) {
		n, ok := wholeGetter(r.size)(i)
		if !ok || n < 0 || n > math.MaxInt32 {
			return r.bad(i, "the vector's size is %s", textOf(r.size, i))
		}
		r.Size = int(n)
	}
	from, to := r.lists.ValueOffsets(i)
	if r.full(i) {
		r.Size = int(to - from)
		return nil
	}
	first, end := r.indices.ValueOffsets(i)
	if r.indices.IsNull(i) || r.lists.IsNull(i) || end-first != to-from {
		return r.bad(i, "the vector has %d indices and %d values", end-first, to-from).Suggest("write as many values as indices")
	}
	return nil
}

// entries reads the elements of row i in the order of the column.
func (r *SparseRows) entries(i, width int, exact bool) error {
	if r.Size > 0 {
		width, exact = r.Size, true
	}
	from, to := r.lists.ValueOffsets(i)
	first := from
	if r.full(i) {
		first = -1
	} else if r.indices != nil {
		first, _ = r.indices.ValueOffsets(i)
	}
	for k := range to - from {
		index, err := k, error(nil)
		if first >= 0 {
			index, err = r.indexOf(i, int(first+k), width, exact)
		}
		if err != nil {
			return err
		}
		v, err := r.valueOf(i, int(from+k), index)
		if err != nil {
			return err
		}
		r.Index, r.Value = append(r.Index, int32(index)), append(r.Value, v)
	}
	return nil
}

// indexOf reads the index of entry k, which is one of row i.
func (r *SparseRows) indexOf(i, k, width int, exact bool) (int64, error) {
	if r.index.IsNull(k) {
		return 0, r.bad(i, "an entry of the vector has no index").Suggest("drop such entries")
	}
	v, fits := r.indexAt(k)
	switch {
	case fits && v < 0:
		return v, r.bad(i, "index %d of the vector is below 0", v).Suggest("indices count from 0")
	case fits && v < int64(width):
		return v, nil
	case exact:
		return v, r.bad(i, "index %s of the vector is beyond its %d elements", textOf(r.index, k), width).Suggest("indices count from 0; every vector of a map has one length")
	}
	return v, r.bad(i, "index %s of the vector is too large", textOf(r.index, k)).Suggest("vectors have at most %d elements", width)
}

// valueOf reads value k, which belongs to the given index of row i.
func (r *SparseRows) valueOf(i, k int, index int64) (float64, error) {
	v := math.NaN()
	if !r.value.IsNull(k) {
		v = r.valueAt(k)
	} else if !r.missing {
		return v, r.bad(i, "element %d of the vector is null", index).Suggest("drop such rows (missing drop), or fill them (missing mean)")
	}
	if !Finite32(v) && !(r.missing && v != v) {
		return v, NotFinite(r.bad(i, "element %d of the vector is %v", index, v))
	}
	return v, nil
}

// sort sorts the elements by index.
func (r *SparseRows) sort() {
	if slices.IsSorted(r.Index) {
		return // most rows are sorted already
	}
	order := make([]int, len(r.Index))
	for p := range order {
		order[p] = p
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(r.Index[a]) - int(r.Index[b]) })
	index, value := make([]int32, len(order)), make([]float64, len(order))
	for p, from := range order {
		index[p], value[p] = r.Index[from], r.Value[from]
	}
	r.Index, r.Value = index, value
}

// Width returns the length of the last vector that was read: its size if given, else its largest
// index plus one.
func (r *SparseRows) Width() int {
	if r.Size > 0 || len(r.Index) == 0 {
		return r.Size
	}
	return int(r.Index[len(r.Index)-1]) + 1
}

// copySparse is CopyVectors for sparse vectors.
func copySparse[T vec.Float](dst []T, dim int, c Column, o Origin, missing bool) error {
	rows := NewSparseRows(c, o, missing)
	for i := range c.Len() {
		if err := rows.ReadOf(i, dim); err != nil {
			return err
		}
		row := dst[i*dim : (i+1)*dim]
		clear(row)
		for p, j := range rows.Index {
			row[j] = T(rows.Value[p])
		}
	}
	return nil
}

// SparseHint returns a hint for a type that is similar to a sparse vector; "" for other types.
func SparseHint(typ string) string {
	if strings.Contains(typ, "struct<") || strings.HasPrefix(typ, "map<") {
		return "sparse vectors are list<struct<index, value>>, map<integer, number> or struct<indices, values>, by these names"
	}
	return ""
}
