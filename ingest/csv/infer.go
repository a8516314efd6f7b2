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

// guess is what a column may be, given the fields seen so far.
type guess struct {
	filled              int64 // fields that are neither empty nor a word for nothing
	ints, floats, bools int64
	unsigned, uints     int64      // that uint64 holds; of these, those that int64 does not
	others              int64      // numbers spelled otherwise
	code                bool       // one has leading zeros
	notNumber, notBool  *table.Odd // the first
}

func (g *guess) see(field string, n numerals, row, line int64) {
	field = strings.TrimSpace(field)
	if isMissing(field) {
		return
	}
	g.filled++
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

// lookOthers is among how many of the first fields a number must be that is spelled
// otherwise, for more of its kind to be looked for.
const lookOthers = 1000

// NoValues is what a column without any seems to hold.
const NoValues = "it has no values"

// result is the column's type. A column most of whose values are numbers, or booleans,
// is of their type for whoever encodes it, and text for whoever keeps it: odd is the
// first that is not.
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

// inferTypes reads records to the end. A bad one is an error: types that follow from those
// before it alone would be said to be at fault. But the last one of a text that isCut may
// be bad for that.
func inferTypes(in *textRecords, isCut func() bool, opts Options) (out Inferred, err error) {
	head, err := in.next()
	if err == io.EOF {
		return out, in.origin.Bad("the file has no records")
	}
	if err != nil {
		return out, err
	}
	head = slices.Clone(head)
	if out.names, out.header, err = namesOf(head, opts, in.origin); err != nil {
		return out, err
	}
	numbers := numerals{comma: opts.DecimalComma}
	guesses := make([]guess, len(out.names))
	look := func(rec []string) {
		line := in.line()
		for i, field := range rec[:min(len(rec), len(guesses))] {
			guesses[i].see(field, numbers, out.rows, line)
		}
		out.rows++
	}
	if !out.header {
		look(head)
	}
	for {
		rec, err := in.next()
		if err == io.EOF || err != nil && isCut() {
			break
		}
		if err != nil {
			return out, located(err, out.rows)
		}
		look(rec)
	}
	out.columns = make([]column, len(guesses))
	for i, g := range guesses {
		c := &out.columns[i]
		c.t, c.odd, c.seems = g.result()
		c.index = out.header && table.IsIndexName(head[i], i)
	}
	return out, setTypes(out.columns, out.names, opts.Types, in.origin)
}

// CheckTypes reports types of columns that are none of Options.Types.
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

// namesOf decides whether the first record is a header and names the columns.
func namesOf(first []string, opts Options, o table.Origin) (names []string, header bool, err error) {
	header = opts.Header == HeaderYes
	if opts.Header == HeaderAuto {
		header = looksLikeHeader(first)
		if opts.Names != nil {
			header = slices.Equal(first, opts.Names)
		}
	}
	switch {
	case opts.Names != nil:
		if len(opts.Names) != len(first) {
			return nil, false, o.Bad("it has %d columns, %d names are given", len(first), len(opts.Names))
		}
		names = opts.Names
	case header:
		names = slices.Clone(first)
	default:
		names = make([]string, len(first))
	}
	seen := map[string]bool{}
	for i := range names {
		if names[i] == "" {
			names[i] = "column_" + strconv.Itoa(i)
		}
		if seen[names[i]] {
			return nil, false, o.BadColumn(names[i], "two columns have this name").Suggest("rename one in the header, or say that there is none")
		}
		seen[names[i]] = true
	}
	return names, header, nil
}

// looksLikeHeader reports names: filled and no numbers. The first may be empty, as
// pandas has it above its index; then the others may be 0, 1, 2, ..., too, as it calls
// columns without names.
func looksLikeHeader(rec []string) bool {
	if len(rec) > 1 && rec[0] == "" {
		return looksLikeHeader(rec[1:]) || isCount(rec[1:])
	}
	for _, f := range rec {
		f = strings.TrimSpace(f)
		if _, err := strconv.ParseFloat(f, 64); err == nil || isMissing(f) {
			return false
		}
		if _, ok := parseBool(f); ok || commaNumber.MatchString(f) {
			return false
		}
	}
	return true
}

func isCount(rec []string) bool {
	for i, f := range rec {
		if f != strconv.Itoa(i) {
			return false
		}
	}
	return true
}
