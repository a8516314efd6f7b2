package jsonrec

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/record"
	"unfold/internal/recent"
)

// schema is a Kafka Connect schema, compiled for one spec.
type schema struct {
	text   string
	root   *connect // of the payload
	record *connect // of the record in it
	layout *record.Layout
}

// connect is Kafka Connect's schema of a value; nil is an unknown schema.
type connect struct {
	kind   kind
	unit   record.Unit
	scale  int
	pin    record.Type
	fields map[string]*connect
}

// kind is the encoding of a value.
type kind int

const (
	kindPlain           kind = iota
	kindTime                 // an integer, in units since 1970
	kindBytes                // base64
	kindDecimal              // base64 of an integer, big endian, times ten to the power of -scale
	kindVariableDecimal      // {"scale":, "value":} of the same
	kindSparse               // {"dimensions":, "vector":}
)

// field is the schema of a field.
func (c *connect) field(name []byte) *connect {
	if c == nil {
		return nil
	}
	return c.fields[string(name)]
}

// at returns the schema of the value at a dotted path.
func (c *connect) at(path string) *connect {
	for name := range strings.SplitSeq(path, ".") {
		c = c.field([]byte(name))
	}
	return c
}

// decimal reports a decimal of any kind.
func (c *connect) decimal() bool {
	return c != nil && (c.kind == kindDecimal || c.kind == kindVariableDecimal)
}

// isChange reports the schema of Debezium's envelope.
func (c *connect) isChange() bool {
	for name := range c.fields {
		if !slices.Contains(changeFields, name) {
			return false
		}
	}
	return c.fields["after"] != nil && c.fields["op"] != nil
}

// schemas remembers the last schemas by their text, because every message contains its schema.
type schemas struct{ known recent.List[schema] }

const (
	mostSchemas = 8
	// mostSchemaBytes bounds the text of a remembered schema.
	mostSchemaBytes = 1 << 18
)

// of returns a schema.
func (c *schemas) of(text []byte, spec record.Spec) (*schema, error) {
	is := func(s *schema) bool { return s.text == string(text) }
	if s := c.known.Find(is); s != nil {
		return s, nil
	}
	s, err := compile(string(text), spec)
	if err != nil || len(text) > mostSchemaBytes {
		return s, err
	}
	return c.known.Add(s, mostSchemas, is), nil
}

// begins returns the length of the remembered schema at the beginning of data, 0 if there is none.
func (c *schemas) begins(data []byte) int {
	s := c.known.Find(func(s *schema) bool { return len(data) >= len(s.text) && string(data[:len(s.text)]) == s.text })
	if s == nil {
		return 0
	}
	return len(s.text)
}

// written is the JSON form of a schema in Kafka Connect's JsonConverter.
type written struct {
	Type       string            `json:"type"`
	Name       string            `json:"name"`
	Field      string            `json:"field"`
	Fields     []written         `json:"fields"`
	Items      *written          `json:"items"`
	Parameters map[string]string `json:"parameters"`
}

// compile parses a schema and sets the types of the columns that it determines.
func compile(text string, spec record.Spec) (*schema, error) {
	var w written
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return nil, err
	}
	s := &schema{text: strings.Clone(text), root: w.compile()}
	s.record = s.root
	types := map[string]record.Type{}
	if s.root.isChange() {
		if s.record = s.root.fields["after"]; s.record.fields == nil {
			s.record = nil // MongoDB's, which are text
		}
		s.root.pins("", types)
	}
	s.record.pins("", types)
	if s.record.at(spec.ID).decimal() {
		delete(types, spec.ID) // as an integer, which is exact
	}
	for path, t := range spec.Types {
		types[path] = t
	}
	if spec.Vector != "" {
		types[spec.Vector] = record.Vector
	}
	spec.Types = types
	s.layout = record.NewLayout(spec)
	return s, nil
}

