package parquetcheck

import (
	"fmt"
	"regexp"
	"slices"
)

// footer has the fields of a FileMetaData that are checked.
type footer struct {
	// bytes are the footer without annotations that are not known.
	bytes  []byte
	schema []element
	groups []group
	flaws  flaws
}

// element is a SchemaElement, in the tree's preorder.
type element struct {
	typ, width, repetition, children int64
	name                             string
	group                            bool   // its number of children is given
	unknown                          [2]int // where its annotation stands, if that is not known
}

type group struct {
	rows   int64
	chunks []chunk
}

// chunk is a ColumnMetaData.
type chunk struct {
	present                  bool
	typ, codec, values       int64
	uncompressed, compressed int64
	data, dictionary         int64
	encrypted                bool
}

// leaf is a column of the schema: its path, type and whether it repeats.
type leaf struct {
	name       string
	typ, width int64
	repeated   bool
}

func parseFooter(b []byte) (*footer, error) {
	f := &footer{bytes: b}
	c := &cursor{b: b}
	c.fields(func(id int64, typ byte) {
		switch id {
		case 2:
			c.structs(typ, func() { f.schema = append(f.schema, c.element()) })
		case 4:
			c.structs(typ, func() { f.groups = append(f.groups, c.group()) })
		case 6:
			writer := c.text()
			f.flaws = flaws{isBare: earlyArrow.MatchString(writer), isShort: earlyMR.MatchString(writer)}
		default:
			c.skip(typ)
		}
	})
	for i := len(f.schema) - 1; i >= 0; i-- {
		if e := f.schema[i]; e.unknown[1] > 0 {
			f.bytes = slices.Delete(f.bytes, e.unknown[0], e.unknown[1])
		}
	}
	return f, c.err
}

// flaws are those of old writers.
type flaws struct {
	// isBare is true if pages of version 2 are said not to be compressed, and are.
	isBare bool
	// isShort is true if the size of a chunk lacks the header of its dictionary.
	isShort bool
}

// earlyArrow matches Arrow before version 3, earlyMR parquet-mr before version 1.2.9,
// which first wrote no version.
var (
	earlyArrow = regexp.MustCompile(`^parquet-cpp( version 1|-arrow version [0-2])\.`)
	earlyMR    = regexp.MustCompile(`^parquet-mr($| \(| version (0|1\.[01]|1\.2\.[0-8])\b)`)
)

// lastAnnotation is the greatest number of a logical type that is known, GEOGRAPHY.
const lastAnnotation = 18

// annotation reads a LogicalType, a union, and returns whether its member is known.
func (c *cursor) annotation(typ byte) (known bool) {
	if typ != tStruct {
		c.skip(typ)
		return false
	}
	c.fields(func(id int64, typ byte) {
		known = id <= lastAnnotation
		c.skip(typ)
	})
	return known
}

func (c *cursor) element() element {
	e := element{typ: -1}
	c.fields(func(id int64, typ byte) {
		switch id {
		case 1:
			e.typ = c.int(typ)
		case 2:
			e.width = c.int(typ)
		case 3:
			e.repetition = c.int(typ)
		case 4:
			e.name = c.text()
		case 5:
			e.children, e.group = c.int(typ), true
		case 10:
			// The field is the element's last, so that the rest stands without it.
			from := c.at - 1
			if !c.annotation(typ) {
				e.unknown = [2]int{from, c.at}
			}
		default:
			c.skip(typ)
		}
	})
	return e
}

func (c *cursor) group() group {
	var g group
	c.fields(func(id int64, typ byte) {
		switch id {
		case 1:
			c.structs(typ, func() { g.chunks = append(g.chunks, c.chunk()) })
		case 3:
			g.rows = c.int(typ)
		default:
			c.skip(typ)
		}
	})
	return g
}

// chunk reads a ColumnChunk and the ColumnMetaData in its field 3.
func (c *cursor) chunk() chunk {
	var ch chunk
	c.fields(func(id int64, typ byte) {
		switch {
		case id == 3 && typ == tStruct:
			ch.present = true
			c.fields(func(id int64, typ byte) { c.chunkField(&ch, id, typ) })
		case id == 8:
			ch.encrypted = true
			c.skip(typ)
		default:
			c.skip(typ)
		}
	})
	return ch
}

func (c *cursor) chunkField(ch *chunk, id int64, typ byte) {
	to := map[int64]*int64{1: &ch.typ, 4: &ch.codec, 5: &ch.values, 6: &ch.uncompressed, 7: &ch.compressed, 9: &ch.data, 11: &ch.dictionary}[id]
	if to == nil {
		c.skip(typ)
		return
	}
	*to = c.int(typ)
}

// leaves walks the schema's tree.
func (f *footer) leaves() ([]leaf, error) {
	if len(f.schema) < 2 {
		return nil, fmt.Errorf("the schema has no columns")
	}
	w := &schemaWalk{rest: f.schema}
	if err := w.walk(false, 0); err != nil {
		return nil, err
	}
	if len(w.rest) > 0 {
		return nil, fmt.Errorf("the schema is not one tree")
	}
	return w.leaves, nil
}

type schemaWalk struct {
	rest   []element
	leaves []leaf
}

func (w *schemaWalk) walk(repeated bool, depth int) error {
	if len(w.rest) == 0 || depth > maxDepth {
		return fmt.Errorf("the schema is not a tree, or is too deep")
	}
	e := w.rest[0]
	w.rest = w.rest[1:]
	repeated = repeated || depth > 0 && e.repetition == 2
	if e.children == 0 && e.typ < 0 && e.group {
		return fmt.Errorf("column %q is a struct without fields, which is %w: write the file without it", e.name, ErrUnsupported)
	}
	if e.children == 0 {
		if e.typ < 0 || e.typ > 7 || e.typ == fixedLen && (e.width <= 0 || e.width > 1<<20) {
			return fmt.Errorf("column %q has the type %d of width %d", e.name, e.typ, e.width)
		}
		w.leaves = append(w.leaves, leaf{e.name, e.typ, e.width, repeated})
		return nil
	}
	if e.children < 0 || e.children > int64(len(w.rest)) {
		return fmt.Errorf("the schema says that %q has %d children", e.name, e.children)
	}
	for range e.children {
		if err := w.walk(repeated, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Physical types.
const (
	boolean = iota
	int32Type
	int64Type
	int96Type
	floatType
	doubleType
	byteArray
	fixedLen
)

// atLeast is the least a plainly encoded value takes, in bytes.
func (l leaf) atLeast() int64 {
	switch l.typ {
	case boolean:
		return 0
	case int64Type, doubleType:
		return 8
	case int96Type:
		return 12
	case fixedLen:
		return l.width
	}
	return 4
}
