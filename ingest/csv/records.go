package csv

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

// dialect is the syntax of records and fields in a text.
type dialect struct {
	// comma separates fields; ' ' stands for any run of blanks and tabs.
	comma rune
	// quote encloses fields that contain separators or line ends; 0 for none.
	quote byte
	// escape escapes the next character; 0 for none.
	escape byte
	// comment begins a comment up to the end of the line; 0 for none.
	comment byte
	// trim skips blanks after a separator.
	trim bool
	// skip is the number of lines before the first record.
	skip int
	// decimalComma means that 1,5 is one and a half.
	decimalComma bool
	// drawn means that lines draw the table; starts are the places of its columns if blanks separate
	// these.
	drawn  bool
	starts []int
	// names are the header's fields if the header is in a comment before the first record.
	names []string
}

// textRecords reads the records of separated text one by one.
type textRecords struct {
	dialect
	origin table.Origin
	lines  *lineReader
	sep    []byte
	start  int64 // line of the last record
	before int64 // number of lines before the reader's first
	failed error // the error of the next call
	rec    []byte
	ends   []int
	fields []string
}

// newTextRecords reads records after the lines that the dialect skips.
func newTextRecords(r io.Reader, d dialect, origin table.Origin) *textRecords {
	return &textRecords{dialect: d, origin: origin, lines: newLineReader(r), sep: []byte(string(d.comma))}
}

// next returns the next record, valid until the next call, or io.EOF. It skips empty and blank
// lines and comments.
func (t *textRecords) next() ([]string, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	for {
		line, end, err := t.lines.next()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, textError(t.origin, err)
		}
		if t.skip > 0 {
			t.skip--
			continue
		}
		if end == noEnd {
			line = bytes.TrimSuffix(line, []byte("\x1a")) // CP/M's end-of-file mark
		}
		if t.isBlank(line) || t.drawn && drawnLine.Match(line) || t.comment != 0 && line[0] == t.comment {
			continue
		}
		t.start = t.lines.number
		fields, err := t.split(line, end)
		if err == nil && len(fields) == 0 {
			continue
		}
		return fields, err
	}
}

// isBlank reports whether a line has only blanks that are not separators.
func (t *textRecords) isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' || rune(c) == t.comma && t.comma != ' ' {
			return false
		}
	}
	return true
}

// line returns the 1-based line on which the last record started.
func (t *textRecords) line() int64 { return t.before + t.start }

// split splits a line into fields. It reads further lines if a quoted field continues there.
func (t *textRecords) split(line []byte, end lineEnd) ([]string, error) {
	if t.drawn {
		return t.splitDrawn(string(line)), t.few(bytes.Count(line, t.sep))
	}
	if t.quote != 0 && bytes.IndexByte(line, t.quote) >= 0 || t.trim ||
		t.escape != 0 && bytes.IndexByte(line, t.escape) >= 0 {
		return t.splitQuoted(line, end)
	}
	if t.comment != 0 {
		line, _, _ = bytes.Cut(line, []byte{t.comment})
	}
	if t.comma == ' ' {
		t.fields = strings.Fields(string(line))
		return t.fields, t.few(len(t.fields))
	}
	if n := bytes.Count(line, t.sep); n >= maxFields {
		return nil, t.few(n + 1)
	}
	s, sep := string(line), string(t.sep)
	t.fields = t.fields[:0]
	for {
		i := strings.Index(s, sep)
		if i < 0 {
			break
		}
		t.fields = append(t.fields, s[:i])
		s = s[i+len(sep):]
	}
	t.fields = append(t.fields, s)
	return t.fields, nil
}

func (t *textRecords) few(n int) error {
	if n > maxFields {
		return textError(t.origin, errManyFields)
	}
	return nil
}

// splitQuoted is split for a line with quotes or escapes. As in pandas, a quote opens a field only
// at its beginning; elsewhere in an unquoted field it is an ordinary character.
func (t *textRecords) splitQuoted(line []byte, end lineEnd) ([]string, error) {
	t.rec, t.ends = t.rec[:0], t.ends[:0]
	for i, more := 0, true; more; {
		if t.comma == ' ' || t.trim {
			for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
				i++
			}
		}
		if t.comma == ' ' && i == len(line) {
			break
		}
		var err error
		if t.quote != 0 && i < len(line) && line[i] == t.quote {
			line, end, i, err = t.quoted(line, end, i+1)
		} else {
			i = t.bare(line, i)
		}
		if err == nil && len(t.ends) >= maxFields {
			err = textError(t.origin, errManyFields)
		}
		if err != nil {
			return nil, err
		}
		t.ends = append(t.ends, len(t.rec))
		if n := t.separator(line[i:]); n > 0 {
			i += n
		} else {
			more = false
		}
	}
	t.fields = t.fields[:0]
	s, from := string(t.rec), 0
	for _, to := range t.ends {
		t.fields = append(t.fields, s[from:to])
		from = to
	}
	return t.fields, nil
}

