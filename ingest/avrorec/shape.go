package avrorec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"unfold/ingest/record"
)

// kind is the encoding of a type's values.
type kind int

const (
	kindNull kind = iota
	kindBoolean
	kindInt // and long
	kindFloat
	kindDouble
	kindBytes // and string
	kindFixed
	kindEnum
	kindArray
	kindMap
	kindUnion
	kindRecord
)

// shape is a type of a schema. Recursive schemas give cyclic shapes.
type shape struct {
	kind kind
	// text is set if the bytes are a string. name is the full name of a record, enum or fixed type.
	text bool
	name string
	// logical is the logical type or, if there is none, Kafka Connect's name of the type.
	logical     string
	size, scale int
	symbols     [][]byte
	fields      []field
	solid       []*shape // the fields whose values take bytes
	items       *shape   // of arrays; of maps, the values
	branches    []*shape
	// least is the minimum number of bytes of a value; fixed is set if all values take exactly this
	// number.
	least int
	fixed bool
	known int // progress of measure: 0 not begun, 1 under way, 2 done
	// node is the schema's type, used to write values as JSON.
	node *avro.SchemaNode
}

type field struct {
	name    string
	aliases []string
	shape   *shape
}

// Reference is a schema to which another schema refers.
type Reference struct {
	// Name is the name by which the other schema refers to it, Text the schema itself.
	Name, Text string
}

// Parse parses a schema with its references. A reference must come after those that it needs
// itself. The returned schema needs no references.
func Parse(schema string, references []Reference) (*avro.Schema, error) {
	var cache avro.SchemaCache
	for _, r := range references {
		if _, err := cache.Parse(r.Text, LaxNames()); err != nil {
			return nil, fmt.Errorf("the Avro schema %s, which is referred to, cannot be read: %w", r.Name, err)
		}
	}
	s, err := cache.Parse(schema, LaxNames())
	if err == nil && len(references) > 0 {
		s, err = s.Root().Schema(LaxNames())
	}
	if err != nil {
		return nil, fmt.Errorf("the Avro schema cannot be read: %w", err)
	}
	return s, nil
}

// anyName accepts names that break Avro's rules but are written by other libraries.
func anyName(name string) error {
	if name == "" {
		return fmt.Errorf("a name is empty")
	}
	return nil
}

// shaping makes shapes of a schema.
type shaping struct {
	named map[string]*shape
}

func shapeOf(s *avro.Schema) (*shape, error) {
	g := shaping{map[string]*shape{}}
	root, err := g.of(s.Root(), "")
	if err != nil {
		return nil, err
	}
	return root, root.measure(0)
}

var plain = map[string]kind{"null": kindNull, "boolean": kindBoolean, "int": kindInt, "long": kindInt, "float": kindFloat,
	"double": kindDouble, "bytes": kindBytes, "string": kindBytes}

// of returns the shape of a node within a namespace.
func (g shaping) of(n *avro.SchemaNode, space string) (s *shape, err error) {
	s = &shape{logical: n.LogicalType, size: n.Size, scale: n.Scale, node: n}
	if name, ok := n.Props["connect.name"].(string); ok && s.logical == "" {
		s.logical = name
	}
	if k, ok := plain[n.Type]; ok {
		s.kind, s.text = k, n.Type == "string"
		return s, nil
	}
	switch n.Type {
	case "array":
		s.kind = kindArray
		s.items, err = g.of(n.Items, space)
	case "map":
		s.kind = kindMap
		s.items, err = g.of(n.Values, space)
	case "union":
		s.kind = kindUnion
		for i := range n.Branches {
			b, err := g.of(&n.Branches[i], space)
			if err != nil {
				return nil, err
			}
			s.branches = append(s.branches, b)
		}
	case "record", "error", "enum", "fixed":
		return s, g.define(s, n)
	default:
		return g.refer(n.Type, space)
	}
	return s, err
}

// define completes the shape of a named type.
func (g shaping) define(s *shape, n *avro.SchemaNode) (err error) {
	space := n.Namespace
	if s.name = n.Name; strings.Contains(n.Name, ".") {
		space = n.Name[:strings.LastIndexByte(n.Name, '.')]
	} else if space != "" {
		s.name = space + "." + n.Name
	}
	g.named[s.name] = s
	switch n.Type {
	case "enum":
		s.kind = kindEnum
		for _, symbol := range n.Symbols {
			s.symbols = append(s.symbols, []byte(symbol))
		}
		return nil
	case "fixed":
		s.kind = kindFixed
		return nil
	}
	s.kind = kindRecord
	for i := range n.Fields {
		f := &n.Fields[i]
		of, err := g.of(&f.Type, space)
		if err != nil {
			return err
		}
		s.fields = append(s.fields, field{f.Name, f.Aliases, of})
	}
	return nil
}

