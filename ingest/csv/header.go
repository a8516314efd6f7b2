package csv

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/table"
)

// layout is the layout of the columns according to the first records.
type layout struct {
	// title is the number of records before the table. header means that the first record of the
	// table contains the names.
	title  int
	header bool
	// further is the number of records of the header after the first: further names, or units. heads
	// are the names of a header of several records.
	further int
	heads   []string
	// rowNames means that records begin with a row name for which the header has no field. width is
	// the number of fields of most records, and last that of the columns at their end which have
	// neither name nor values.
	rowNames    bool
	last, width int
	// said are descriptions of uncertain guesses. plain describes a nearly certain guess about the
	// header.
	said  []string
	plain string
}

// lookAt determines the layout of a text from its first records.
func lookAt(records [][]string, opts Options, d dialect) (l layout) {
	n := opts.numerals(d)
	width := usualWidth(records)
	if opts.Header != HeaderNo && opts.Names == nil && d.names == nil {
		l.title = firstOf(records, width)
	}
	if l.title > 0 {
		why := "with another number of fields than those below"
		if isTitle(records[0], width) {
			why = "with a title in the first field"
		}
		l.said = append(l.said, counted(l.title, "line")+" before the header left out, "+why)
	}
	records = records[l.title:]
	first := records[0]
	if len(first) == width+1 && first[width] == "" {
		width++ // names end with a separator, but records do not
	}
	l.width, l.last = width, emptyEnd(records, width)
	if len(first) == width-1 && len(records) > 1 && l.last == 0 {
		l.rowNames = opts.Header != HeaderNo && opts.Names == nil && d.names == nil
	}
	if l.rowNames {
		l.header = true
		l.said = append(l.said, "header: yes, since it has one field less than the records: they begin with names of rows, as R writes them")
		return l
	}
	switch {
	case opts.Header == HeaderYes:
		l.header = true
	case opts.Header == HeaderNo, d.names != nil:
	case opts.Names != nil:
		l.header = slices.Equal(first, opts.Names)
	default:
		first = first[:min(len(first), width-l.last)]
		var why string
		var plain bool
		l.header, why, plain = decideHeader(first, records[1:], n)
		if text := "header: " + map[bool]string{true: "yes", false: "no"}[l.header] + ", since " + why; plain {
			l.plain = text
		} else {
			l.said = append(l.said, text)
		}
		if l.header {
			l.furtherHeads(records, n)
		}
	}
	return l
}

// emptyEnd returns the number of columns at the end whose fields are all empty, also that of the
// header, where the last may be missing. Such records end with separators.
func emptyEnd(records [][]string, width int) (last int) {
	for i, rec := range records {
		if len(rec) > width || len(rec) < width-1 || i > 0 && len(rec) == width-1 && len(records[0]) == width-1 {
			return 0
		}
	}
	isEmpty := func(rec []string) bool {
		k := width - 1 - last
		return len(rec) <= k || strings.TrimSpace(rec[k]) == ""
	}
	for len(records) > 1 && last < width-1 && !slices.ContainsFunc(records, func(rec []string) bool { return !isEmpty(rec) }) {
		last++
	}
	return last
}

