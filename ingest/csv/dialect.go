package csv

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/table"
)

// The properties of a text are guessed in this order, each with the results of the previous steps:
//
//  1. the encoding: by a byte order mark, otherwise UTF-8 (encoding.go)
//  2. lines before the records: "sep=;", then comments that begin with #, % or //
//  3. lines that draw the table (drawn.go)
//  4. the separator: the one with which the first records have equal numbers of fields, more
//     than one, if necessary after title lines; among several, the one that leads to
//     the most numbers. Others (rareSeparators) are tried where none of these occurs so
//  5. the decimal sign (decimal.go)
//  6. the header (header.go): title lines, names, row names, a last column
//     without name and values
//  7. the types of the columns (infer.go)
//
// Quotes, escapes and the words for missing values are not guessed. They are those of pandas, and
// an error names the option if they seem to be wrong.

// separators are tried in this order. Among equal ones the first is used.
var separators = []rune{',', '\t', ';', '|'}

var separatorLine = regexp.MustCompile(`^"?(?i:sep)=(.)"?(\r\n|\r|\n)`)

// rareSeparators are tried if none of the separators divides the records evenly. The header must
// have them, too, and must consist of names, except for the control characters.
var rareSeparators = []rune{'\x01', '\x1f', '^', '~', ':'}

// lookRecords is the number of records from which separator and header are guessed.
const lookRecords = 100

// guessDialect guesses the dialect of a text from its beginning. cut means that the text continues
// after head.
func guessDialect(head string, cut bool, path string, opts Options) (d dialect, said []string) {
	d = dialect{comma: opts.Comma, quote: '"', escape: oneByte(opts.Escape), comment: oneByte(opts.Comment), trim: opts.Trim, skip: opts.Skip}
	if opts.Quote != 0 {
		d.quote = oneByte(opts.Quote)
	}
	if opts.Quote == NoQuote {
		d.quote = 0
	}
	rest := afterLines(head, d.skip)
	if m := separatorLine.FindStringSubmatch(rest); m != nil && d.comma == 0 {
		d.comma, d.skip, rest = []rune(m[1])[0], d.skip+1, rest[len(m[0]):]
	}
	last := ""
	for mark := commentMark(rest); mark != "" && d.comment == 0 && strings.HasPrefix(rest, mark); {
		last = strings.TrimSpace(strings.TrimLeft(firstLine(rest), mark))
		rest = afterLines(rest, 1)
		d.skip++
	}
	d.decimalComma = opts.Decimal == ','
	n, comments := opts.numerals(d), d.skip-opts.Skip
	if d.comma == 0 {
		if drawn := d.guessDrawn(rest); drawn != "" {
			said = append(said, drawn)
		}
	}
	if d.comma == 0 {
		d.comma = guessComma(rest, cut, path, d, n)
	}
	if opts.Quote == 0 && singleQuotes(firstLine(rest), d.comma) {
		d.quote = '\''
		said = append(said, "quotes: ', since it encloses all fields of the first line")
	}
	if opts.Decimal == 0 {
		comma, why := guessDecimal(rest, cut, d, n)
		if d.decimalComma, n.comma = comma, comma; comma {
			said = append(said, why)
		}
	}
	if d.names == nil {
		d.names = commentNames(last, rest, cut, d, n)
	}
	if comments > 0 {
		said = append(said, counted(comments, "line")+" of comments before the records left out")
	}
	if d.names != nil && !d.drawn {
		said = append(said, "header: yes, the comment on line "+strconv.Itoa(d.skip)+", since it has as many names as the records have fields")
	}
	return d, said
}

// singleQuotes reports whether single quotes enclose all fields of a line, two or more.
func singleQuotes(line string, comma rune) bool {
	fields := strings.Split(line, string(comma))
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(f string) bool {
		return len(f) < 3 || f[0] != '\'' || f[len(f)-1] != '\'' || strings.Contains(f[1:len(f)-1], "'")
	})
}

// commentMark returns the comment mark with which a text begins, "" if there is none, or if the
// text has only comments.
func commentMark(text string) string {
	for _, mark := range []string{"#", "%", "//"} {
		for rest := text; strings.HasPrefix(text, mark) && rest != ""; rest = afterLines(rest, 1) {
			if !strings.HasPrefix(rest, mark) {
				return mark
			}
		}
	}
	return ""
}

// commentNames returns the names in a comment directly before the first record, nil if there are
// none. Their number must equal that of the records' fields, and the records must not be names.
func commentNames(comment, rest string, cut bool, d dialect, n numerals) []string {
	if comment == "" {
		return nil
	}
	d.skip = 0
	one := newTextRecords(strings.NewReader(comment), d, table.Origin{})
	names, err := one.next()
	body := sample(rest, cut, d)
	if err != nil || len(body) == 0 || len(names) < 2 || len(names) != len(body[0]) || !areNames(names, n) || areNames(body[0], n) {
		return nil
	}
	return names
}

func firstLine(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// afterLines returns a text without its first lines.
func afterLines(text string, lines int) string {
	for range lines {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return ""
		}
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
	}
	return text
}

// sample returns the first records of a text. It ends at the first invalid one. A truncated record
// is omitted unless it is the only one.
func sample(head string, cut bool, d dialect) (out [][]string) {
	d.skip = 0
	r := newTextRecords(strings.NewReader(head), d, table.Origin{})
	for len(out) < lookRecords {
		rec, err := r.next()
		if err != nil {
			break
		}
		out = append(out, append([]string(nil), rec...))
	}
	if cut && len(out) > 1 && len(out) < lookRecords {
		out = out[:len(out)-1]
	}
	return withoutNotes(out)
}

