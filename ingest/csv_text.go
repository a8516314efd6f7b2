package ingest

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"strings"
)

// maxRecord bounds one record of a text file, so that a file that is not text
// after all cannot fill the memory as a single line.
const maxRecord = 64 << 20

// textRecords gives the records of separated text one by one.
type textRecords struct {
	origin Origin
	guard  *recordGuard
	csv    *csv.Reader   // for a separator
	blank  *bufio.Reader // for runs of blanks
	lines  int64         // of blank
	fields []string
}

func newTextRecords(r io.Reader, comma rune, origin Origin) *textRecords {
	t := &textRecords{origin: origin, guard: &recordGuard{r: r}}
	if comma == ' ' {
		t.blank = bufio.NewReaderSize(t.guard, 1<<16)
		return t
	}
	t.csv = csv.NewReader(t.guard)
	t.csv.Comma, t.csv.FieldsPerRecord, t.csv.ReuseRecord = comma, -1, true
	return t
}

// next returns the next record, valid until the next call, or io.EOF. Empty
// lines are no records.
func (t *textRecords) next() ([]string, error) {
	t.guard.since = 0
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
		e := t.origin.bad("the quotes are wrong").cause(p.Err).hint("quotes stand around a whole field, and are doubled inside it")
		e.Line = int64(p.Line)
		return nil, e
	case errors.Is(err, errLongRecord):
		return nil, t.origin.bad("a record is longer than %d MiB", maxRecord>>20).hint("a quote may be left open")
	}
	return nil, readError(t.origin, err)
}

func (t *textRecords) nextBlank() ([]string, error) {
	for {
		line, err := t.blank.ReadString('\n')
		if line != "" {
			t.lines++
		}
		if err != nil && err != io.EOF {
			return nil, readError(t.origin, err)
		}
		if t.fields = strings.Fields(line); len(t.fields) > 0 {
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
		return t.lines
	}
	n, _ := t.csv.FieldPos(0)
	return int64(n)
}

var errLongRecord = errors.New("record too long")

// recordGuard fails once too much has been read since the last reset.
type recordGuard struct {
	r     io.Reader
	since int64
}

func (g *recordGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if g.since += int64(n); g.since > maxRecord {
		return n, errLongRecord
	}
	return n, err
}

// cutReader ends after a number of bytes, at the last line that is complete.
type cutReader struct {
	r    io.Reader
	left int64
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left <= 0 {
		if end := strings.LastIndexByte(string(p[:n]), '\n'); end >= 0 {
			n = end + 1
		}
	}
	return n, err
}

// guessComma looks at the first line.
func guessComma(in *opened, path string) rune {
	if filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) == ".csv" {
		return ','
	}
	head, _ := in.Peek(in.Size())
	line, _, _ := strings.Cut(string(head), "\n")
	for _, c := range []rune{',', '\t', ';'} {
		if strings.ContainsRune(line, c) {
			return c
		}
	}
	if len(strings.Fields(line)) > 1 {
		return ' '
	}
	return ','
}
