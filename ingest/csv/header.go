package csv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/table"
)

// layout is what the first records say about the columns.
type layout struct {
	// title are the records before the table, and header says that its first one has the names.
	title  int
	header bool
	// rowNames says that records begin with a name that the header has no field for, last that
	// they end with a separator. Width is the number of fields of most records.
	rowNames, last bool
	width          int
	// said are the guesses that may be wrong, in words, and plain is one about the header that
	// hardly is.
	said  []string
	plain string
}

// lookAt finds the layout of a text by its first records.
func lookAt(records [][]string, opts Options, d dialect) (l layout) {
	n := opts.numerals()
	width := usualWidth(records)
	if opts.Header != HeaderNo && opts.Names == nil && d.names == nil {
		l.title = firstOf(records, width)
	}
	if l.title > 0 {
		l.said = append(l.said, counted(l.title, "line")+" before the header left out, with another number of fields than those below")
	}
	records = records[l.title:]
	first := records[0]
	if len(first) == width+1 && first[width] == "" {
		width++ // names end with a separator, and records do not
	}
	l.width, l.last = width, width > 1 && endsEmpty(records, width)
	if len(first) == width-1 && len(records) > 1 && !l.last {
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
		if l.last && len(first) == width {
			first = first[:width-1]
		}
		var why string
		var plain bool
		l.header, why, plain = decideHeader(first, records[1:], n)
		if text := "header: " + map[bool]string{true: "yes", false: "no"}[l.header] + ", since " + why; plain {
			l.plain = text
		} else {
			l.said = append(l.said, text)
		}
	}
	return l
}

// endsEmpty reports records that end with a separator: their last field is empty, and the
// header's too, or it has no such field.
func endsEmpty(records [][]string, width int) bool {
	for i, rec := range records {
		if len(rec) == width && strings.TrimSpace(rec[width-1]) != "" || len(rec) > width || len(rec) < width-1 {
			return false
		}
		if i > 0 && len(rec) == width-1 && len(records[0]) == width-1 {
			return false
		}
	}
	return len(records) > 1
}

// decideHeader says whether a record is names, by the records below it, and why; plain says
// that it is names as they mostly are.
func decideHeader(first []string, below [][]string, n numerals) (yes bool, why string, plain bool) {
	columns := tally(len(first), below, n)
	fractions := len(below) > 0
	for _, c := range columns {
		fractions = fractions && c.values > 0 && c.fractions == c.values
	}
	rest := first
	if len(first) > 1 && first[0] == "" {
		rest = first[1:]
	}
	switch {
	case areNames(first, n):
		return true, "its fields are names", true
	case len(rest) < len(first) && (areNames(rest, n) || isCount(rest, 0) || isCount(rest, 1) || isYears(rest)):
		return true, "its first field is empty, as pandas has it above its index", true
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

// columnTally counts what a column holds.
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

// areNames reports fields that are filled and neither numbers nor booleans.
func areNames(rec []string, n numerals) bool {
	for _, f := range rec {
		f = strings.TrimSpace(f)
		if _, err := (numerals{}).float(f); err == nil || n.isMissing(f) {
			return false
		}
		if _, ok := parseBool(f); ok || commaNumber.MatchString(f) {
			return false
		}
	}
	return len(rec) > 0
}

func allNames(rec []string) bool { return areNames(rec, numerals{}) }

// isCount reports fields that count up from a number.
func isCount(rec []string, from int) bool {
	for i, f := range rec {
		if f != strconv.Itoa(from+i) {
			return false
		}
	}
	return len(rec) > 0
}

// areRising reports whole numbers each of which is more than the one before.
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

// isYears reports whole numbers that rise and are years.
func isYears(rec []string) bool {
	if !areRising(rec) || len(rec) < 2 {
		return false
	}
	first, _ := parseInt(rec[0])
	last, _ := parseInt(rec[len(rec)-1])
	return first >= 1800 && last <= 2200
}
