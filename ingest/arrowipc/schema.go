package arrowipc

import "slices"

// The types of Schema.fbs, union Type.
const (
	typeNull = iota + 1
	typeInt
	typeFloatingPoint
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedSizeBinary
	typeFixedSizeList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEndEncoded
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

// shape is the layout of a field's values in a batch's buffers.
type shape struct {
	layout   layout
	bits     int64 // of a fixed-width value; of an offset otherwise
	size     int64 // of a fixed-size list
	children []shape
}

// hasRuns reports whether the values, or nested parts of them, are run-end encoded.
func (s shape) hasRuns() bool {
	return s.layout == runs || slices.ContainsFunc(s.children, shape.hasRuns)
}

type layout uint8

const (
	nothing     layout = iota // no buffers
	fixed                     // validity, values
	binaries                  // validity, offsets, bytes
	lists                     // validity, offsets; one child
	views                     // validity, offsets, sizes; one child
	binaryViews               // validity, 16 bytes per value, and the number of data buffers that the batch gives
	runs                      // no buffers; children: where runs end, and their values
	arrays                    // validity; one child of size values each
	structs                   // validity; children
)

// schema is the checked schema: the shapes of the fields, and those of dictionary values by
// dictionary id.
type schema struct {
	fields []shape
	dicts  map[int64]shape // made for the first
	count  int
	runs   bool // some field is run-end encoded
}

// checkSchema reads a Schema table.
func checkSchema(t table, lim Limits) (*schema, error) {
	endian, err := t.scalar(0, 2, 0)
	if err != nil {
		return nil, err
	}
	if endian != 0 {
		return nil, unsupportedf("write it on a little-endian machine, or swap it there", "big-endian data")
	}
	s := &schema{}
	if s.fields, err = s.children(t, 1, 1, lim); err != nil {
		return nil, err
	}
	return s, metadata(t, 2)
}

// metadata checks a vector of KeyValue tables.
func metadata(t table, field int64) error {
	return t.tables(field, func(kv table) error { return kv.strings(0, 1) })
}

func (s *schema) children(t table, field int64, depth int, lim Limits) ([]shape, error) {
	if depth > lim.Depth {
		return nil, limitf("fields are nested more than %d deep", lim.Depth)
	}
	_, n, err := t.vector(field, 4)
	if err != nil {
		return nil, err
	}
	out := make([]shape, 0, min(n, 64))
	err = t.tables(field, func(f table) error {
		if s.count++; s.count > lim.Fields {
			return limitf("there are more than %d fields", lim.Fields)
		}
		c, err := s.field(f, depth, lim)
		out = append(out, c)
		if depth == 1 {
			err = inColumn(err, f)
		}
		return err
	})
	return out, err
}

// field reads a Field table with the fields name 0, nullable 1, type_type 2, type 3, dictionary 4,
// children 5, custom_metadata 6.
func (s *schema) field(f table, depth int, lim Limits) (shape, error) {
	if err := f.strings(0); err != nil {
		return shape{}, err
	}
	if err := metadata(f, 6); err != nil {
		return shape{}, err
	}
	if _, err := f.scalar(1, 1, 0); err != nil {
		return shape{}, err
	}
	kids, err := s.children(f, 5, depth+1, lim)
	if err != nil {
		return shape{}, err
	}
	kind, err := f.scalar(2, 1, 0)
	if err != nil {
		return shape{}, err
	}
	typ, ok, err := f.child(3)
	if err != nil {
		return shape{}, err
	}
	if !ok {
		return shape{}, badf("a field has no type")
	}
	out, err := shapeOf(kind, typ, kids, lim)
	if err != nil {
		return shape{}, err
	}
	s.runs = s.runs || out.layout == runs
	dict, ok, err := f.child(4)
	if err != nil || !ok {
		return out, err
	}
	if out.hasRuns() {
		return shape{}, unsupportedf("write plain values", "a dictionary of run-end encoded values")
	}
	return s.dictionary(dict, out)
}

// dictionary reads a DictionaryEncoding table with the fields id 0, indexType 1, isOrdered 2,
// dictionaryKind 3. The buffers of a field with a dictionary are those of the indices.
func (s *schema) dictionary(d table, values shape) (shape, error) {
	id, err := d.scalar(0, 8, 0)
	if err != nil {
		return shape{}, err
	}
	if _, ok := s.dicts[id]; ok {
		return shape{}, unsupportedf("write a dictionary for each", "a dictionary that two fields share (number %d)", id)
	}
	if _, err := d.scalar(2, 1, 0); err != nil {
		return shape{}, err
	}
	if s.dicts == nil {
		s.dicts = map[int64]shape{}
	}
	s.dicts[id] = values
	index, ok, err := d.child(1)
	if err != nil {
		return shape{}, err
	}
	if !ok {
		return shape{layout: fixed, bits: 32}, nil // the default, int32
	}
	return intShape(index)
}

func intShape(t table) (shape, error) {
	bits, err := t.scalar(0, 4, 0)
	if err != nil {
		return shape{}, err
	}
	if _, err := t.scalar(1, 1, 0); err != nil {
		return shape{}, err
	}
	if bits == 128 {
		return shape{}, unsupportedf("cast it to 64 bits, to float64 or to text", "an integer of 128 bits")
	}
	if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return shape{}, badf("an integer has %d bits", bits)
	}
	return shape{layout: fixed, bits: bits}, nil
}

