package csv

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

// separators are tried in this order; the first of equals counts.
var separators = []rune{',', '\t', ';', '|'}

var separatorLine = regexp.MustCompile(`^"?(?i:sep)=(.)"?\r?\n`)

// saidComma reads the line "sep=;" that spreadsheets write before the first record, and
// returns the line's length; 0 if there is none.
func saidComma(head string) (comma rune, n int) {
	m := separatorLine.FindStringSubmatch(head)
	if m == nil {
		return 0, 0
	}
	return []rune(m[1])[0], len(m[0])
}

// guessComma finds the separator by the beginning of a text.
func guessComma(head, path string, n numerals) rune {
	line, _, _ := strings.Cut(head, "\n")
	best, most := rune(0), -1.0
	for _, c := range separators {
		if q, ok := separates(head, c, n); ok && q > most {
			best, most = c, q
		}
	}
	if best != 0 {
		return best
	}
	for _, c := range separators {
		if strings.ContainsRune(line, c) {
			return c
		}
	}
	named := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) == ".csv"
	if !named && len(strings.Fields(line)) > 1 {
		return ' '
	}
	return ','
}

// separates reports whether the first records have equally many fields, more than one,
// by a separator, and how well it does so: the share of fields that are numbers, less
// that of fields that begin with a blank, as parts of a sentence do.
func separates(head string, comma rune, n numerals) (quality float64, ok bool) {
	const most = 50
	if end := strings.LastIndexByte(head, '\n'); end > 0 {
		head = head[:end+1] // the last line may be cut off
	}
	r := csv.NewReader(strings.NewReader(head))
	r.Comma, r.ReuseRecord = comma, true
	records, fields, good, blank := 0, 0, 0, 0
	for records < most {
		rec, err := r.Read()
		if err == io.EOF || err != nil && records > 1 && r.InputOffset() == int64(len(head)) {
			break
		}
		if err != nil || len(rec) < 2 {
			return 0, false
		}
		if records++; records == 2 {
			fields, good, blank = 0, 0, 0 // the first may be names
		}
		for _, f := range rec {
			fields++
			if strings.HasPrefix(f, " ") {
				blank++
			}
			f = strings.TrimSpace(f)
			if _, err := n.float(f); err == nil || commaNumber.MatchString(f) {
				good++
			}
		}
	}
	return float64(good-blank) / float64(max(fields, 1)), records > 0
}
