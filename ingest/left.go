package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/ingest/csv"
	"unfold/ingest/table"
)

// Left is a column that "*" omits, with the reason.
type Left struct {
	Column string `json:"column"`
	Why    string `json:"why"`
}

// DescribeLeft lists in one line the columns that "*" omits, and how to include them; "" if there
// are none.
func DescribeLeft(left []Left) string {
	if len(left) == 0 {
		return ""
	}
	var reasons []string
	names := map[string][]string{}
	for _, l := range left {
		if names[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		names[l.Why] = append(names[l.Why], cmp.Or(l.Column, `""`))
	}
	parts := make([]string, len(reasons))
	for i, why := range reasons {
		parts[i] = fmt.Sprintf("%s (%s)", table.List(names[why]), why)
	}
	text := `columns that "*" leaves out: ` + table.Line(strings.Join(parts, "; "))
	if i := slices.IndexFunc(left, func(l Left) bool { return l.Column != "" }); i >= 0 {
		text += fmt.Sprintf(`; name one to use it: "*,%s"`, table.Line(left[i].Column))
	}
	return text
}

// whyLeft returns the reason why "*", with the options of c, omits a column because of its field;
// "" if it does not.
func (m Mapping) whyLeft(f table.Field, c ColumnSpec) string {
	kind := f.Encoded()
	switch {
	case (m.Mixed || c.special()) && !f.Index && (kind == table.Text && f.Seems != csv.NoValues || kind == table.Time):
		return ""
	case f.Index:
		return indexWhy
	case kind == table.Number || kind == table.Bool:
		return ""
	case f.Seems != "":
		return f.Seems
	case isVector(kind):
		return "a vector"
	case kind == table.Text:
		return "text"
	}
	return f.Type
}

// indexWhy is the reason for omitting an index.
const indexWhy = "an id: the index of the rows"

// nameWhy is the reason for omitting numbers under the name of an id.
const nameWhy = "an id by its name, every value once"

const (
	// lookRows is the number of rows that decide whether a column is an id.
	lookRows = 10_000
	// leastRows is the minimum number of rows for that decision.
	leastRows = 10
)

// sentence is the mean number of words that text has at least, if it is no id; freeText is the reason
// for omitting such a column.
const (
	sentence = 4
	freeText = "free text, whose words NAME:tokens=64 takes"
)

// idLook decides whether a column selected by "*" identifies the rows. Such a column has whole
// numbers in equal steps, successive whole numbers in any order, unique whole numbers under the name
// of an id, or unique words. It also distinguishes sentences from ids.
type idLook struct {
	name  string
	kind  table.Kind // Number, or Text, which is omitted anyway
	named bool
	rows  int
	last  float64
	step  float64
	steps bool            // all steps are equal so far
	all   successive      // of whole numbers
	once  map[string]bool // values so far, nil after one was repeated
	words int             // in all texts so far
	done  bool
}

// newIDLook returns nil for columns whose type cannot be an id.
func newIDLook(f table.Field) *idLook {
	l := &idLook{name: f.Name, kind: f.Kind}
	switch {
	case f.Kind == table.Number && isWhole(f.Type):
		l.steps, l.named, l.all.may = true, saysID(f.Name), true
		if l.named {
			l.once = map[string]bool{}
		}
	case f.Kind == table.Number && saysID(f.Name):
		l.named, l.once = true, map[string]bool{} // whole numbers that were joined to fewer rows are fractions in pandas
	case f.Kind == table.Text && f.Odd == nil:
		l.once = map[string]bool{}
	default:
		return nil
	}
	return l
}

func isWhole(typ string) bool {
	return strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint")
}

// saysID reports whether a name is typical of numbers that identify rows.
func saysID(name string) bool {
	n := strings.ToLower(name)
	if slices.Contains([]string{"id", "index", "idx", "key", "row", "rowid", "row_id", "rownum", "no", "nr", "uuid"}, n) {
		return true
	}
	return strings.HasSuffix(n, "_id") || strings.HasSuffix(n, "-id") || strings.HasSuffix(n, " id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// see reads a table's rows. Steps begin again with each file.
func (l *idLook) see(t *table.Table) {
	c, ok := t.Column(l.name)
	if l.done || !ok {
		return
	}
	begins := t.Origin.File != "" && t.Origin.Row == 0
	for i := 0; i < c.Len() && !l.done; i++ {
		l.seeValue(c, i, begins && i == 0)
	}
}

func (l *idLook) seeValue(c table.Column, i int, begins bool) {
	if c.IsNull(i) {
		l.steps, l.once, l.all.may = false, nil, false
	}
	if l.all.may || l.once != nil && l.kind == table.Number {
		v, _ := c.Float(i)
		if l.all.see(v); v != math.Trunc(v) {
			l.once = nil
		}
	}
	if l.steps {
		v, _ := c.Float(i)
		switch d := v - l.last; {
		case begins || l.rows == 0:
		case l.step == 0:
			l.step = d
			l.steps = d != 0
		default:
			l.steps = d == l.step
		}
		l.last = v
	}
	if l.once != nil {
		v := c.Text(i)
		if l.kind == table.Text {
			l.words += len(strings.Fields(v))
		}
		if l.once[v] {
			l.once = nil
		} else {
			l.once[strings.Clone(v)] = true
		}
	}
	l.rows++
	l.done = l.rows == lookRows || !l.steps && l.once == nil && !l.all.may
}

// successive decides whether numbers are those from a first to a last one, each once, in any order.
type successive struct {
	may                 bool
	n                   uint64
	first, last         int64
	sum, squares, cubes uint64
}

func (s *successive) see(v float64) {
	if math.Abs(v) > 1<<52 {
		s.may = false
	}
	if !s.may {
		return
	}
	w := int64(v)
	if s.n == 0 {
		s.first, s.last = w, w
	}
	s.first, s.last = min(s.first, w), max(s.last, w)
	u := uint64(w)
	s.n, s.sum, s.squares, s.cubes = s.n+1, s.sum+u, s.squares+u*u, s.cubes+u*u*u
	s.may = s.last-s.first < lookRows
}

// are compares the sums of powers with those of the numbers from first to last.
func (s *successive) are() bool {
	if !s.may || s.n == 0 || uint64(s.last-s.first)+1 != s.n {
		return false
	}
	want := successive{may: true}
	for v := s.first; v <= s.last; v++ {
		want.see(float64(v))
	}
	return want == *s
}

// isID reports whether the column is left out because it identifies rows.
func (l Left) isID() bool { return strings.HasPrefix(l.Why, "an id") }

// why returns the reason why the column is an id; "" if it is none.
func (l *idLook) why() string {
	switch {
	case l.named && l.once != nil && l.rows > 1 && l.rows < leastRows:
		return nameWhy
	case l.rows < leastRows:
		return ""
	case l.steps && l.step != 0:
		return fmt.Sprintf("an id: whole numbers in steps of %g", math.Abs(l.step))
	case l.once != nil && l.kind == table.Text && l.words >= sentence*l.rows:
		return freeText
	case l.once != nil && l.kind == table.Text:
		return "an id: text, every value once"
	case l.once != nil:
		return nameWhy
	case l.kind == table.Number && l.all.are():
		return fmt.Sprintf("an id: the whole numbers from %d to %d, each once", l.all.first, l.all.last)
	}
	return ""
}