// separator returns the length of the separator at the beginning of rest, 0 for none.
func (t *textRecords) separator(rest []byte) int {
	if t.comma == ' ' {
		return len(rest) - len(bytes.TrimLeft(rest, " \t"))
	}
	if bytes.HasPrefix(rest, t.sep) {
		return len(t.sep)
	}
	return 0
}

// bare appends an unquoted field, and returns the offset after it.
func (t *textRecords) bare(line []byte, i int) int {
	if t.escape == 0 && t.comment == 0 && t.comma != ' ' {
		n := bytes.Index(line[i:], t.sep)
		if n < 0 {
			n = len(line) - i
		}
		t.rec = append(t.rec, line[i:i+n]...)
		return i + n
	}
	for i < len(line) {
		switch c := line[i]; {
		case t.escape != 0 && c == t.escape && i+1 < len(line):
			i++
			t.rec = append(t.rec, line[i])
			i++
		case t.comment != 0 && c == t.comment:
			return len(line)
		case t.separator(line[i:]) > 0:
			return i
		default:
			t.rec = append(t.rec, c)
			i++
		}
	}
	return i
}

// quoted appends a field, beginning after its first quote. It returns the line in which the field
// ends, how that line ends, and the offset after the field.
func (t *textRecords) quoted(line []byte, end lineEnd, i int) ([]byte, lineEnd, int, error) {
	escaped := false // a backslash precedes the last quote
	for {
		if i >= len(line) {
			var err error
			if line, end, err = t.goOn(end); err != nil {
				return nil, end, 0, err
			}
			i = 0
			continue
		}
		c := line[i]
		switch {
		case t.escape != 0 && c == t.escape && i+1 < len(line):
			t.rec = append(t.rec, line[i+1])
			i += 2
		case c != t.quote:
			n := 1
			if t.escape == 0 {
				if n = bytes.IndexByte(line[i:], t.quote); n < 0 {
					n = len(line) - i
				}
			}
			t.rec = append(t.rec, line[i:i+n]...)
			i += n
		case i+1 < len(line) && line[i+1] == t.quote:
			t.rec = append(t.rec, c)
			i += 2
		default:
			escaped = i > 0 && line[i-1] == '\\'
			i++
			for t.comma != ' ' && i < len(line) && line[i] == ' ' && t.separator(line[i:]) == 0 {
				t.rec = append(t.rec, ' ')
				i++
			}
			if i < len(line) && t.separator(line[i:]) == 0 {
				return nil, end, 0, t.wrongQuotes(escaped)
			}
			return line, end, i, nil
		}
	}
}

// goOn reads the next line of a quoted field.
func (t *textRecords) goOn(end lineEnd) ([]byte, lineEnd, error) {
	switch end {
	case lineFeed:
		t.rec = append(t.rec, '\n')
	case carriageReturn:
		t.rec = append(t.rec, '\r')
	}
	if len(t.rec) > maxRecord {
		return nil, end, textError(t.origin, errLongRecord)
	}
	line, end, err := t.lines.next()
	if err == io.EOF {
		e := t.origin.Bad("the quotes are wrong: one that is opened here is not closed").
			Suggest("close it; if quotes are plain characters say so: --csv-quote none")
		e.Line = t.line()
		return nil, end, e
	}
	if err != nil {
		return nil, end, textError(t.origin, err)
	}
	return line, end, nil
}

// wrongQuotes returns the error for text after the quote that closes a field.
func (t *textRecords) wrongQuotes(escaped bool) *table.Error {
	e := t.origin.Bad("the quotes are wrong: text stands behind the one that closes a field")
	e.Line = t.line()
	if escaped {
		return e.Suggest(`a backslash before it seems to take it as a character; if so say so: --csv-escape '\'`)
	}
	return e.Suggest("quotes stand around a whole field, and are doubled inside it; if they are plain characters say so: --csv-quote none")
}

// textError is like input.ReadError for text, but keeps the errors of text readers.
func textError(o table.Origin, err error) error {
	var e *table.Error
	if errors.As(err, &e) {
		return e
	}
	switch {
	case errors.Is(err, errLongRecord):
		return o.Bad("a record is longer than %d MiB", maxRecord>>20).Suggest("a quote may be left open")
	case errors.Is(err, errManyFields):
		return o.Bad("a record has more than %d fields", maxFields).Suggest("that is the largest number of columns; a quote may be left open")
	}
	return input.ReadError(o, err)
}

// oneByte returns an ASCII character of the dialect, 0 for others.
func oneByte(r rune) byte {
	if r <= 0 || r >= utf8.RuneSelf {
		return 0
	}
	return byte(r)
}