// refer finds a named type.
func (g shaping) refer(name, space string) (*shape, error) {
	if !strings.Contains(name, ".") && space != "" {
		if s := g.named[space+"."+name]; s != nil {
			return s, nil
		}
	}
	if s := g.named[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("the Avro schema names an unknown type %q", name)
}

// maxNesting bounds the nesting depth of types.
const maxNesting = 1000

// measure computes the minimum number of bytes of values.
func (s *shape) measure(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("the types of the Avro schema lie more than %d deep within each other", maxNesting)
	}
	if s.known > 0 {
		if s.known == 1 && s.kind == kindRecord {
			// A record that contains itself must have a union or list in between, which takes a
			// byte.
			s.least = max(s.least, 1)
		}
		return nil
	}
	s.known = 1
	defer func() { s.known = 2 }()
	switch s.kind {
	case kindNull:
		s.fixed = true
	case kindBoolean:
		s.least, s.fixed = 1, true
	case kindFloat:
		s.least, s.fixed = 4, true
	case kindDouble:
		s.least, s.fixed = 8, true
	case kindFixed:
		s.least, s.fixed = s.size, true
	case kindRecord:
		return s.measureRecord(depth)
	default:
		s.least = 1
	}
	for _, of := range append([]*shape{s.items}, s.branches...) {
		if of == nil {
			continue
		}
		if err := of.measure(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) measureRecord(depth int) error {
	least, fixed := 0, true
	for _, f := range s.fields {
		if err := f.shape.measure(depth + 1); err != nil {
			return err
		}
		// The sum could overflow with many nested records of many fields.
		least = min(least+f.shape.least, math.MaxInt32)
		fixed = fixed && f.shape.fixed && f.shape.known == 2
		if !f.shape.fixed || f.shape.least > 0 {
			s.solid = append(s.solid, f.shape)
		}
	}
	s.least, s.fixed = max(least, s.least), fixed && least < math.MaxInt32
	return nil
}

// field finds a field by its name, or otherwise by an alias.
func (s *shape) field(name string) *shape {
	for _, f := range s.fields {
		if f.name == name {
			return f.shape
		}
	}
	for _, f := range s.fields {
		for _, a := range f.aliases {
			if a == name {
				return f.shape
			}
		}
	}
	return nil
}

// value returns the only branch of a union that is not null, or nil if there are several. A shape
// that is no union is returned itself.
func (s *shape) value() *shape {
	if s.kind != kindUnion {
		return s
	}
	var only *shape
	for _, b := range s.branches {
		if b.kind == kindNull {
			continue
		}
		if only != nil {
			return nil
		}
		only = b
	}
	return only
}

// records reports whether some or all values are records.
func (s *shape) records() bool {
	return s.kind == kindRecord || slices.ContainsFunc(s.branches, (*shape).records)
}

// number reports whether values are numbers or nullable numbers.
func (s *shape) number() bool {
	v := s.value()
	return v != nil && (v.kind == kindInt || v.kind == kindFloat || v.kind == kindDouble)
}

// vector reports whether values are lists of numbers.
func (s *shape) vector() bool { return s.kind == kindArray && s.items.number() }

// integer reports whether values are integers.
func (s *shape) integer() bool { return s.number() && s.value().kind == kindInt }

// sparse reports whether values are Debezium's SparseVector: the dimension, and a list of
// index-value pairs, which is Kafka Connect's form of maps whose keys are no text.
func (s *shape) sparse() bool {
	if s.kind != kindRecord || len(s.fields) != 2 {
		return false
	}
	n, v := s.field("dimensions"), s.field("vector")
	if n == nil || v == nil || !n.integer() {
		return false
	}
	if v = v.value(); v == nil || v.kind != kindArray {
		return false
	}
	pair := v.items
	return pair.kind == kindRecord && len(pair.fields) == 2 && pair.fields[0].name == "key" && pair.fields[0].shape.integer() &&
		pair.fields[1].name == "value" && pair.fields[1].shape.number()
}

// variable reports whether values are Debezium's VariableScaleDecimal.
func (s *shape) variable() bool {
	return s.kind == kindRecord && len(s.fields) == 2 && s.fields[0].name == "scale" && s.fields[0].shape.kind == kindInt &&
		s.fields[1].name == "value" && s.fields[1].shape.kind == kindBytes && !s.fields[1].shape.text
}

// times gives the units of Avro's logical types for times.
var times = map[string]record.Unit{
	"date": record.Days, "timestamp-millis": record.Millis, "timestamp-micros": record.Micros, "timestamp-nanos": record.Nanos,
	"local-timestamp-millis": record.Millis, "local-timestamp-micros": record.Micros, "local-timestamp-nanos": record.Nanos,
}

// time returns the unit of a numeric time.
func (s *shape) time() (record.Unit, bool) {
	if u, ok := times[s.logical]; ok {
		return u, true
	}
	return record.TimeUnit(s.logical)
}

func (s *shape) decimal() bool {
	return (s.logical == "decimal" || s.logical == "org.apache.kafka.connect.data.Decimal") && (s.kind == kindBytes && !s.text || s.kind == kindFixed)
}
