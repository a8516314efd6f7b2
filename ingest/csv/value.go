package csv

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// missingWords stand for no value in columns of numbers and booleans. In columns of
// text they are categories.
var missingWords = []string{"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "-", "?"}

func isMissing(field string) bool {
	switch {
	case field == "":
		return true
	case len(field) > 4 || field[0] >= '0' && field[0] <= '9':
		return false
	}
	return slices.Contains(missingWords, field)
}

// numerals are how a text spells numbers: with a decimal point or a decimal comma.
type numerals struct{ comma bool }

var errPoint = errors.New("a point where the decimal sign is a comma")

// float parses a trimmed field. The error is strconv.ErrRange if the field is a number
// that float64 does not hold. Most fields that are none are seen without strconv, whose
// errors are costly.
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

// maybeFloat reports digits with signs, points and exponents, or a word for infinity.
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

// parseBool knows true and false in lower, upper and title case.
func parseBool(s string) (v, ok bool) {
	switch s {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// leadingZero reports a code such as 007, which is not the number 7.
func leadingZero(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0' && strings.Trim(s, "0123456789") == ""
}

var (
	commaNumber = regexp.MustCompile(`^[-+]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+([eE][-+]?[0-9]+)?$`)
	groupNumber = regexp.MustCompile(`^[-+]?[0-9]{1,3}([,' ][0-9]{3})+(\.[0-9]+)?$`)
)

// otherNumber reports a number that is spelled otherwise than n has it, and says how.
func (n numerals) otherNumber(field string) (why string, ok bool) {
	switch {
	case field == "" || field[0] > '9' || !n.comma && !strings.ContainsAny(field, ",' "):
		return "", false
	case n.comma:
		if _, err := (numerals{}).float(field); err == nil {
			return "it has a decimal point, and --decimal says that numbers have a comma", true
		}
	case groupNumber.MatchString(field) && !commaNumber.MatchString(field):
		return "it has marks between thousands: write numbers without them", true
	case commaNumber.MatchString(field):
		return "if that is a decimal comma say so: --decimal ,", true
	}
	return "", false
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