// shapeOf checks a type's parameters and returns its shape.
func shapeOf(kind int64, t table, kids []shape, lim Limits) (shape, error) {
	if kind == typeUnion {
		return shape{}, unsupportedf("write a column for each of its types", "a union")
	}
	if want := childrenOf(kind); want >= 0 && len(kids) != want {
		return shape{}, badf("a field of type %d has %d children, not %d", kind, len(kids), want)
	}
	switch kind {
	case typeNull:
		return shape{layout: nothing}, nil
	case typeInt:
		return intShape(t)
	case typeBool:
		return shape{layout: fixed, bits: 1}, nil
	case typeFloatingPoint:
		return byUnit(t, 0, 16, 32, 64)
	case typeDate:
		return byUnit(t, 1, 32, 64)
	case typeInterval:
		return byUnit(t, 0, 32, 64, 128)
	case typeDuration:
		return byUnit(t, 1, 64, 64, 64, 64)
	case typeTimestamp:
		if err := t.strings(1); err != nil {
			return shape{}, err
		}
		return byUnit(t, 0, 64, 64, 64, 64)
	case typeTime:
		return timeShape(t)
	case typeDecimal:
		return decimalShape(t)
	case typeBinary, typeUtf8:
		return shape{layout: binaries, bits: 32}, nil
	case typeLargeBinary, typeLargeUtf8:
		return shape{layout: binaries, bits: 64}, nil
	case typeFixedSizeBinary:
		n, err := bounded(t, lim)
		return shape{layout: fixed, bits: 8 * n}, err
	case typeList:
		return shape{layout: lists, bits: 32, children: kids}, nil
	case typeMap:
		return mapShape(t, kids)
	case typeLargeList:
		return shape{layout: lists, bits: 64, children: kids}, nil
	case typeListView:
		return shape{layout: views, bits: 32, children: kids}, nil
	case typeLargeListView:
		return shape{layout: views, bits: 64, children: kids}, nil
	case typeBinaryView, typeUtf8View:
		return shape{layout: binaryViews}, nil
	case typeRunEndEncoded:
		return runsShape(kids)
	case typeFixedSizeList:
		n, err := bounded(t, lim)
		return shape{layout: arrays, size: n, children: kids}, err
	case typeStruct:
		return shape{layout: structs, children: kids}, nil
	}
	if kind > typeLargeListView {
		return shape{}, unsupportedf("write it as another type", "a type that is newer than this program (number %d)", kind)
	}
	return shape{}, badf("a field has the unknown type %d", kind)
}

// childrenOf returns the number of children that a type must have, -1 for any number.
func childrenOf(kind int64) int {
	switch kind {
	case typeStruct:
		return -1
	case typeList, typeLargeList, typeListView, typeLargeListView, typeFixedSizeList, typeMap:
		return 1
	case typeRunEndEncoded:
		return 2
	}
	return 0
}

// byUnit reads the enumeration of field 0 and returns a fixed-width shape whose width in bits depends on it.
func byUnit(t table, fallback int64, bits ...int64) (shape, error) {
	u, err := t.scalar(0, 2, fallback)
	if err != nil {
		return shape{}, err
	}
	if u < 0 || u >= int64(len(bits)) {
		return shape{}, badf("a type has the unknown unit or precision %d", u)
	}
	return shape{layout: fixed, bits: bits[u]}, nil
}

func timeShape(t table) (shape, error) {
	if _, err := byUnit(t, 1, 32, 32, 64, 64); err != nil {
		return shape{}, err
	}
	bits, err := t.scalar(1, 4, 32)
	if err != nil {
		return shape{}, err
	}
	if bits != 32 && bits != 64 {
		return shape{}, badf("a time has %d bits", bits)
	}
	return shape{layout: fixed, bits: bits}, nil
}

// maxScale bounds the scale of decimals, because conversion to a text or number computes that power
// of ten.
const maxScale = 1000

func decimalShape(t table) (shape, error) {
	if _, err := t.scalar(0, 4, 0); err != nil { // precision
		return shape{}, err
	}
	scale, err := t.scalar(1, 4, 0)
	if err != nil {
		return shape{}, err
	}
	if scale < -maxScale || scale > maxScale {
		return shape{}, unsupportedf("write a smaller scale, or float64", "a decimal of scale %d", scale)
	}
	bits, err := t.scalar(2, 4, 128)
	if err != nil {
		return shape{}, err
	}
	if bits == 32 || bits == 64 {
		return shape{}, unsupportedf("cast it to decimal128", "a decimal of %d bits", bits)
	}
	if bits != 128 && bits != 256 {
		return shape{}, badf("a decimal has %d bits", bits)
	}
	return shape{layout: fixed, bits: bits}, nil
}

// mapShape returns the shape of a map: a list of structs with a key and a value.
func mapShape(t table, kids []shape) (shape, error) {
	if _, err := t.scalar(0, 1, 0); err != nil {
		return shape{}, err
	}
	if kids[0].layout != structs || len(kids[0].children) != 2 {
		return shape{}, badf("a map's entries are not pairs")
	}
	return shape{layout: lists, bits: 32, children: kids}, nil
}

// runsShape returns the shape of run-end encoded values. Values with children, such as lists and
// structs, are not supported.
func runsShape(kids []shape) (shape, error) {
	if ends := kids[0]; ends.layout != fixed || ends.bits != 16 && ends.bits != 32 && ends.bits != 64 {
		return shape{}, badf("the ends of runs are not integers of 16, 32 or 64 bits")
	}
	switch kids[1].layout {
	case nothing, fixed, binaries, binaryViews:
		return shape{layout: runs, children: kids}, nil
	}
	return shape{}, unsupportedf("write plain lists or structs", "run-end encoding of nested values")
}

// bounded reads the size of a fixed-size list or binary.
func bounded(t table, lim Limits) (int64, error) {
	n, err := t.scalar(0, 4, 0)
	if err == nil && (n < 1 || n > lim.ListSize) {
		err = limitf("a fixed-size type has size %d; 1 to %d is allowed", n, lim.ListSize)
	}
	return n, err
}
