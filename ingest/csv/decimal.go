package csv

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainComma matches numbers with a decimal comma and without marks between thousands.
var plainComma = regexp.MustCompile(`^[-+]?([0-9]*),([0-9]+)([eE][-+]?[0-9]+)?$`)

// guessDecimal reports whether the numbers of a text have a decimal comma, and describes the guess:
// a column consists of such numbers and of whole ones, no column of numbers has a decimal point, and
// some comma is not one between thousands. The first record may be a header, and is ignored.
func guessDecimal(head string, cut bool, d dialect, n numerals) (comma bool, said string) {
	records := sample(head, cut, d)
	if len(records) < 2 {
		return false, ""
	}
	records = records[1:]
	columns, decisive := 0, false
	for k := range records[0] {
		c := decimalsOf(records, k, n)
		if c.points {
			return false, ""
		}
		if c.commas {
			columns++
			decisive = decisive || c.decisive
		}
	}
	if columns == 0 || !decisive {
		return false, ""
	}
	return true, fmt.Sprintf("decimal sign: a comma, since the numbers of %s have one and none has a point; --decimal . says otherwise", counted(columns, "column"))
}

// decimals describes the numbers of a column: whether some have decimal commas or points, and
// whether a comma cannot stand between thousands.
type decimals struct{ commas, points, decisive bool }

// decimalsOf returns the zero value for a column that has other values than numbers.
func decimalsOf(records [][]string, k int, n numerals) (out decimals) {
	for _, rec := range records {
		f := fieldOf(rec, k)
		m := plainComma.FindStringSubmatch(f)
		switch _, err := strconv.ParseFloat(f, 64); {
		case n.isMissing(f):
		case m != nil:
			out.commas = true
			out.decisive = out.decisive || len(m[2]) != 3 || len(m[1]) > 3 || m[1] == "" || m[1] == "0"
		case err != nil:
			return decimals{}
		default:
			out.points = out.points || strings.Contains(f, ".")
		}
	}
	return out
}
