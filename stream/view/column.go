package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Kind is the type of a column's values.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Time     Kind = "time"
	Category Kind = "category"
	Text     Kind = "text"
)

// Field describes a column to readers.
type Field struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Exact is set if messages have the exact text of values that a float64 would round.
	Exact bool `json:"exact,omitempty"`
	// Zoned is set for times that are instants. Other times have no time zone.
	Zoned bool `json:"zoned,omitempty"`
}

// Limits of a column: the numbers of categories for text and for whole numbers, and the bytes of
// one value.
const (
	mostCategories = 4096
	mostWhole      = 20
	mostBytes      = 400
)

// column holds the values of a column by slot.
type column struct {
	Field
	// whole is set if the categories are whole numbers. With too many of them the column becomes
	// numeric.
	whole bool
	// short is set for single-precision numbers, which are sent in single precision as well.
	short bool
	// codes holds, for a column of categories, one more than each value's index in values; 0 is
	// missing.
	codes  []uint32
	values []string
	code   map[string]uint32
	// all is a cached message with the first allOf values.
	all   Message
	allOf int
	// numbers holds the values of kinds Number and Time (milliseconds since 1970); NaN is missing.
	numbers []float64
	// texts holds the values of kind Text, "" is missing; and, if Exact is set, the exact text of
	// numbers that are rounded, "" for others.
	texts []string
}

// newColumn returns a column of n slots for values of c's type, or nil if that type is not shown.
func newColumn(c table.Column, n int) *column {
	out := &column{Field: Field{Name: clip(c.Name())}}
	switch kind := c.Kind(); {
	case kind == table.Vector:
		return nil
	case table.Millis(c) != nil:
		out.Kind, out.Zoned = Time, table.Zoned(c)
	case kind == table.Number:
		out.Kind, out.whole = Category, true
	case kind == table.Text || kind == table.Bool:
		out.Kind = Category
	default:
		out.Kind = Text
	}
	out.code, out.short = map[string]uint32{}, short(c)
	out.grow(n)
	return out
}

// short reports whether a column has single-precision numbers.
func short(c table.Column) bool { return c.ArrowField().Type.Name() == "float32" }

// grow makes room for n slots.
func (c *column) grow(n int) {
	switch c.Kind {
	case Category:
		c.codes = grown(c.codes, n, 0)
	case Text:
		c.texts = grown(c.texts, n, "")
	default:
		c.numbers = grown(c.numbers, n, math.NaN())
		if c.Exact {
			c.texts = grown(c.texts, n, "")
		}
	}
}

// grown extends s to n elements; new ones are v. The capacity doubles: append's smaller steps would
// copy large slices several times as often.
func grown[T any](s []T, n int, v T) []T {
	if n > cap(s) {
		s = slices.Grow(s, max(n, 2*cap(s))-len(s))
	}
	for len(s) < n {
		s = append(s, v)
	}
	return s
}

// source reads the values of a column from one batch. The zero value stands for a column that the
// batch lacks.
type source struct {
	there  bool
	c      table.Column
	millis []float64
	get    func(i int) float64 // nil: these are no numbers
	exact  func(i int) string  // nil: no value is rounded
	same   string              // if c is none: all values
	full   bool                // no value is missing
}

func newSource(c table.Column, kind Kind) source {
	s := source{there: true, c: c, get: table.NumberGetter(c.Array()), full: c.Full()}
	if kind == Time {
		s.millis = table.Millis(c)
	}
	s.exact = table.Exact(c)
	return s
}

// fill stores row i of the source in slots[i], unless that is skipped. It returns false if the
// column had to change its kind instead.
func (c *column) fill(slots []int32, s *source) bool {
	switch c.Kind {
	case Category:
		return c.categorize(slots, s)
	case Text:
		for i, slot := range slots {
			if slot != none {
				c.texts[slot] = strings.Clone(s.text(i))
			}
		}
	case Time:
		for i, slot := range slots {
			if slot == none {
				continue
			}
			c.numbers[slot] = math.NaN()
			if s.millis != nil {
				c.numbers[slot] = s.millis[i]
			}
		}
		return c.fillExact(slots, s)
	default:
		for i, slot := range slots {
			if slot != none {
				c.numbers[slot] = s.number(i)
			}
		}
		return c.fillExact(slots, s)
	}
	return true
}

// fillExact stores the exact texts of numbers and times that are rounded. It returns false if these
// are the first ones of the column, so that readers have to start again.
func (c *column) fillExact(slots []int32, s *source) bool {
	was := c.Exact
	if s.exact == nil && !was {
		return true
	}
	for i, slot := range slots {
		if slot == none {
			continue
		}
		text := ""
		if v := c.numbers[slot]; s.exact != nil && v == v {
			text = s.exact(i)
		}
		switch {
		case c.Exact:
			c.texts[slot] = text
		case text != "":
			c.Exact = true
			c.texts = make([]string, len(c.numbers))
			c.texts[slot] = text
		}
	}
	return was == c.Exact
}

func (s *source) text(i int) string {
	switch {
	case !s.there:
		return ""
	case !s.c.Valid():
		return s.same
	}
	return clip(s.raw(i))
}

// raw is like text for a column that is there, without the bounds of clip.
func (s *source) raw(i int) string {
	if !s.full && s.c.IsNull(i) {
		return ""
	}
	return s.c.Text(i)
}

