package record

import (
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// kind is the representation of a column's values.
type kind int

const (
	kindNone kind = iota
	kindBool
	kindInt
	kindUint
	kindFloat
	kindText
	kindTime
	kindVector32
	kindVector64
	kindSparse
)

func (k kind) String() string {
	return [...]string{"nothing", "a truth value", "an integer", "an integer", "a number", "text", "a time", "a list", "a list", "a list of entries"}[k]
}

// field is a column in the making.
type field struct {
	path   string
	pinned Type
	kind   kind
	used   bool
	rows   int
	nulls  int
	valid  []byte // a bit for each row, if one is null
	// The values, in one of these slices depending on the kind. ends has the end offsets of texts
	// and lists. Entries of sparse vectors are in ints and vec64. Unsigned integers are stored as
	// int64 with the same bits.
	ints   []int64
	floats []float64
	text   []byte
	vec32  []float32
	vec64  []float64
	ends   []int32
}

func (f *field) reset() {
	f.kind, f.used, f.rows, f.nulls = kindNone, false, 0, 0
	f.valid, f.ints, f.floats, f.text = f.valid[:0], f.ints[:0], f.floats[:0], f.text[:0]
	f.vec32, f.vec64, f.ends = f.vec32[:0], f.vec64[:0], f.ends[:0]
}

// pinnedKinds are the kinds of columns that have only nulls, by their set type.
var pinnedKinds = map[Type]kind{Auto: kindFloat, Int: kindInt, Uint: kindUint, Float: kindFloat, Bool: kindBool, Text: kindText, Time: kindTime, Vector: kindVector64, Sparse: kindSparse}

// begin gives a column of nulls a kind.
func (f *field) begin(k kind) {
	f.kind = k
	for range f.rows {
		f.blank()
	}
}

// widen makes floats of integers.
func (f *field) widen() {
	for _, v := range f.ints {
		if f.kind == kindUint {
			f.floats = append(f.floats, float64(uint64(v)))
		} else {
			f.floats = append(f.floats, float64(v))
		}
	}
	f.kind = kindFloat
	f.ints = f.ints[:0]
}

// widenVectors converts vectors of float32 to float64.
func (f *field) widenVectors() {
	f.kind = kindVector64
	for _, v := range f.vec32 {
		f.vec64 = append(f.vec64, float64(v))
	}
	f.vec32 = f.vec32[:0]
}

// blank adds a placeholder value for a null.
func (f *field) blank() {
	switch f.kind {
	case kindBool, kindInt, kindUint, kindTime:
		f.ints = append(f.ints, 0)
	case kindFloat:
		f.floats = append(f.floats, 0)
	case kindText:
		f.ends = append(f.ends, int32(len(f.text)))
	case kindVector32:
		f.ends = append(f.ends, int32(len(f.vec32)))
	case kindVector64, kindSparse:
		f.ends = append(f.ends, int32(len(f.vec64)))
	}
}

// ok counts a value that was added.
func (f *field) ok() { f.count(true) }

// null adds a null.
func (f *field) null() {
	f.blank()
	f.nulls++
	f.count(false)
}

func (f *field) count(valid bool) {
	if f.rows%8 == 0 {
		f.valid = append(f.valid, 0)
	}
	if valid {
		bitutil.SetBit(f.valid, f.rows)
	}
	f.rows++
}

// fill adds nulls up to the given number of rows.
func (f *field) fill(rows int) {
	for f.rows < rows {
		f.null()
	}
}

// settle sets the kind of a column of nulls, and returns what determines the column's type. If lists
// is set, all columns of vectors have the same type.
func (f *field) settle(lists bool) columnShape {
	if f.kind == kindNone {
		f.begin(pinnedKinds[f.pinned])
	}
	shape := columnShape{field: f, kind: f.kind}
	if lists && f.kind == kindVector32 {
		f.widenVectors()
		shape.kind = f.kind
	} else if !lists && (f.kind == kindVector32 || f.kind == kindVector64) {
		shape.size = f.fixed()
	}
	return shape
}

// fixed returns the common size of all lists, or 0 if sizes differ.
func (f *field) fixed() int32 {
	if f.nulls > 0 || len(f.ends) == 0 {
		return 0
	}
	size := f.ends[0]
	for i, end := range f.ends {
		if end != size*int32(i+1) {
			return 0
		}
	}
	return size
}
