package table

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
)

// Some formats, or their writers, have no lists of numbers. Vectors are then disguised: as text
// such as "[0.1, 0.2]", numpy's "[0.1 0.2]" or "0.1;0.2;0.3;0.4" (see holdsTexts), as bytes of a fixed length, or as lists
// of lists: one list, or matrices of one shape.

// Disguise is the form of vectors in a column that is not a list of numbers.
type Disguise struct {
	// Form is "text", "list of one list", "list of 5 lists" or of another number, "float16",
	// "float32" or "float64" (little endian), "base64 of float32" or of another, or "" if the column
	// contains no vectors.
	Form string
	// Lists is the number of lists in a list, 0 for other forms.
	Lists int
}

// lookDisguised is the number of rows by which DisguiseOf decides.
const lookDisguised = 64

// DisguiseOf determines from the first rows of a column whether it contains disguised vectors.
func DisguiseOf(c Column) Disguise {
	switch a := storage(c.arr).(type) {
	case *array.String, *array.LargeString, *array.Dictionary:
		if c.Kind() == Text && holdsTexts(c) {
			return Disguise{Form: "text"}
		}
		if rows := unpacked(c); rows != nil {
			if form := bytesForm(rows); form != "" {
				return Disguise{Form: base64Of + form}
			}
		}
	case *array.Binary, *array.LargeBinary, *array.FixedSizeBinary:
		var rows [][]byte
		for i := 0; i < c.Len() && len(rows) < lookDisguised; i++ {
			if !c.IsNull(i) {
				rows = append(rows, bytesOf(c, i))
			}
		}
		return Disguise{Form: bytesForm(rows)}
	case array.ListLike:
		if !isNumber(elemOf(a.ListValues().DataType())) {
			return Disguise{}
		}
		switch n := listsIn(a); {
		case n == 1:
			return Disguise{"list of one list", n}
		case n > 1:
			return Disguise{fmt.Sprintf("list of %d lists", n), n}
		}
	}
	return Disguise{}
}

// elemOf returns the type of a list's elements, or null for other types.
func elemOf(dt arrow.DataType) arrow.DataType {
	if l, ok := dt.(arrow.ListLikeType); ok {
		return l.Elem()
	}
	return arrow.Null
}

// storage removes extension types.
func storage(a arrow.Array) arrow.Array {
	if e, ok := a.(array.ExtensionArray); ok {
		return storage(e.Storage())
	}
	return a
}

// holdsTexts reports whether the texts are in brackets and the first of them contains numbers. In round
// or curly brackets these must be at least three, mostly fractions: others are pairs, colours or sets.
// Without brackets all texts must be as many numbers, at least four, between semicolons or blanks,
// mostly fractions: others are codes or telephone numbers.
func holdsTexts(c Column) bool {
	seen, bare, fractions := 0, 0, 0
	for i := 0; i < c.Len() && seen < lookDisguised; i++ {
		text := strings.TrimSpace(c.Text(i))
		if c.IsNull(i) || text == "" {
			continue
		}
		inner, open := unwrapped(text)
		v, err := ParseVector(nil, text)
		if open == 0 {
			if err != nil || len(v) < 4 || strings.Contains(text, ",") || seen > 0 && len(v) != bare {
				return false
			}
			bare = len(v)
		} else if bare > 0 || inner == "" {
			return false
		}
		if seen == 0 && (err != nil && !strings.Contains(inner, "...") || err == nil && (len(v) < 2 || len(v) < 3 && open != '[')) {
			return false
		}
		if open != '[' {
			fractions += strings.Count(text, ".") - len(v)/2
		}
		seen++
	}
	return seen > 0 && fractions >= 0
}

// call matches a vector as numpy, PyTorch or Spark write it in Python, and its numbers.
var call = regexp.MustCompile(`(?s)^(?:\w+\.)?(?:[aA]rray|tensor|Tensor|DenseVector)\((.*?)(?:,\s*(?:dtype|device|grad_fn|requires_grad|shape)=.*)?\)$`)

// unwrapped returns the text in up to two pairs of brackets, or in a call of Python, and the first
// bracket; 0 if there is none.
func unwrapped(text string) (inner string, open byte) {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ")") {
		if m := call.FindStringSubmatch(text); m != nil {
			text, open = strings.TrimSpace(m[1]), '['
		}
	}
	for range 2 {
		if n := len(text); n >= 2 && (text[0] == '[' && text[n-1] == ']' || text[0] == '(' && text[n-1] == ')' || text[0] == '{' && text[n-1] == '}') {
			if open == 0 {
				open = text[0]
			}
			text = strings.TrimSpace(text[1 : n-1])
		}
	}
	return text, open
}

