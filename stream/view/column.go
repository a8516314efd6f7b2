package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Kind is what a column holds.
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
}

// Bounds of a column: of categories of text, of categories that are whole numbers, and of a
// value's bytes.
const (
	mostCategories = 4096
	mostWhole      = 20
	mostBytes      = 400
)

// column holds a column's values by slot.
type column struct {
	Field
	// whole: categories are numbers, and become numbers if there are too many.
	whole bool
	// short: numbers came in single precision, and go so.
	short bool
	// codes index values, from 1; 0 is missing. They are there for categories.
	codes  []uint32
	values []string
	code   map[string]uint32
	// all is the message of the first allOf values.
	all   Message
	allOf int
	// numbers hold Number and Time (milliseconds since 1970); NaN is missing.
	numbers []float64
	// texts hold Text; "" is missing.
	texts []string
}

// newColumn makes a column for values like those of c, with room for n slots; nil if such
// values are not shown.
func newColumn(c table.Column, n int) *column {
	out := &column{Field: Field{Name: clip(c.Name())}}
	switch kind := c.Kind(); {
	case kind == table.Vector:
		return nil
	case table.Millis(c) != nil:
		out.Kind = Time
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

// short says whether a column is of single precision.
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
	}
}

// grown extends s to n elements, filled with v.
func grown[T any](s []T, n int, v T) []T {
	s = slices.Grow(s, max(0, n-len(s)))
	for len(s) < n {
		s = append(s, v)
	}
	return s
}

// source reads the values of one batch for a column; the zero value stands for a column that
// is missing.
type source struct {
	there  bool
	c      table.Column
	millis []float64
	get    func(i int) float64 // nil: these are no numbers
	same   string              // if c is none: all values
}

func newSource(c table.Column, kind Kind) source {
	s := source{there: true, c: c, get: table.NumberGetter(c.Array())}
	if kind == Time {
		s.millis = table.Millis(c)
	}
	return s
}

// fill stores the rows of a source in slots, row i in slots[i], none where that is skipped.
// It reports false if the column has to change its kind, and has.
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
	default:
		for i, slot := range slots {
			if slot != none {
				c.numbers[slot] = s.number(i)
			}
		}
	}
	return true
}

func (s *source) text(i int) string {
	switch {
	case !s.there:
		return ""
	case !s.c.Valid():
		return s.same
	case s.c.IsNull(i):
		return ""
	}
	return clip(s.c.Text(i))
}

func (s *source) number(i int) float64 {
	if s.get == nil || s.c.IsNull(i) {
		return math.NaN()
	}
	return s.get(i)
}

// categorize stores categories, or makes the column another kind first.
func (c *column) categorize(slots []int32, s *source) bool {
	most := mostCategories
	if c.whole && !clusterLike(c.Name) {
		most = mostWhole
	}
	for i, slot := range slots {
		if slot == none {
			continue
		}
		c.codes[slot] = 0
		text := s.text(i)
		if text == "" {
			continue
		}
		code, known := c.code[text]
		if !known {
			// A fraction, or no number, is no category of whole numbers.
			if v := s.number(i); len(c.values) >= most || c.whole && v != math.Trunc(v) {
				c.uncategorize()
				c.fill(slots, s)
				return false
			}
			// The text is copied: it may be a part of a batch's memory.
			text = strings.Clone(text)
			c.values = append(c.values, text)
			code = uint32(len(c.values))
			c.code[text] = code
		}
		c.codes[slot] = code
	}
	return true
}

// clusterLike says that whole numbers of a column are names, however many there are.
func clusterLike(name string) bool { return name == "cluster" }

// uncategorize makes categories numbers if they are, else text.
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
		}
	}
}

// clear forgets the value of a slot that is free.
func (c *column) clear(slot int) {
	if c.Kind == Text {
		c.texts[slot] = ""
	}
}

// take is the column of some slots, named as messages name it.
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

// narrowed is vec.Pick in single precision.
func narrowed(from []float64, slots []uint32) []float32 {
	out := make([]float32, len(slots))
	for i, s := range slots {
		out[i] = float32(from[s])
	}
	return out
}

// clip bounds a text's bytes, at a rune's end, and makes it valid UTF-8.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) > mostBytes {
		cut := mostBytes
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}

// name is what messages call column i: its own name may be anything, also twice.
func name(i int) string { return fmt.Sprintf("c%d", i) }
