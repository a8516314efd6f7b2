package csv

import (
	"fmt"
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
	// rowNames means that records begin with a row name for which the header has no field. last
	// means that records end with a separator. width is the number of fields of most records.
	rowNames, last bool
	width          int
	// said are descriptions of uncertain guesses. plain describes a nearly certain guess about the
	// header.
	said  []string
	plain string
}

// lookAt determines the layout of a text from its first records.
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
		width++ // names end with a separator, but records do not
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

// endsEmpty reports whether records end with a separator: their last field is empty, and that of
// the header is empty or missing.
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

// decideHeader decides whether a record contains names, compared with the records below it, and
// returns the reason. plain means that the names are typical.
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

// areNames reports whether all fields are filled, and neither numbers nor booleans.
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