// decideHeader decides whether a record contains names, compared with the records below it, and
// returns the reason. plain means that the names are typical.
func decideHeader(first []string, below [][]string, n numerals) (yes bool, why string, plain bool) {
	columns := tally(len(first), below, n)
	fractions := areFractions(columns)
	rest := first
	if len(first) > 1 && (first[0] == "" || areNames(first[:1], n)) {
		rest = first[1:]
	}
	inner := areFractions(columns[len(columns)-len(rest):])
	switch {
	case areNames(first, n):
		return true, "its fields are names", true
	case first[0] == "" && len(rest) < len(first) && (areNames(rest, n) || isCount(rest, 0) || isCount(rest, 1) || isYears(rest) || len(rest) > 1 && inner && areRising(rest)):
		return true, "its first field is empty, as pandas has it above its index", true
	case len(rest) < len(first) && len(rest) > 2 && (isCount(rest, 0) || isCount(rest, 1)):
		return true, "its fields count up from " + rest[0] + " after a name", false
	case len(rest) < len(first) && len(rest) > 1 && inner && areRising(rest):
		return true, "its fields after a name are whole numbers, and those below are fractions", false
	case areSteps(rest) && len(below) > 1 && !slices.ContainsFunc(below, func(rec []string) bool { return len(rec) >= len(rest) && areSteps(rec[len(rec)-len(rest):]) }):
		return true, "its fields are numbers in equal steps, and those below are not", false
	case (isCount(first, 0) || isCount(first, 1)) && (len(first) > 2 || fractions):
		return true, "its fields count up from " + first[0], false
	case len(first) > 1 && fractions && areRising(first):
		return true, "its fields are whole numbers, and those below are fractions", false
	case len(first) > 2 && isYears(first) && !slices.ContainsFunc(below, isYears):
		return true, "its fields are years", false
	}
	texts, whole := 0, true
	for k, f := range first {
		f = strings.TrimSpace(f)
		switch _, err := n.float(f); {
		case err == nil:
			_, isInt := parseInt(f)
			whole = whole && isInt
		case !n.isMissing(f) && columns[k].values > 0 && 10*columns[k].numbers >= 9*columns[k].values:
			texts++
		}
	}
	numbers := slices.DeleteFunc(slices.Clone(first), func(f string) bool { _, err := n.float(strings.TrimSpace(f)); return err != nil })
	empty := func(f string) bool { return !isFilled(f) }
	if names := slices.DeleteFunc(slices.Clone(first), empty); texts > 0 && len(numbers) == 0 && areNames(names, n) {
		return true, "names stand above numbers", false
	}
	if texts > 0 && whole && (2*texts >= len(first) || isYears(numbers) || len(numbers) > 1 && (isCount(numbers, 0) || isCount(numbers, 1))) {
		return true, "names stand above numbers", false
	}
	for k, f := range first {
		if !areNames(first[k:k+1], n) {
			if strings.TrimSpace(f) == "" {
				return false, fmt.Sprintf("field %d of the first line is empty", k+1), false
			}
			return false, fmt.Sprintf("%q in the first line is no name", table.Clip(f)), false
		}
	}
	return false, "the first line is like those below it", false
}

// columnTally counts the values of a column.
type columnTally struct{ values, numbers, fractions int }

func tally(width int, records [][]string, n numerals) []columnTally {
	out := make([]columnTally, width)
	for _, rec := range records {
		for k, f := range rec[:min(width, len(rec))] {
			f = strings.TrimSpace(f)
			if n.isMissing(f) {
				continue
			}
			out[k].values++
			if _, err := n.float(f); err == nil {
				out[k].numbers++
				if strings.ContainsAny(f, ".,eE") {
					out[k].fractions++
				}
			}
		}
	}
	return out
}

// areFractions reports whether all columns have values, each written as a fraction.
func areFractions(columns []columnTally) bool {
	for _, c := range columns {
		if c.values == 0 || c.fractions < c.values {
			return false
		}
	}
	return true
}

// areSteps reports whether fields are at least five different numbers in equal steps, such as
// wavelengths.
func areSteps(rec []string) bool {
	const fewest = 5
	var last, step float64
	for i, f := range rec {
		v, err := numerals{}.float(f)
		switch d := v - last; {
		case err != nil:
			return false
		case i == 1:
			step = d
		case i > 1 && math.Abs(d-step) > 1e-6*math.Abs(step):
			return false
		}
		last = v
	}
	return len(rec) >= fewest && step != 0
}

// areNames reports whether all fields are filled, and neither numbers, vectors nor booleans.
func areNames(rec []string, n numerals) bool {
	for _, f := range rec {
		f = strings.TrimSpace(f)
		if _, err := (numerals{}).float(f); err == nil || n.isMissing(f) {
			return false
		}
		if _, ok := parseBool(f); ok || commaNumber.MatchString(f) || isVector(f) {
			return false
		}
	}
	return len(rec) > 0
}

// isVector reports whether a field is at least two numbers in brackets.
func isVector(f string) bool {
	if len(f) < 2 || f[0] != '[' || f[len(f)-1] != ']' {
		return false
	}
	v, err := table.ParseVector(nil, f)
	return err == nil && len(v) > 1
}

func allNames(rec []string) bool { return areNames(rec, numerals{}) }

// isCount reports whether fields count up from a number.
func isCount(rec []string, from int) bool {
	for i, f := range rec {
		if f != strconv.Itoa(from+i) {
			return false
		}
	}
	return len(rec) > 0
}

// areRising reports whether fields are strictly increasing whole numbers.
func areRising(rec []string) bool {
	last := int64(0)
	for i, f := range rec {
		v, ok := parseInt(f)
		if !ok || i > 0 && v <= last {
			return false
		}
		last = v
	}
	return true
}

// isYears reports whether fields are increasing whole numbers that are years.
func isYears(rec []string) bool {
	if !areRising(rec) || len(rec) < 2 {
		return false
	}
	first, _ := parseInt(rec[0])
	last, _ := parseInt(rec[len(rec)-1])
	return first >= 1800 && last <= 2200
}
