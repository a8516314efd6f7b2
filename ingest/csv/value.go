package csv

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"unfold/ingest/table"
)

// numerals is the notation of numbers in a text, with a decimal point or a decimal comma. It also
// contains words for missing values in addition to those of table.StandsForMissing.
type numerals struct {
	comma     bool
	thousands string // the thousands separator, "" for none
	missing   []string
}

func (o Options) numerals() numerals {
	n := numerals{comma: o.DecimalComma, missing: o.Missing}
	if o.Thousands != 0 {
		n.thousands = string(o.Thousands)
	}
	return n
}

// plain removes thousands separators from a trimmed field, if it is a number with some.
func (n numerals) plain(field string) string {
	if n.thousands == "" || !strings.Contains(field, n.thousands) || field[0] > '9' {
		return field
	}
	without := strings.ReplaceAll(field, n.thousands, "")
	if _, err := n.float(without); err != nil {
		return field
	}
	return without
}

// isMissing reports whether a trimmed field stands for a missing value.
func (n numerals) isMissing(field string) bool {
	return table.StandsForMissing(field) || n.isSaid(field)
}

// isSaid reports whether a field equals one of the words in missing, as text or as a number.
func (n numerals) isSaid(field string) bool {
	for _, word := range n.missing {
		if field == word {
			return true
		}
		if v, err := n.float(word); err == nil {
			if w, err := n.float(field); err == nil && v == w {
				return true
			}
		}
	}
	return false
}

var errPoint = errors.New("a point where the decimal sign is a comma")

// float parses a trimmed field. The error is strconv.ErrRange if the field is a number beyond
// float64. Most other fields are rejected without strconv, whose errors are expensive.
func (n numerals) float(field string) (float64, error) {
	if n.comma {
		if strings.Contains(field, ".") {
			return 0, errPoint
		}
		field = strings.Replace(field, ",", ".", 1)
	}
	if !maybeFloat(field) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = strconv.ErrRange
	}
	return v, err
}

// maybeFloat reports whether a field consists of digits with signs, points and exponents, or is a
// word for infinity.
func maybeFloat(field string) bool {
	if field == "" {
		return false
	}
	for i := range len(field) {
		switch c := field[i]; {
		case c >= '0' && c <= '9', c == '.':
		case c == 'e' || c == 'E':
			if i == 0 {
				return false
			}
		case c == '+' || c == '-':
			if i > 0 && field[i-1] != 'e' && field[i-1] != 'E' {
				return false
			}
		default:
			return isInfinite(strings.TrimLeft(field, "+-"))
		}
	}
	return true
}

func isInfinite(word string) bool {
	return strings.EqualFold(word, "inf") || strings.EqualFold(word, "infinity") || strings.EqualFold(word, "nan")
}

// parseInt parses a trimmed field as int64.
func parseInt(field string) (int64, bool) {
	for i := range len(field) {
		if c := field[i]; (c < '0' || c > '9') && !(i == 0 && (c == '-' || c == '+')) {
			return 0, false
		}
	}
	if field == "" {
		return 0, false
	}
	v, err := strconv.ParseInt(field, 10, 64)
	return v, err == nil
}

// parseUint parses a trimmed field as uint64.
func parseUint(field string) (uint64, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(field, "+"), 10, 64)
	return v, err == nil
}

// parseBool parses true and false in lower, upper and title case.
func parseBool(s string) (v, ok bool) {
	switch s {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// leadingZero reports whether a field is a code such as 007, which is not the number 7.
func leadingZero(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0' && strings.Trim(s, "0123456789") == ""
}

// sheetError matches what spreadsheets write where a formula fails.
var sheetError = regexp.MustCompile(`^#[A-Z0/]+[!?]$`)

var (
	commaNumber = regexp.MustCompile(`^[-+]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][-+]?[0-9]+)?$`)
	// groupNumber has the first mark between thousands, and the decimal sign, if any.
	groupNumber = regexp.MustCompile("^[-+]?[0-9]{1,3}([.,'\u2019 \u00a0\u202f\u2009_])[0-9]{3}((?:[.,'\u2019 \u00a0\u202f\u2009_][0-9]{3})*)(?:([.,])[0-9]+)?$")
)

// otherNumber reports whether a field is a number in a notation other than n, and describes the
// notation.
func (n numerals) otherNumber(field string) (why string, ok bool) {
	switch {
	case sheetError.MatchString(field):
		return "", false
	case field != "" && (field[0] == '#' || field[0] == '%'):
		return "if that begins a comment say so: --csv-comment '" + field[:1] + "'", false
	case len(field) > 2 && field[0] == '\'' && field[len(field)-1] == '\'':
		if _, err := n.float(field[1 : len(field)-1]); err == nil {
			return `if ' is the quote say so: --csv-quote "'"`, true
		}
		return "", false
	case field == "" || field[0] > '9':
		return "", false
	}
	if why := n.otherGroups(field); why != "" {
		return why, true
	}
	if _, err := (numerals{}).float(field); n.comma && err == nil {
		return "it has a decimal point, and --decimal says that numbers have a comma", true
	}
	if !n.comma && commaNumber.MatchString(field) {
		return "if that is a decimal comma say so: --decimal ,", true
	}
	return "", false
}

// otherGroups describes the notation of a number with marks between thousands, "" for others.
func (n numerals) otherGroups(field string) string {
	m := groupNumber.FindStringSubmatch(field)
	if m == nil || m[1] == n.thousands || strings.Trim(m[2], m[1]+"0123456789") != "" || m[3] == m[1] {
		return ""
	}
	option := "--csv-thousands '" + m[1] + "'"
	if m[1] == "'" {
		option = `--csv-thousands "'"`
	}
	one := m[2] == "" && m[3] == "" // 1,005 may be a fraction, too
	switch {
	case m[1] == "." && !n.comma && m[3] == ",":
		return "it has a decimal comma and points between thousands: say so: --decimal , --csv-thousands ."
	case m[1] == "." && !n.comma && m[2] != "":
		return "it has points between thousands: say so: --decimal , --csv-thousands ."
	case m[1] == "." && !n.comma || m[1] == "," && n.comma:
		return ""
	case m[3] == "," && !n.comma:
		return "it has a decimal comma and marks between thousands: say so: --decimal , " + option
	case one && m[1] == ".":
		return "it has a decimal point, and --decimal says that numbers have a comma; if it stands between thousands say so: --csv-thousands ."
	case one && m[1] == ",":
		return "if that is a decimal comma say so: --decimal , and if it stands between thousands: " + option
	}
	return "it has marks between thousands: write numbers without them, or say so: " + option
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
