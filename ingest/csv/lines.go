package csv

import (
	"bytes"
	"errors"
	"io"
)

// maxRecord is the maximum size of a record in bytes, so that a file that is not text cannot fill
// the memory as a single line.
const maxRecord = 64 << 20

// maxFields is the maximum number of fields of a record, each of which takes far more memory than
// its bytes.
const maxFields = 1 << 20

var (
	errLongRecord = errors.New("record too long")
	errManyFields = errors.New("too many fields")
)

// lineEnd is the kind of end of a line.
type lineEnd int

const (
	noEnd lineEnd = iota // end of the text
	lineFeed
	carriageReturn // alone, as written by old spreadsheets
)

// lineReader reads the lines of a text, which end with LF, CR LF or CR.
type lineReader struct {
	r   io.Reader
	buf []byte
	// at..n are the bytes of buf that have not been returned. There is no line feed before lf.
	at, lf, n int
	err       error
	number    int64 // of the last line, from 1
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: r, buf: make([]byte, 1<<16)}
}

// next returns the next line without its end, valid until the next call; io.EOF after the last. A
// line that is truncated by an error is not returned.
func (l *lineReader) next() (line []byte, end lineEnd, err error) {
	for seen := l.at; ; {
		l.seek()
		if i := bytes.IndexByte(l.buf[seen:l.lf], '\r'); i >= 0 {
			i += seen
			switch {
			case i+1 < l.n && l.buf[i+1] == '\n':
				return l.give(i, 2), lineFeed, nil
			case i+1 < l.n || l.err == io.EOF:
				return l.give(i, 1), carriageReturn, nil
			}
			seen = i // the next byte may be a line feed
		} else if l.lf < l.n {
			return l.give(l.lf, 1), lineFeed, nil
		} else {
			seen = l.n
		}
		if l.err == io.EOF && l.at < l.n {
			return l.give(l.n, 0), noEnd, nil
		} else if l.err != nil {
			return nil, noEnd, l.err
		}
		from := l.at
		if err := l.fill(); err != nil {
			return nil, noEnd, err
		}
		seen += l.at - from
	}
}

// give returns the bytes up to an offset, and skips the line's end.
func (l *lineReader) give(to, end int) []byte {
	line := l.buf[l.at:to]
	l.at = to + end
	l.number++
	return line
}

// seek finds the next line feed.
func (l *lineReader) seek() {
	if l.lf = max(l.lf, l.at); l.lf < l.n && l.buf[l.lf] != '\n' {
		if i := bytes.IndexByte(l.buf[l.lf:l.n], '\n'); i >= 0 {
			l.lf += i
		} else {
			l.lf = l.n
		}
	}
}

// fill reads more bytes.
func (l *lineReader) fill() error {
	if l.at > 0 {
		copy(l.buf, l.buf[l.at:l.n])
		l.n, l.lf, l.at = l.n-l.at, max(l.lf-l.at, 0), 0
	}
	if l.n == len(l.buf) {
		if l.n >= maxRecord {
			return errLongRecord
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.n:])
		l.n += n
		if l.err = err; n > 0 || err != nil {
			return nil
		}
	}
	return io.ErrNoProgress
}
