package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"unfold/ingest/table"
)

// Builder collects the rows of one message. It must be used by one goroutine at a time. Values
// passed to it are copied. The first value that does not fit its column is stored as an error that
// Table returns, so that decoders need no check after every value.
type Builder struct {
	spec *Spec
	root *Node
	// byPath holds the requested columns and those found so far; used holds the ones present in the
	// message.
	byPath map[string]*field
	used   []*field
	rows   int
	// grown is the number of nodes that messages have added, met the number of these that occur in
	// this message.
	grown, met int
	names      int    // bytes of the paths of those that were added
	message    uint64 // its number
	memory     int64
	bad        *bad
	// deleted is the number, from 1, of the row that is marked as deleted. unchanged lists the
	// columns with omitted values.
	deleted   int
	unchanged []string
	shapes    shapes
	text      []byte // scratch
	floats    []float64
}

// bad describes the first refused value.
type bad struct {
	row     int
	column  string
	problem string
	advice  string
}

func newBuilder(s *Spec) *Builder {
	b := &Builder{spec: s}
	b.begin()
	return b
}

// begin creates the nodes and columns of the spec.
func (b *Builder) begin() {
	b.root = &Node{b: b, any: b.spec.Paths == nil}
	b.byPath, b.used, b.grown, b.names, b.shapes = map[string]*field{}, b.used[:0], 0, 0, shapes{}
	for _, p := range b.spec.Paths {
		b.root.want(p)
	}
	if b.spec.Changes && !b.root.any {
		for _, name := range []string{deletedField, operationField} {
			if b.root.children[name] == nil {
				b.root.add(name)
			}
		}
	}
	for _, p := range b.spec.always() {
		b.column(p)
	}
	b.reset()
}

// keptNames bounds the total length of names that are kept from one message to the next.
const keptNames = 1 << 20

// reset drops the message.
func (b *Builder) reset() {
	// Names that occur in messages only are forgotten from time to time.
	if b.grown > b.spec.Limits.Fields || b.names > keptNames {
		b.begin()
		return
	}
	for _, f := range b.used {
		f.reset()
	}
	b.used, b.rows, b.memory, b.bad, b.met, b.deleted, b.unchanged = b.used[:0], 0, 0, nil, 0, 0, b.unchanged[:0]
	b.message++
	for _, p := range b.spec.always() {
		b.use(b.byPath[p])
	}
}

// Root is the record itself.
func (b *Builder) Root() *Node { return b.root }

// Rows returns the number of complete rows.
func (b *Builder) Rows() int { return b.rows }

// Bad reports whether a value was refused. Then the message is bad, whatever follows.
func (b *Builder) Bad() bool { return b.bad != nil }

// EndRow completes a row. Columns without a value become null.
func (b *Builder) EndRow() {
	b.rows++
	if b.deleted > 0 && b.rows > 1 {
		b.refuse("", "a record that is deleted comes in a message with others", "send one change a message")
	}
	if int64(b.rows) > b.spec.Limits.Rows {
		b.refuse("", fmt.Sprintf("the message has more than %d records", b.spec.Limits.Rows), "send smaller messages")
	}
}

// refuse keeps the first error.
func (b *Builder) refuse(column, problem, advice string) {
	if b.bad == nil {
		b.bad = &bad{b.rows, column, problem, advice}
	}
}

// Refuse records that a field's value cannot be read.
func (b *Builder) Refuse(n *Node, format string, args ...any) {
	column := ""
	if n != nil {
		column = n.path
	}
	b.refuse(column, fmt.Sprintf(format, args...), "")
}

// charge counts memory.
func (b *Builder) charge(bytes int) {
	if b.memory += int64(bytes); b.memory > b.spec.Limits.Memory {
		b.refuse("", fmt.Sprintf("its values take more than %d bytes", b.spec.Limits.Memory), "send smaller messages")
	}
}

// column returns the column at a path and creates it if necessary.
func (b *Builder) column(path string) *field {
	f := b.byPath[path]
	if f == nil {
		f = &field{path: path, pinned: b.spec.pinned(path)}
		f.reset()
		b.byPath[path] = f
	}
	return f
}

// use adds a column to those of the message.
func (b *Builder) use(f *field) {
	if !f.used {
		f.used = true
		b.used = append(b.used, f)
		if len(b.used) > b.spec.Limits.Fields {
			b.tooManyFields()
		}
	}
}

// meet counts a name that is not in the spec, with the length of its path. It returns false if
// there are too many.
func (b *Builder) meet(path int) bool {
	if b.met++; b.met > b.spec.Limits.Fields {
		b.tooManyFields()
	}
	b.charge(64 + path)
	return b.bad == nil
}

