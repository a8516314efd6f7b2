package matrix

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/sparse"
)

// NewMarketReader reads Matrix Market's exchange format (Boisvert, Pozo and Remington 1996):
//
//	%%MatrixMarket matrix coordinate real|integer|pattern general
//	% comments
//	ROWS COLUMNS ENTRIES
//	I J VALUE
//
// with I and J counted from 1, and no value in a pattern, where it is 1.
func NewMarketReader(in *input.Source, batchRows int) (table.Reader, error) {
	m := &market{in: in, o: in.Origin}
	if err := m.banner(); err != nil {
		return nil, err
	}
	fields, err := m.fields(3)
	if err != nil {
		return nil, err
	}
	var size [3]int64
	for k := range size {
		if size[k], err = strconv.ParseInt(string(fields[k]), 10, 64); err != nil {
			return nil, m.bad("its shape and number of entries are %q, want three whole numbers", bytes.Join(fields, []byte(" ")))
		}
	}
	m.shape = Shape{Rows: size[0], Columns: size[1], Entries: size[2]}
	return NewReader(in.Origin, m.shape, batchRows, m.read, in.Close)
}

// market reads one file.
type market struct {
	in      *input.Source
	o       table.Origin
	line    int64
	shape   Shape
	pattern bool
	split   [][]byte
}

// bad returns an error at the last line read.
func (m *market) bad(format string, args ...any) *table.Error {
	return m.o.Bad("line "+strconv.FormatInt(m.line, 10)+": "+format, args...)
}

// banner reads the first line.
func (m *market) banner() error {
	text, err := m.next()
	if err != nil {
		return err
	}
	words := strings.Fields(strings.ToLower(string(text)))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return m.bad("it begins with %q, want %%%%MatrixMarket matrix coordinate real general", table.Clip(string(text)))
	}
	switch format, field, symmetry := words[2], words[3], words[4]; {
	case format != "coordinate":
		return m.o.Bad("it holds a matrix in the format %q, which is not read", format).Suggest("write it as coordinate, or save the array by numpy.save")
	case field != "real" && field != "integer" && field != "pattern":
		return m.o.Bad("it holds %s values, which are not read", field).Suggest("values are real, integer or pattern")
	case symmetry != "general":
		return m.o.Bad("it holds a %s matrix, one half of it, which is not read", symmetry).Suggest("write it as general: scipy.io.mmwrite(file, m, symmetry=\"general\")")
	default:
		m.pattern = field == "pattern"
	}
	return nil
}

// next returns the next line without its end.
func (m *market) next() ([]byte, error) {
	text, err := m.in.ReadSlice('\n')
	m.line++
	switch {
	case err == bufio.ErrBufferFull:
		return nil, m.bad("it is longer than %d bytes", len(text))
	case err == io.EOF && len(text) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, input.ReadError(m.o, err)
	}
	return bytes.TrimRight(text, " \t\r\n"), nil
}

// fields returns the words of the next line that is not empty or a comment.
func (m *market) fields(want int) ([][]byte, error) {
	for {
		text, err := m.next()
		if err == io.EOF {
			return nil, m.o.Bad("the file is truncated: it ends at line %d", m.line-1).Suggest("get it again")
		}
		if err != nil {
			return nil, err
		}
		m.split = m.split[:0]
		for rest := bytes.TrimLeft(text, " \t"); len(rest) > 0; {
			end := bytes.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			m.split = append(m.split, rest[:end])
			rest = bytes.TrimLeft(rest[end:], " \t")
		}
		if len(m.split) == 0 || m.split[0][0] == '%' {
			continue
		}
		if len(m.split) != want {
			return nil, m.bad("it has %d fields, want %d", len(m.split), want)
		}
		return m.split, nil
	}
}

// first limits the memory allocated before entries have been read.
const first = 1 << 20

// read reads the entries.
func (m *market) read(ctx context.Context) (*sparse.Rows, error) {
	room := min(m.shape.Entries, first)
	rows, columns, values := make([]int32, 0, room), make([]int32, 0, room), make([]float64, 0, room)
	want := 3
	if m.pattern {
		want = 2
	}
	for e := range m.shape.Entries {
		if e%first == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, err := m.fields(want)
		if err != nil {
			return nil, err
		}
		i, j := place(f[0], m.shape.Rows), place(f[1], m.shape.Columns)
		if i < 0 || j < 0 {
			return nil, m.bad("the entry is in row %s and column %s of a matrix of %d x %d", f[0], f[1], m.shape.Rows, m.shape.Columns)
		}
		v := 1.0
		if !m.pattern {
			if v, err = strconv.ParseFloat(string(f[2]), 64); err != nil && !math.IsInf(v, 0) {
				return nil, m.bad("the value is %q, not a number", table.Clip(string(f[2])))
			}
		}
		rows, columns, values = append(rows, i), append(columns, j), append(values, v)
	}
	for {
		text, err := m.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(text) > 0 && text[0] != '%' {
			return nil, m.bad("there is more than the %d entries of its header", m.shape.Entries).Suggest("the file is corrupt")
		}
	}
	a, err := OfTriplets(m.o, int(m.shape.Rows), int(m.shape.Columns), rows, columns, values)
	if err != nil {
		return nil, err
	}
	return Single(m.o, a)
}

// place parses a number from 1 to most and subtracts 1; it returns -1 if the number is invalid.
func place(text []byte, most int64) int32 {
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return -1
		}
		if n = 10*n + int64(c-'0'); n > most {
			return -1
		}
	}
	return int32(n - 1)
}