// listsIn returns the number of lists that each list contains, 0 if the numbers differ, a list is null
// or, of several, the lengths of lists differ.
func listsIn(l array.ListLike) int {
	inner, ok := l.ListValues().(array.ListLike)
	if !ok {
		return 0
	}
	lists, length := 0, int64(-1)
	for i := range min(l.Len(), lookDisguised) {
		if l.IsNull(i) {
			continue
		}
		from, to := l.ValueOffsets(i)
		if n := int(to - from); n == 0 || lists > 0 && n != lists {
			return 0
		} else if lists = n; n == 1 {
			length = -1
		}
		for k := int(from); k < int(to); k++ {
			if inner.IsNull(k) {
				return 0
			}
			first, last := inner.ValueOffsets(k)
			if length >= 0 && last-first != length {
				return 0
			}
			if lists > 1 {
				length = last - first
			}
		}
	}
	return lists
}

// base64Of begins the form of bytes that are written in base64, as embedding APIs send them.
const base64Of = "base64 of "

// unpacked returns the bytes of texts in base64, nil if a text is something else.
func unpacked(c Column) (rows [][]byte) {
	const least = 16 // characters: others are words
	for i := 0; i < c.Len() && len(rows) < lookDisguised; i++ {
		text := c.Text(i)
		if c.IsNull(i) || text == "" {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(text) < least {
			return nil
		}
		rows = append(rows, b)
	}
	return rows
}

// leastBytes is the least number of bytes for a decision. Fewer bytes may look like numbers by
// chance.
const leastBytes = 24

// bytesForm returns the type of number that bytes of one length contain. It is the type for which
// the exponents of the numbers vary least. Other bytes, such as hashes, have random exponents, and
// codes consist of printable characters.
func bytesForm(rows [][]byte) string {
	if len(rows) == 0 || len(rows[0]) < 4 || slices.ContainsFunc(rows, func(r []byte) bool { return len(r) != len(rows[0]) }) {
		return ""
	}
	if all := slices.Concat(rows...); len(all) < leastBytes || !slices.ContainsFunc(all, func(b byte) bool { return b < ' ' || b > '~' }) {
		return ""
	}
	best, least := "", 6.0 // the limit of the spread, in binary digits
	for _, form := range []string{"float32", "float64", "float16"} {
		if spread, ok := exponents(rows, form); ok && spread < least {
			best, least = form, spread
		}
	}
	return best
}

// bytesOf returns the bytes of a row. Column.Text returns bytes of a fixed length in base64.
func bytesOf(c Column, i int) []byte {
	if a, fixed := storage(c.arr).(*array.FixedSizeBinary); fixed {
		return a.Value(i)
	}
	return []byte(c.Text(i))
}

// exponents returns the standard deviation of the exponents of the numbers in rows, for the given
// form. It returns false for numbers that are not finite. It also returns false if the lower halves
// of all numbers are 0, because they are then numbers of twice the size.
func exponents(rows [][]byte, form string) (spread float64, ok bool) {
	var n, sum, squares float64
	var zeros [2]int
	count := 0
	for _, row := range rows {
		v, err := numbersOf(nil, row, form)
		if err != nil || len(v) < 2 {
			return 0, false
		}
		for k, x := range v {
			count++
			if x-x != 0 {
				return 0, false
			}
			if x == 0 {
				zeros[k%2]++
				continue
			}
			e := math.Log2(math.Abs(x))
			n, sum, squares = n+1, sum+e, squares+e*e
		}
	}
	if n == 0 || 4*zeros[0] >= count && 4*zeros[1] < 3*zeros[0] {
		return 0, false
	}
	return math.Sqrt(max(0, squares/n-sum/n*(sum/n))), true
}

// sizes are the bytes per number of each form.
var sizes = map[string]int{"float16": 2, "float32": 4, "float64": 8}

// numbersOf appends the little-endian numbers in b.
func numbersOf(to []float64, b []byte, form string) ([]float64, error) {
	size := sizes[form]
	if len(b)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of %s", len(b), form)
	}
	for ; len(b) > 0; b = b[size:] {
		switch form {
		case "float16":
			to = append(to, float64(float16.FromBits(binary.LittleEndian.Uint16(b)).Float32()))
		case "float32":
			to = append(to, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		default:
			to = append(to, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return to, nil
}

// ParseVector appends the numbers in a text. They are separated by commas, semicolons or, as in
// numpy, by blanks and newlines, in up to two pairs of brackets or in a call such as array([1, 2]).
// NaN, null and None are read as NaN.
func ParseVector(to []float64, text string) ([]float64, error) {
	text, _ = unwrapped(text)
	if text == "" {
		return to, nil
	}
	comma := ","
	if !strings.Contains(text, comma) {
		comma = ";"
	}
	blanks := !strings.Contains(text, comma)
	for more := true; more; {
		var item string
		if blanks {
			text = strings.TrimLeft(text, " \t\r\n")
			end := strings.IndexAny(text, " \t\r\n")
			if more = end >= 0; more {
				item, text = text[:end], text[end:]
			} else if item = text; item == "" {
				break
			}
		} else if item, text, more = strings.Cut(text, comma); true {
			item = strings.TrimSpace(item)
		}
		v, err := vectorElement(item)
		if err != nil {
			return nil, err
		}
		to = append(to, v)
	}
	return to, nil
}

// vectorElement parses a number in the text of a vector.
func vectorElement(item string) (float64, error) {
	v, err := strconv.ParseFloat(item, 64)
	switch {
	case err == nil:
		return v, nil
	case item == "null" || item == "None":
		return math.NaN(), nil
	case strings.HasPrefix(item, "...") || item == "\u2026":
		return 0, fmt.Errorf("the vector has been shortened (...) when it was written, so that most of its numbers are lost: write the whole list, such as str(v.tolist()), or a Parquet file")
	}
	return 0, fmt.Errorf("%q in the list is not a number", Clip(item))
}

// Vectors returns the disguised vectors of a column as lists of float64. o is the origin of row 0.
// Empty texts are missing vectors.
func (d Disguise) Vectors(c Column, o Origin) (Column, error) {
	if d.Lists > 0 {
		return d.unnest(c, o)
	}
	b := array.NewListBuilder(Heap, arrow.PrimitiveTypes.Float64)
	values := b.ValueBuilder().(*array.Float64Builder)
	var v []float64
	for i := range c.Len() {
		var raw []byte
		if !c.IsNull(i) {
			raw = bytesOf(c, i)
		}
		if len(raw) == 0 {
			b.AppendNull()
			continue
		}
		var err error
		if form, packed := strings.CutPrefix(d.Form, base64Of); d.Form == "text" {
			v, err = ParseVector(v[:0], string(raw))
		} else if packed {
			if raw, err = base64.StdEncoding.DecodeString(string(raw)); err == nil {
				v, err = numbersOf(v[:0], raw, form)
			}
		} else {
			v, err = numbersOf(v[:0], raw, d.Form)
		}
		if err != nil {
			return Column{}, o.BadAt(i, c.Name(), "%v", err)
		}
		b.Append(true)
		values.AppendValues(v, nil)
	}
	return NewColumn(c.Name(), b.NewArray()), nil
}

// unnest joins the lists of each list.
func (d Disguise) unnest(c Column, o Origin) (Column, error) {
	l := storage(c.arr).(array.ListLike)
	inner, ok := l.ListValues().(array.ListLike)
	if !ok {
		return Column{}, o.BadColumn(c.Name(), "its lists hold no lists")
	}
	get := NumberGetter(inner.ListValues())
	b := array.NewListBuilder(Heap, arrow.PrimitiveTypes.Float64)
	values := b.ValueBuilder().(*array.Float64Builder)
	for i := range l.Len() {
		from, to := l.ValueOffsets(i)
		if l.IsNull(i) || to == from {
			b.AppendNull()
			continue
		}
		if int(to-from) != d.Lists {
			return Column{}, o.BadAt(i, c.Name(), "%d lists are there, and a vector is %d", to-from, d.Lists)
		}
		b.Append(true)
		first, _ := inner.ValueOffsets(int(from))
		_, last := inner.ValueOffsets(int(to) - 1)
		for k := int(first); k < int(last); k++ {
			if inner.ListValues().IsNull(k) {
				values.Append(math.NaN())
			} else {
				values.Append(get(k))
			}
		}
	}
	return NewColumn(c.Name(), b.NewArray()), nil
}

// Swap returns the table with column i replaced.
func (t *Table) Swap(i int, c Column) *Table {
	s := t.rec.Schema()
	fields, arrs := slices.Clone(s.Fields()), slices.Clone(t.rec.Columns())
	fields[i], arrs[i] = c.field, c.arr
	meta := s.Metadata()
	out := *t
	out.rec = array.NewRecord(arrow.NewSchema(fields, &meta), arrs, t.rec.NumRows())
	return &out
}