func (b *Builder) tooManyFields() {
	b.refuse("", fmt.Sprintf("the message has more than %d fields", b.spec.Limits.Fields), "name the columns to use")
}

// at returns the column for the row's value of a node, after filling it with nulls up to the row.
// It returns nil if no column is requested or the builder accepts no more values.
func (b *Builder) at(n *Node) *field {
	if n == nil || !n.wanted || b.bad != nil {
		return nil
	}
	if n.field == nil {
		n.field = b.column(n.path)
	}
	f := n.field
	b.use(f)
	if f.rows > b.rows {
		b.refuse(f.path, "it comes twice", "")
		return nil
	}
	b.charge(16 + 8*(b.rows-f.rows))
	f.fill(b.rows)
	return f
}

// Null adds a null.
func (b *Builder) Null(n *Node) {
	if f := b.at(n); f != nil {
		f.null()
	}
}

// Bool adds a truth value.
func (b *Builder) Bool(n *Node, v bool) {
	if n != nil && n.mark != markNone {
		b.marked(n.mark, strconv.FormatBool(v))
	}
	f := b.at(n)
	if f == nil {
		return
	}
	number := int64(0)
	if v {
		number = 1
	}
	switch f.pinned {
	case Auto, Bool:
		b.take(f, kindBool, func() { f.ints = append(f.ints, number) })
	case Int:
		b.take(f, kindInt, func() { f.ints = append(f.ints, number) })
	case Float:
		b.take(f, kindFloat, func() { f.floats = append(f.floats, float64(number)) })
	case Text:
		b.text = strconv.AppendBool(b.text[:0], v)
		b.addText(f, b.text)
	default:
		b.misfit(f, "a truth value")
	}
}

// Int adds an integer.
func (b *Builder) Int(n *Node, v int64) {
	if f := b.at(n); f != nil {
		b.addInt(f, v)
	}
}

func (b *Builder) addInt(f *field, v int64) {
	switch {
	case f.kind == kindUint && v >= 0, f.pinned == Uint && v >= 0:
		b.take(f, kindUint, func() { f.ints = append(f.ints, v) })
	case f.kind == kindUint, f.pinned == Uint:
		b.addNegative(f, v)
	case f.pinned == Int, f.pinned == Auto && f.kind != kindFloat:
		b.take(f, kindInt, func() { f.ints = append(f.ints, v) })
	case f.pinned == Float, f.pinned == Auto:
		b.take(f, kindFloat, func() { f.floats = append(f.floats, float64(v)) })
	case f.pinned == Bool && v>>1 == 0:
		b.take(f, kindBool, func() { f.ints = append(f.ints, v) })
	case f.pinned == Time:
		b.addTime(f, v, Millis)
	case f.pinned == Text:
		b.text = strconv.AppendInt(b.text[:0], v, 10)
		b.addText(f, b.text)
	default:
		b.misfit(f, "a number")
	}
}

// addNegative adds a negative integer to a column of unsigned integers. The column becomes one of
// floats, which represent all values approximately, unless its type is set or it is the id column.
func (b *Builder) addNegative(f *field, v int64) {
	if f.pinned == Uint || b.isID(f) {
		b.refuse(f.path, fmt.Sprintf("%d is negative, and the column has numbers beyond int64", v), "pin the column to text, as in "+f.path+":"+string(Text))
		return
	}
	b.take(f, kindFloat, func() { f.floats = append(f.floats, float64(v)) })
}

// isID reports the column of ids.
func (b *Builder) isID(f *field) bool { return f.path == b.spec.ID && f.path != "" }

// Uint adds an unsigned integer. Values above the range of int64 are held by a column of their own
// kind.
func (b *Builder) Uint(n *Node, v uint64) {
	f := b.at(n)
	switch {
	case f == nil:
	case v <= math.MaxInt64:
		b.addInt(f, int64(v))
	case f.pinned == Text:
		b.text = strconv.AppendUint(b.text[:0], v, 10)
		b.addText(f, b.text)
	case f.pinned == Int:
		b.refuse(f.path, fmt.Sprintf("%d is beyond int64", v), fmt.Sprintf("pin the column to an unsigned integer or to text, as in %s:%s", f.path, Uint))
	case f.pinned != Auto && f.pinned != Uint, f.kind == kindFloat:
		b.addFloat(f, float64(v))
	case f.kind == kindInt && slices.ContainsFunc(f.ints, func(v int64) bool { return v < 0 }):
		if b.isID(f) {
			b.refuse(f.path, fmt.Sprintf("%d is beyond int64, and the column has negative numbers", v), "pin the column to text, as in "+f.path+":"+string(Text))
			return
		}
		b.addFloat(f, float64(v))
	default:
		b.take(f, kindUint, func() { f.ints = append(f.ints, int64(v)) })
	}
}