// guessComma guesses the separator from the beginning of a text.
func guessComma(head string, cut bool, path string, d dialect, n numerals) rune {
	if areVectors(head) {
		return ','
	}
	best, most := rune(0), separation{}
	for _, c := range separators {
		d.comma = c
		if s := separates(sample(head, cut, d), n); s.better(most) {
			best, most = c, s
		}
	}
	line := firstLine(strings.TrimLeft(head, "\r\n"))
	named := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) == ".csv"
	if most.tier < 2 {
		d.comma = ' '
		// Sentences contain blanks, too, but not numbers, and not between quoted names.
		if s := separates(sample(head, cut, d), n); s.better(most) && (s.quality > 0.5 || s.tier == 3 && s.quality > 0.25 && strings.HasPrefix(line, `"`)) {
			return ' '
		}
	}
	if c := rareComma(head, cut, d, n); best == 0 && c != 0 {
		return c
	}
	if best == '\t' {
		// Tabs among blanks separate numbers like blanks. A first line with fewer fields between
		// tabs is then not a header.
		d.comma = '\t'
		tabs := sample(head, cut, d)
		d.comma = ' '
		if s := separates(sample(head, cut, d), n); s.tier == 3 && (len(tabs[0]) < usualWidth(tabs) && s.quality == 1 || s.quality > most.quality+0.5) {
			return ' '
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
	if !named && len(strings.Fields(line)) > 1 {
		return ' '
	}
	return ','
}

// areVectors reports whether the first lines are vectors in brackets as numpy prints them, with blanks
// between the numbers.
func areVectors(head string) bool {
	const some = 20
	seen := 0
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if seen == some || seen > 0 && !strings.HasSuffix(line, "]") {
			break // the last line may be cut off
		}
		if strings.Contains(line, ",") || !isVector(line) {
			return false
		}
		seen++
	}
	return seen > 1
}

// rareComma returns the rare separator that divides all records evenly, 0 if there is none.
func rareComma(head string, cut bool, d dialect, n numerals) rune {
	for _, c := range rareSeparators {
		if d.comma = c; !strings.ContainsRune(firstLine(head), c) {
			continue
		}
		records := sample(head, cut, d)
		if s := separates(records, n); s.tier == 3 && (c < ' ' || headerLike(records[0])) {
			return c
		}
	}
	return 0
}

// separation rates how evenly a separator divides records.
type separation struct {
	// tier is 3 if all records have the same number of fields, 2 if all except a title before them,
	// and 1 if most have. It is 0 otherwise, and for records with one field.
	tier int
	// quality is the share of fields that are numbers, minus the share of fields that begin with a
	// blank, like parts of a sentence.
	quality float64
	// short is true if the first record has one field less than the others, as R writes names of
	// columns above names of rows.
	short bool
}

func (s separation) better(than separation) bool {
	if s.tier != than.tier || s.tier == 0 {
		return s.tier > than.tier
	}
	return s.quality > than.quality || s.quality == than.quality && than.short && !s.short
}

// separates rates how evenly records are divided.
func separates(records [][]string, n numerals) separation {
	width := usualWidth(records)
	if width < 2 {
		return separation{}
	}
	first := firstOf(records, width)
	same, fields, good, blank := 0, 0, 0, 0
	body := records[first:]
	for i, rec := range body {
		if len(rec) == width || i == 0 && len(rec) == width-1 {
			same++
		}
		if i == 0 && len(body) > 1 {
			continue // it may contain names
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
	out := separation{tier: 3, quality: float64(good-blank) / float64(max(fields, 1)), short: len(body[0]) < width}
	switch {
	case same < len(body) && 10*same < 9*len(body):
		return separation{}
	case same < len(body):
		out.tier = 1
	case first > 0:
		out.tier = 2
	}
	return out
}

// usualWidth returns the most frequent number of fields of records; among several the largest.
func usualWidth(records [][]string) int {
	count := map[int]int{}
	width := 0
	for _, rec := range records {
		n := len(rec)
		count[n]++
		if count[n] > count[width] || count[n] == count[width] && n > width {
			width = n
		}
	}
	return width
}

// firstOf returns the index of the first record of the table, after those of a title. It has the
// usual width, or one field less if the records below begin with row names.
func firstOf(records [][]string, width int) int {
	for i, rec := range records {
		switch {
		case isTitle(rec, width) && underTitles(records[i:], width):
			continue
		case len(rec) > width+1 && i+2 < len(records) && len(records[i+1]) == width && allNames(records[i+1]) && !allNames(records[i+2]):
			continue // a title with many separators
		case len(rec) >= width, len(rec) == width-1 && namesRows(records[i:], width):
			return i
		case len(rec) > max(1, width/2) && !slices.ContainsFunc(records, func(r []string) bool { return len(r) == width && allNames(r) }):
			return 0 // a header with missing names
		}
	}
	return 0
}

// namesRows reports whether the first record is a header with one field less than the records below
// it, and not a title above another header.
func namesRows(records [][]string, width int) bool {
	if len(records) < 2 || len(records[1]) != width {
		return false
	}
	return len(records) == 2 || !allNames(records[1]) || allNames(records[2])
}
