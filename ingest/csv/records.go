package csv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// maxRecord bounds one record of a text file, so that a file that is not text
// after all cannot fill the memory as a single line.
const maxRecord = 64 << 20

// maxFields bounds the fields of a record, each of which takes far more memory than it has
// bytes.
const maxFields = 1 << 20

// textRecords gives the records of separated text one by one.
type textRecords struct {
	origin table.Origin
	guard  *recordGuard
	csv    *csv.Reader   // for a separator
	blank  *bufio.Reader // for runs of blanks
	lines  int64         // of blank
	before int64         // lines before the first record that are not part of it
	fields []string
}

// openRecords opens a text: in which encoding and by which separators it is read
// follows from the options, or from its beginning.
func openRecords(in *bufio.Reader, origin table.Origin, opts Options) (*textRecords, error) {
	text, err := newTextReader(in, opts.Encoding, origin)
	if err != nil {
		return nil, err
	}
	head := bufio.NewReaderSize(text, 1<<20)
	comma, before := opts.Comma, int64(0)
	if comma == 0 {
		beginning, err := head.Peek(head.Size())
		if len(beginning) == 0 && err != io.EOF {
			return nil, textError(origin, err)
		}
		if c, n := saidComma(string(beginning)); n > 0 {
			head.Discard(n)
			comma, before = c, 1
		} else {
			comma = guessComma(string(beginning), origin.File, numerals{comma: opts.DecimalComma})
		}
	}
	t := newTextRecords(head, comma, origin)
	t.before = before
	return t, nil
}

func newTextRecords(r io.Reader, comma rune, origin table.Origin) *textRecords {
	t := &textRecords{origin: origin, guard: &recordGuard{r: r}}
	if comma == ' ' {
		t.blank = bufio.NewReaderSize(t.guard, 1<<16)
		return t
	}
	t.guard.comma = []byte(string(comma))
	t.csv = csv.NewReader(t.guard)
	t.csv.Comma, t.csv.FieldsPerRecord, t.csv.ReuseRecord = comma, -1, true
	return t
}

// next returns the next record, valid until the next call, or io.EOF. Empty
// lines are no records.
func (t *textRecords) next() ([]string, error) {
	t.guard.since, t.guard.commas = 0, 0
	if t.blank != nil {
		return t.nextBlank()
	}
	rec, err := t.csv.Read()
	var p *csv.ParseError
	switch {
	case err == nil:
		return rec, nil
	case err == io.EOF:
		return nil, io.EOF
	case errors.As(err, &p):
		e := t.origin.Bad("the quotes are wrong").Because(p.Err).Suggest("quotes stand around a whole field, and are doubled inside it")
		e.Line = t.before + int64(p.Line)
		return nil, e
	}
	return nil, textError(t.origin, err)
}

// textError is input.ReadError for text, whose readers have errors of their own.
func textError(o table.Origin, err error) error {
	var e *table.Error
	if errors.As(err, &e) {
		return e
	}
	switch {
	case errors.Is(err, errLongRecord):
		return o.Bad("a record is longer than %d MiB", maxRecord>>20).Suggest("a quote may be left open")
	case errors.Is(err, errManyFields):
		return o.Bad("a record has more than %d fields", maxFields).Suggest("columns are at most so many; a quote may be left open")
	}
	return input.ReadError(o, err)
}

func (t *textRecords) nextBlank() ([]string, error) {
	for {
		line, err := t.blank.ReadString('\n')
		if line != "" {
			t.lines++
		}
		if err != nil && err != io.EOF {
			return nil, textError(t.origin, err)
		}
		if t.fields = strings.Fields(line); len(t.fields) > maxFields {
			return nil, textError(t.origin, errManyFields)
		}
		if len(t.fields) > 0 {
			return t.fields, nil
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

// line is the 1-based line on which the last record started.
func (t *textRecords) line() int64 {
	if t.blank != nil {
		return t.before + t.lines
	}
	n, _ := t.csv.FieldPos(0)
	return t.before + int64(n)
}

var (
	errLongRecord = errors.New("record too long")
	errManyFields = errors.New("too many fields")
)

// recordGuard fails once too much has been read since the last reset.
type recordGuard struct {
	r      io.Reader
	comma  []byte // nil for blanks
	since  int64
	commas int
}

func (g *recordGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if g.since += int64(n); g.since > maxRecord {
		return n, errLongRecord
	}
	if g.comma != nil {
		if g.commas += bytes.Count(p[:n], g.comma); g.commas > maxFields {
			return n, errManyFields
		}
	}
	return n, err
}
