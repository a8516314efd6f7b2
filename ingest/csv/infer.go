package csv

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unfold/ingest/table"
)

// guess collects statistics of a column's fields, from which its type is inferred.
type guess struct {
	filled              int64 // fields that are neither empty nor a word for a missing value
	ints, floats, bools int64
	unsigned, uints     int64      // values in the range of uint64; of these, those beyond int64
	others              int64      // numbers in another notation
	code                bool       // one has leading zeros
	any                 bool       // one is not empty
	notNumber, notBool  *table.Odd // the first
}

func (g *guess) see(field string, n numerals, row, line int64) {
	field = strings.TrimSpace(field)
	g.any = g.any || field != ""
	if n.isMissing(field) {
		return
	}
	g.filled++
	field = n.plain(field)
	number := false
	if _, ok := parseInt(field); ok {
		g.ints++
		number = true
		if !strings.HasPrefix(field, "-") {
			g.unsigned++
		}
	} else if _, ok := parseUint(field); ok {
		g.unsigned, g.uints = g.unsigned+1, g.uints+1
		number = true
	} else if _, err := n.float(field); err == nil || err == strconv.ErrRange {
		number = true
	}
	if number {
		g.floats++
		g.code = g.code || leadingZero(field)
	} else {
		why := ""
		if g.others > 0 || g.filled < lookOthers {
			other := false
			if why, other = n.otherNumber(field); other {
				g.others++
			}
		}
		if g.notNumber == nil {
			g.notNumber = &table.Odd{Kind: table.Number, Text: strings.Clone(field), Row: row, Line: line, Why: why}
		}
	}
	if _, ok := parseBool(field); ok {
		g.bools++
	} else if g.notBool == nil {
		g.notBool = &table.Odd{Kind: table.Bool, Text: strings.Clone(field), Row: row, Line: line}
	}
}

// lookOthers is the number of first fields among which a number in another notation must occur for
// such numbers to be counted.
const lookOthers = 1000

// NoValues describes a column without values.
const NoValues = "it has no values"

// result returns the column's type. A column of mostly numbers, or mostly booleans, has that type
// when it is encoded, and is text when it is kept. odd is its first other value.
func (g *guess) result() (t columnType, odd *table.Odd, seems string) {
	switch {
	case g.filled == 0:
		return texts, nil, NoValues
	case g.code:
		return texts, nil, "codes with leading zeros"
	case g.ints == g.filled:
		return integers, nil, ""
	case g.unsigned == g.filled && g.uints > 0:
		return unsigned, nil, ""
	case g.floats == g.filled:
		return floats, nil, ""
	case g.bools == g.filled:
		return booleans, nil, ""
	case 2*(g.floats+g.others) > g.filled:
		g.notNumber.Of, g.notNumber.Fit = g.filled, g.floats
		return texts, g.notNumber, ""
	case 2*g.bools > g.filled:
		g.notBool.Of, g.notBool.Fit = g.filled, g.bools
		return texts, g.notBool, ""
	case g.floats > 0:
		return texts, nil, fmt.Sprintf("text; %d of %d values are numbers", g.floats, g.filled)
	}
	return texts, nil, ""
}

// inferTypes reads all records and infers the columns' types. An invalid record is an error at
// once. Otherwise types would be inferred only from the records before it, and later errors would
// blame these types. With isCut the last record may be invalid because it is truncated.
func inferTypes(in *textRecords, isCut func() bool, opts Options, said []string) (out Inferred, err error) {
	first, lines, err := firstRecords(in, isCut)
	if err != nil {
		return out, err
	}
	out.layout = lookAt(withoutNotes(first), opts, in.dialect)
	out.said = append(said, out.layout.said...)
	first, lines = first[out.title:], lines[out.title:]
	head := first[0]
	if out.heads != nil {
		head = out.heads
	}
	var renamed []string
	if out.names, renamed, err = namesOf(head, out.layout, opts, in.dialect, in.origin); err != nil {
		return out, err
	}
	out.said = append(out.said, renamed...)
	if out.header {
		out.index = indexes(head, out.rowNames)
		first, lines = first[1+out.further:], lines[1+out.further:]
	}
	guesses := make([]guess, len(out.names))
	notes := &footnotes{guesses: guesses, numbers: opts.numerals(in.dialect), fill: opts.Fill}
	for i, rec := range first {
		notes.see(rec, lines[i])
	}
	for {
		rec, err := in.next()
		if err == io.EOF || err != nil && isCut() {
			break
		}
		if err != nil {
			return out, located(err, notes.rows+int64(len(notes.waiting)))
		}
		notes.see(rec, in.line())
	}
	if isCut() || notes.text == "" {
		notes.flush()
	} else if n := len(notes.waiting); n > 0 {
		out.noted = true
		out.said = append(out.said, fmt.Sprintf("%s at the end left out, with %q in the first field and nothing in others", counted(n, "line"), table.Clip(notes.text)))
	}
	out.rows = notes.rows
	for n := out.last; n > 0 && guesses[len(guesses)-n].any; n-- {
		out.last = n - 1
	}
	if n := out.last; n > 0 {
		guesses, out.names = guesses[:len(guesses)-n], out.names[:len(out.names)-n]
		what := "the last column has neither name nor values and is left out"
		if n > 1 {
			what = fmt.Sprintf("the last %d columns have neither names nor values and are left out", n)
		}
		out.said = append(out.said, what)
	}
	out.columns = make([]column, len(guesses))
	for i, g := range guesses {
		c := &out.columns[i]
		c.t, c.odd, c.seems = g.result()
		c.index = i < len(out.index) && out.index[i]
	}
	return out, setTypes(out.columns, out.names, opts.Types, in.origin)
}