// named are the semantic types of Kafka Connect and Debezium except numeric times.
var named = map[string]connect{
	"org.apache.kafka.connect.data.Decimal": {kind: kindDecimal, pin: record.Float},
	record.ZonedTime:                        {pin: record.Time},
	"io.debezium.data.VariableScaleDecimal": {kind: kindVariableDecimal, pin: record.Float},
	"io.debezium.data.FloatVector":          {pin: record.Vector},
	"io.debezium.data.DoubleVector":         {pin: record.Vector},
	"io.debezium.data.SparseVector":         {kind: kindSparse, pin: record.Vector},
	"io.debezium.data.SparseDoubleVector":   {kind: kindSparse, pin: record.Vector},
}

// plain are Kafka Connect's types that correspond to column types.
var plain = map[string]record.Type{
	"int8": record.Int, "int16": record.Int, "int32": record.Int, "int64": record.Int,
	"float": record.Float, "double": record.Float, "float32": record.Float, "float64": record.Float,
	"boolean": record.Bool, "string": record.Text, "bytes": record.Text,
}

func (w *written) compile() *connect {
	if unit, ok := record.TimeUnit(w.Name); ok {
		return &connect{kind: kindTime, unit: unit, pin: record.Time}
	}
	if c, ok := named[w.Name]; ok {
		c.scale, _ = strconv.Atoi(w.Parameters["scale"])
		return &c
	}
	c := &connect{pin: plain[w.Type]}
	switch w.Type {
	case "bytes":
		c.kind = kindBytes
	case "array":
		if w.Items != nil && slices.Contains([]record.Type{record.Int, record.Float}, plain[w.Items.Type]) && w.Items.Name == "" {
			c.pin = record.Vector
		}
	case "struct":
		c.fields = map[string]*connect{}
		for i := range w.Fields {
			c.fields[w.Fields[i].Field] = w.Fields[i].compile()
		}
	}
	return c
}

// pins collects the column types by path.
func (c *connect) pins(path string, to map[string]record.Type) {
	if c == nil {
		return
	}
	if c.pin != record.Auto {
		to[path] = c.pin
	}
	for name, f := range c.fields {
		f.pins(record.Join(path, name), to)
	}
}

// schemaText adds a string whose type is given by the schema.
func (p *parser) schemaText(n *record.Node, s *connect, raw []byte) {
	switch s.kind {
	case kindBytes, kindDecimal:
		bytes, err := base64.StdEncoding.DecodeString(string(raw))
		if err != nil {
			p.b.Refuse(n, "the schema says bytes, but %s is no base64", quote(raw))
			return
		}
		if s.kind == kindBytes {
			p.b.Bytes(n, bytes)
			return
		}
		p.b.Decimal(n, bytes, int64(s.scale))
	default:
		p.b.Text(n, raw)
	}
}

// variableDecimal reads {"scale": 2, "value": "AQ=="}.
func (p *parser) variableDecimal(n *record.Node) bool {
	start, depth := p.at, p.depth
	fields, ok := p.index(2)
	if !ok {
		return p.err == nil && p.fail(start, "a decimal has more fields than scale and value")
	}
	end := p.at
	scale, value := valueOf(fields, "scale"), valueOf(fields, "value")
	if scale < 0 || value < 0 || p.data[value] != '"' {
		return p.fail(start, "a decimal has a scale and a value")
	}
	p.at = scale
	v, ok := p.number()
	if !ok {
		return false
	}
	magnitude, whole := v.integer()
	if !whole || magnitude > math.MaxInt32 {
		return p.fail(scale, "the scale %s of a decimal is not supported", v.raw)
	}
	p.at = value
	raw, _, ok := p.text()
	if !ok {
		return false
	}
	bytes, err := base64.StdEncoding.DecodeString(string(raw))
	if err != nil {
		return p.fail(value, "the value of a decimal is no base64")
	}
	if v.negative {
		magnitude = -magnitude
	}
	p.b.Decimal(n, bytes, int64(magnitude))
	p.at, p.depth = end, depth
	return true
}