func (s *source) number(i int) float64 {
	if s.get == nil || !s.full && s.c.IsNull(i) {
		return math.NaN()
	}
	return s.get(i)
}

// categorize stores the rows as categories. If the column cannot hold them as categories it changes
// the column's kind and stores nothing more.
func (c *column) categorize(slots []int32, s *source) bool {
	most := mostCategories
	if c.whole && !clusterLike(c.Name) {
		most = mostWhole
	}
	// Neighbouring rows often have the same value, and all rows of some columns.
	last, code := "", uint32(0)
	for i, slot := range slots {
		if slot == none {
			continue
		}
		text := s.same
		if s.there && s.c.Valid() {
			text = s.raw(i)
		}
		if text == last {
			c.codes[slot] = code
			continue
		}
		last = text
		known := text == ""
		if code = 0; !known {
			code, known = c.code[text] // its values are clipped: a text that is among them needs no clipping
		}
		if !known {
			text = clip(text)
			code, known = c.code[text]
		}
		if !known {
			// Fractions and infinities cannot be categories of whole numbers.
			if v := s.number(i); len(c.values) >= most || c.whole && v != math.Trunc(v) {
				c.codes[slot] = 0
				c.uncategorize()
				c.fill(slots, s)
				return false
			}
			// The text is copied because it may be part of the batch's memory.
			text = strings.Clone(text)
			c.values = append(c.values, text)
			code = uint32(len(c.values))
			c.code[text] = code
		}
		c.codes[slot] = code
	}
	return true
}

// clusterLike reports whether the whole numbers of a column are labels, whatever their number.
func clusterLike(name string) bool { return name == "cluster" }

// uncategorize turns a column of categories into numbers if they are whole numbers, else into text.
func (c *column) uncategorize() {
	codes, values := c.codes, c.values
	c.codes, c.values, c.code = nil, nil, nil
	c.Kind = Text
	if c.whole {
		c.Kind = Number
	}
	c.grow(len(codes))
	for slot, code := range codes {
		if code == 0 {
			continue
		}
		if c.Kind == Text {
			c.texts[slot] = values[code-1]
		} else if v, err := strconv.ParseFloat(values[code-1], 64); err == nil {
			c.numbers[slot] = v
			if strconv.FormatFloat(v, 'f', -1, 64) != values[code-1] && beyondExact(v) {
				c.Exact = true
				c.texts = grown(c.texts, len(codes), "")
				c.texts[slot] = values[code-1]
			}
		}
	}
}

// clear removes the value of a slot that became free.
func (c *column) clear(slot int) {
	if c.Kind == Text || c.Exact {
		c.texts[slot] = ""
	}
}

// take returns the values of the given slots as a column with this name.
func (c *column) take(name string, slots []uint32) table.Column {
	switch c.Kind {
	case Category:
		return table.Uint32Column(name, vec.Pick(c.codes, slots))
	case Text:
		return table.StringColumn(name, vec.Pick(c.texts, slots))
	case Number:
		if c.short {
			return table.Float32Column(name, narrowed(c.numbers, slots))
		}
	}
	return table.Float64Column(name, vec.Pick(c.numbers, slots))
}

// wholly returns the exact values of the given slots as a column. Unlike take, it returns
// categories as text. If any number or time of the column is rounded, it returns all of them as
// text.
func (c *column) wholly(name string, slots []uint32) table.Column {
	texts := make([]string, len(slots))
	switch {
	case c.Kind == Category:
		for i, s := range slots {
			if code := c.codes[s]; code > 0 {
				texts[i] = c.values[code-1]
			}
		}
	case c.Exact:
		for i, s := range slots {
			texts[i] = c.exactly(s)
		}
	default:
		return c.take(name, slots)
	}
	return table.StringColumn(name, texts)
}

// exactly returns the exact text of a number or time, "" if it is missing.
func (c *column) exactly(s uint32) string {
	v := c.numbers[s]
	switch {
	case c.texts[s] != "":
		return c.texts[s]
	case v-v != 0:
		return ""
	case c.Kind == Time && c.Zoned:
		return time.UnixMilli(int64(v)).UTC().Format("2006-01-02T15:04:05.999Z07:00")
	case c.Kind == Time:
		return time.UnixMilli(int64(v)).UTC().Format("2006-01-02T15:04:05.999")
	case beyondExact(v) && v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64) // all digits, although fewer would identify it
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// beyondExact reports whether v is so large that several integers have the same float64.
func beyondExact(v float64) bool { return math.Abs(v) > table.ExactFloat }

// narrowed is vec.Pick in single precision.
func narrowed(from []float64, slots []uint32) []float32 {
	out := make([]float32, len(slots))
	for i, s := range slots {
		out[i] = float32(from[s])
	}
	return out
}

// clip returns s as valid UTF-8, cut between two runes to the maximum length of a value.
func clip(s string) string {
	if !utf8.ValidString(s) { // the check is several times as fast
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) > mostBytes {
		cut := mostBytes
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}

// name returns the name of column i in messages. The column's own name cannot be used, since it
// need not be unique.
func name(i int) string { return fmt.Sprintf("c%d", i) }

// exactName returns the name of the exact texts of column i in messages.
func exactName(i int) string { return fmt.Sprintf("e%d", i) }