// firstRecords returns the first records and their lines; there is at least one.
func firstRecords(in *textRecords, isCut func() bool) (out [][]string, lines []int64, err error) {
	const most = 1 << 18 // fields
	for fields := 0; len(out) < lookRecords && fields < most; {
		rec, err := in.next()
		if err == io.EOF || err != nil && isCut() && len(out) > 0 {
			break
		}
		if err != nil {
			if len(out) > 0 {
				in.failed = err // reported later, because its row number depends on the header
				break
			}
			return nil, nil, err
		}
		out, lines = append(out, slices.Clone(rec)), append(lines, in.line())
		fields += len(rec)
	}
	if len(out) == 0 {
		return nil, nil, in.origin.Bad("the file has no records")
	}
	return out, lines, nil
}

// indexes reports which names of a header are missing, or are those that pandas gives to its index.
func indexes(header []string, rowNames bool) []bool {
	if rowNames {
		return []bool{true}
	}
	out := make([]bool, len(header))
	for i, name := range header {
		out[i] = table.IsIndexName(name, i)
	}
	return out
}

// CheckTypes returns an error for types that are not among those of Options.Types.
func CheckTypes(set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(typeNames, set[name]) {
			return fmt.Errorf("the type %q of column %q is not known; types are %s", set[name], name, table.List(typeNames))
		}
	}
	return nil
}

func setTypes(columns []column, names []string, set map[string]string, o table.Origin) error {
	if err := CheckTypes(set); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.Index(names, name)
		if i < 0 {
			return table.UnknownColumn(o, name, names)
		}
		columns[i] = column{t: columnType(slices.Index(typeNames, set[name])), set: true}
	}
	return nil
}

// namesOf returns the names of the columns, from the first record if it is a header.
// A name that is already taken gets a number, as in pandas; said lists these names.
func namesOf(first []string, l layout, opts Options, d dialect, o table.Origin) (names, said []string, err error) {
	switch {
	case d.names != nil && opts.Names == nil && opts.Header != HeaderNo:
		names = slices.Clone(d.names)
	case l.header:
		names = slices.Clone(first)
	default:
		names = make([]string, len(first))
	}
	if l.rowNames {
		names = append([]string{""}, names...)
	}
	for len(names) < l.width && l.last > 0 {
		names = append(names, "")
	}
	if opts.Names != nil {
		switch len(opts.Names) {
		case len(names):
			names = slices.Clone(opts.Names)
		case len(names) - l.last:
			names = append(slices.Clone(opts.Names), make([]string, l.last)...)
		default:
			return nil, nil, o.Bad("it has %d columns, %d names are given", len(names), len(opts.Names))
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = "column_" + strconv.Itoa(i)
		}
	}
	unique := different(names)
	for i := range names {
		if unique[i] != names[i] {
			said = append(said, fmt.Sprintf("two columns have the name %q: column %d is read as %q", table.Clip(names[i]), i+1, table.Clip(unique[i])))
		}
	}
	const most = 3
	if more := len(said) - most; more > 0 {
		said = append(said[:most], fmt.Sprintf("%s more with a name that is taken", counted(more, "column")))
	}
	return unique, said, nil
}

// different makes names unique in the same way as pandas: a second "a" becomes "a.1".
func different(names []string) []string {
	out, seen, count := slices.Clone(names), map[string]bool{}, map[string]int{}
	for i, name := range names {
		for seen[out[i]] {
			count[name]++
			out[i] = name + "." + strconv.Itoa(count[name])
		}
		seen[out[i]] = true
	}
	return out
}
