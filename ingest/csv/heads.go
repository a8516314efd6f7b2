package csv

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"unfold/ingest/table"
)

// furtherHeads recognizes a header of several records: names of several levels, as pandas writes
// them, or units below the names.
func (l *layout) furtherHeads(records [][]string, n numerals) {
	width := l.width - l.last
	heads := make([][]string, 0, 4)
	for _, rec := range records[:min(4, len(records))] {
		if len(rec) < width {
			break
		}
		heads = append(heads, rec[:width])
	}
	if len(heads) == 0 {
		return
	}
	names, said := slices.Clone(heads[0]), ""
	for k := 1; k < len(heads); k++ {
		if l.further > 0 && !slices.ContainsFunc(heads[k], isFilled) {
			l.further++ // an empty line of comments below that of units
			continue
		}
		columns := numberColumns(width, records[k+1:], n)
		if levels := said == "" && !distinct(names, columns); !isFurther(heads[k], columns, n) {
			// pandas writes the names of row labels on a line of their own.
			if l.further == 0 || !isFilled(heads[k][0]) || slices.ContainsFunc(heads[k][1:], isFilled) || len(columns) < 2 {
				break
			}
			names[0] = heads[k][0]
		} else if levels || l.further > 0 && !distinct(names, columns) {
			said = "header: of several lines, since names stand more than once on the first, with text below"
			for c := range names {
				names[c] = strings.Trim(names[c]+"_"+heads[k][c], "_")
			}
		} else if l.further == 0 {
			first := heads[k][slices.IndexFunc(heads[k], isFilled)]
			said = fmt.Sprintf("the line below the names left out, since it has text above numbers (units such as %q); --csv-header yes keeps it", table.Clip(first))
		} else {
			break
		}
		l.further++
	}
	if l.further > 0 {
		l.heads = names
		l.said = append(l.said, said)
	}
}

// numberColumns returns the columns whose values are numbers.
func numberColumns(width int, below [][]string, n numerals) (out []int) {
	const fewest = 2 // records
	below = withoutNotes(below)
	if len(below) < fewest {
		return nil
	}
	for k, c := range tally(width, below, n) {
		if c.values > 0 && (c.numbers == c.values || commaNumbers(below, k, n)) {
			out = append(out, k)
		}
	}
	return out
}

// commaNumbers reports whether the values of a column are numbers with decimal commas, which the
// options do not name yet.
func commaNumbers(records [][]string, k int, n numerals) bool {
	for _, rec := range records {
		f := fieldOf(rec, k)
		if _, err := n.float(f); err != nil && !n.isMissing(f) && !commaNumber.MatchString(f) {
			return false
		}
	}
	return true
}

// fieldOf returns the trimmed field of a record in a column, "" if the record is too short.
func fieldOf(rec []string, k int) string {
	if k < len(rec) {
		return strings.TrimSpace(rec[k])
	}
	return ""
}

// isFurther reports whether a record has text above numbers, in at least two columns and half of
// them, and nothing in the others. Signs such as "--" alone are missing values.
func isFurther(rec []string, columns []int, n numerals) bool {
	filled, letters := 0, false
	for _, c := range columns {
		f := strings.TrimSpace(rec[c])
		if f == "" {
			continue
		}
		if _, err := n.float(f); err == nil || n.isMissing(f) || commaNumber.MatchString(f) {
			return false
		}
		filled++
		letters = letters || strings.ContainsFunc(f, func(r rune) bool { return unicode.IsLetter(r) || r == '%' || r == '°' })
	}
	return letters && filled >= 2 && 2*filled >= len(columns)
}

// distinct reports whether the names of columns are filled and different.
func distinct(names []string, columns []int) bool {
	seen := map[string]bool{}
	for _, c := range columns {
		if names[c] == "" || seen[names[c]] {
			return false
		}
		seen[names[c]] = true
	}
	return true
}

func isFilled(f string) bool { return strings.TrimSpace(f) != "" }

// fewestNoted is the number of columns from which a record with one field is a title or a footnote.
const fewestNoted = 3

// isTitle reports whether a record of a table has text in its first field only, or nothing, as
// spreadsheets write titles; also a name and its value, such as "Date" and a date.
func isTitle(rec []string, width int) bool {
	if width < fewestNoted || len(rec) < width || slices.ContainsFunc(rec[2:], isFilled) {
		return false
	}
	return !isFilled(rec[0]) && !isFilled(rec[1]) || allNames(rec[:1])
}