// Float adds a number.
func (b *Builder) Float(n *Node, v float64) {
	if f := b.at(n); f != nil {
		b.addFloat(f, v)
	}
}

func (b *Builder) addFloat(f *field, v float64) {
	switch f.pinned {
	case Auto, Float:
		b.take(f, kindFloat, func() { f.floats = append(f.floats, v) })
	case Text:
		b.text = strconv.AppendFloat(b.text[:0], v, 'g', -1, 64)
		b.addText(f, b.text)
	case Vector:
		b.misfit(f, "a number")
	default:
		if v != math.Trunc(v) || math.Abs(v) >= 1<<63 || b.isID(f) && math.Abs(v) >= table.ExactFloat {
			b.misfit(f, fmt.Sprintf("the number %v", v))
			return
		}
		b.addInt(f, int64(v))
	}
}

// Unit is a unit of time, as the number of units per second, or Days.
type Unit int64

// Units of time.
const (
	Days    Unit = 0
	Seconds Unit = 1
	Millis  Unit = 1e3
	Micros  Unit = 1e6
	Nanos   Unit = 1e9
)

// Time adds a UTC time: v units since 1970. Columns have a resolution of microseconds; finer digits
// are truncated.
func (b *Builder) Time(n *Node, v int64, u Unit) {
	f := b.at(n)
	if f == nil {
		return
	}
	if u == Days {
		if v > furthestDay || v < -furthestDay {
			b.refuse(f.path, fmt.Sprintf("the date %d is too far away", v), "")
			return
		}
		v, u = v*day, Seconds
	}
	switch f.pinned {
	case Auto, Time:
		b.addTime(f, v, u)
	default:
		b.addInt(f, v)
	}
}

// day is the number of seconds per day; furthestDay is the largest day number whose microseconds
// fit int64.
const (
	day         = 86400
	furthestDay = math.MaxInt64 / day / 1_000_000
)

func (b *Builder) addTime(f *field, v int64, u Unit) {
	micros := v / max(int64(u)/1e6, 1)
	if scale := int64(max(1e6/u, 1)); scale > 1 {
		if micros = v * scale; micros/scale != v {
			b.misfit(f, fmt.Sprintf("the time %d", v))
			return
		}
	}
	b.take(f, kindTime, func() { f.ints = append(f.ints, micros) })
}

// take adds a value of a kind. If a column has both integers and floats, it becomes one of floats.
func (b *Builder) take(f *field, k kind, add func()) {
	switch {
	case f.kind == kindNone:
		f.begin(k)
	case f.kind == k:
	case (f.kind == kindInt || f.kind == kindUint) && k == kindFloat:
		f.widen()
	case f.kind == kindInt && k == kindUint:
		f.kind = kindUint
	case f.kind == kindVector32 && k == kindVector64:
		f.widenVectors()
	case f.kind == kindVector64 && k == kindSparse && len(f.vec64) == 0: // lists that are empty
		f.kind = kindSparse
	default:
		b.misfit(f, k.String())
		return
	}
	add()
	f.ok()
}

// misfit records that a value does not fit its column.
func (b *Builder) misfit(f *field, what string) {
	if f.pinned != Auto {
		b.refuse(f.path, fmt.Sprintf("%s cannot be a value of type %s", what, f.pinned), "")
		return
	}
	b.refuse(f.path, fmt.Sprintf("%s comes after %s", what, f.kind), fmt.Sprintf("pin the column to a type, as in %s:%s", f.path, Text))
}

// Table returns the rows as a table, or the first error, a *table.Error. The table shares no memory
// with the builder.
func (b *Builder) Table(origin table.Origin) (*table.Table, error) {
	for _, f := range b.used {
		b.charge(8 * (b.rows - f.rows))
	}
	if b.bad != nil {
		return nil, b.bad.at(origin)
	}
	for _, f := range b.used {
		f.fill(b.rows)
	}
	return table.OfRecord(origin, b.record()), nil
}

// at converts the refusal to an error with the message's origin.
func (r *bad) at(origin table.Origin) *table.Error {
	e := origin.Bad("%s", r.problem)
	if r.column != "" {
		e = origin.BadAt(r.row, r.column, "%s", r.problem)
	}
	if r.advice != "" {
		e = e.Suggest("%s", r.advice)
	}
	return e
}