// underTitles reports whether a header follows titles.
func underTitles(records [][]string, width int) bool {
	i := slices.IndexFunc(records, func(rec []string) bool { return !isTitle(rec, width) })
	return i > 0 && len(records[i]) >= width-1 && headerLike(records[i])
}

// headerLike reports whether the filled fields of a record are names, and more than half are filled.
func headerLike(rec []string) bool {
	filled := slices.DeleteFunc(slices.Clone(rec), func(f string) bool { return !isFilled(f) })
	return allNames(filled) && 2*len(filled) > len(rec)
}

// isNote reports whether a record of a table has text in its only field.
func isNote(rec []string) bool { return len(rec) == 1 && allNames(rec) }

// withoutNotes returns records without footnotes at their end.
func withoutNotes(records [][]string) [][]string {
	if usualWidth(records) < fewestNoted {
		return records
	}
	end := len(records)
	for end > 1 && isNote(records[end-1]) {
		end--
	}
	return records[:end]
}

// footnotes passes records to the guesses of columns, except for footnotes at the end of a text:
// records with text in the first field only, if they have no other, or if the first column has numbers.
type footnotes struct {
	guesses []guess
	numbers numerals
	fill    bool // records may have too few fields
	rows    int64
	waiting [][]string
	lines   []int64
	text    string // of the first footnote
}

func (f *footnotes) see(rec []string, line int64) {
	blank := !slices.ContainsFunc(rec, isFilled)
	if f.isNote(rec) || blank && len(rec) >= fewestNoted {
		f.waiting, f.lines = append(f.waiting, slices.Clone(rec)), append(f.lines, line)
		const most = 100
		if f.text == "" && !blank {
			f.text = strings.Clone(rec[0])
		}
		if len(f.waiting) > most {
			f.flush()
		}
		return
	}
	f.flush()
	f.look(rec, line)
}

func (f *footnotes) isNote(rec []string) bool {
	if len(rec) == 1 && len(f.guesses) > 1 && rowCount.MatchString(rec[0]) {
		return true
	}
	if len(rec) > 1 && len(rec) < len(f.guesses) && !f.fill && f.isSentence(rec) {
		return true
	}
	if len(f.guesses) < fewestNoted || len(rec) == 0 || slices.ContainsFunc(rec[1:], isFilled) || !allNames(rec[:1]) {
		return false
	}
	g := f.guesses[0]
	return len(rec) == 1 && !f.fill || g.filled > 1 && g.floats == g.filled
}

// rowCount matches the line that psql and mysql write below a table.
var rowCount = regexp.MustCompile(`^\([0-9]+ rows?\)$|^[0-9]+ rows? in set`)

// isSentence reports whether a record is a sentence with commas: blanks follow these, and text begins
// it.
func (f *footnotes) isSentence(rec []string) bool {
	return allNames(rec[:1]) && !slices.ContainsFunc(rec[1:], func(field string) bool { return !strings.HasPrefix(field, " ") })
}

// flush passes waiting records on, since they are no footnotes.
func (f *footnotes) flush() {
	for i, rec := range f.waiting {
		f.look(rec, f.lines[i])
	}
	f.waiting, f.lines, f.text = f.waiting[:0], f.lines[:0], ""
}

func (f *footnotes) look(rec []string, line int64) {
	for i, field := range rec[:min(len(rec), len(f.guesses))] {
		f.guesses[i].see(field, f.numbers, f.rows, line)
	}
	f.rows++
}

// hint returns the option with which a record of the wrong number of fields has the right one, ""
// if none is known.
func (d dialect) hint(rec []string, width int) string {
	line := strings.Join(rec, string(d.comma))
	try := func(change dialect) bool {
		change.skip = 0
		fields, err := newTextRecords(strings.NewReader(line), change, table.Origin{}).next()
		return err == nil && len(fields) == width
	}
	quoted, escaped := d, d
	quoted.quote, escaped.escape = '\'', '\\'
	switch {
	case len(rec) > width && d.quote == '"' && strings.Contains(line, "'") && try(quoted):
		return `if ' is the quote say so: --csv-quote "'"`
	case len(rec) > width && d.escape == 0 && strings.Contains(line, `\`) && try(escaped):
		return `if \ escapes the next character say so: --csv-escape '\'`
	case width == 1 && d.comma != ' ':
		return "if another character separates fields say so: --delimiter CHAR; if fields hold it, quote them"
	}
	return ""
}
