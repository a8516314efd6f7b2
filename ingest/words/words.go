// Package words reads word vectors of word2vec, fastText and GloVe. A text file has a word and its
// numbers per line. In word2vec's files a line with the number of words and the length of the
// vectors comes first. In word2vec's binary form the numbers are float32 in little-endian order.
package words

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// firstLine is word2vec's first line: rows and length.
var firstLine = regexp.MustCompile(`^([0-9]{1,12}) ([0-9]{1,7})[ \t]*\r?\n`)

// gloveDim is the minimum length of vectors without such a line, because a table separated by
// blanks may have row names, too.
const gloveDim = 25

const (
	maxDim  = dense.MaxRow / 4
	maxWord = 1 << 16
	maxLine = 64 << 20
)

// Is reports whether head begins such a file.
func Is(head []byte) bool {
	if m := firstLine.FindSubmatch(head); m != nil {
		dim, _ := strconv.Atoi(string(m[2]))
		rest := head[len(m[0]):]
		return dim > 0 && dim <= maxDim && (isLine(rest, dim) || isBinary(rest, dim))
	}
	line, rest, more := bytes.Cut(head, []byte("\n"))
	if !more {
		return false
	}
	dim := bytes.Count(bytes.TrimRight(line, " \r"), []byte(" "))
	return dim >= gloveDim && !startsWithNumber(head) && isLine(head, dim) && (len(rest) == 0 || isLine(rest, dim))
}

// isLine reports whether a line has a word and dim numbers. An incomplete line is judged by its
// complete part.
func isLine(text []byte, dim int) bool {
	line, _, whole := bytes.Cut(text, []byte("\n"))
	fields := strings.Split(strings.TrimRight(string(line), " \r"), " ")
	if !whole && len(fields) > 1 {
		fields = fields[:len(fields)-1]
	}
	if whole && len(fields) != dim+1 || len(fields) < 2 || len(fields) > dim+1 || fields[0] == "" {
		return false
	}
	if len(fields[0]) > 1 && strings.ContainsAny(fields[0], ",;\t\"") {
		return false // a comma indicates fields of a table, but a single comma may be a word
	}
	for _, f := range fields[1:] {
		if _, err := strconv.ParseFloat(f, 64); err != nil {
			return false
		}
	}
	return true
}

// startsWithNumber reports whether there is a number before the first blank, as in a table of
// numbers.
func startsWithNumber(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte(" "))
	_, err := strconv.ParseFloat(string(first), 64)
	return err == nil
}

// isBinary reports whether rest has a word, a blank and the bytes of dim float32, which are not
// text.
func isBinary(rest []byte, dim int) bool {
	rest = bytes.TrimLeft(rest, "\n")
	i := bytes.IndexByte(rest, ' ')
	if i < 1 || !utf8.Valid(rest[:i]) {
		return false
	}
	numbers := rest[i+1:]
	numbers = numbers[:min(len(numbers), 4*dim)]
	numbers = numbers[:len(numbers)&^3]
	for k := 0; k < len(numbers); k += 4 {
		if v := math.Float32frombits(binary.LittleEndian.Uint32(numbers[k:])); v-v != 0 || v != 0 && (math.Abs(float64(v)) < 1e-20 || math.Abs(float64(v)) > 1e20) {
			return false
		}
	}
	return len(numbers) > 0 && (!utf8.Valid(numbers) || bytes.IndexByte(numbers, 0) >= 0)
}

// reader reads words and vectors.
type reader struct {
	in     *bufio.Reader
	close  func() error
	origin table.Origin
	rows   int64 // -1 if unknown
	dim    int
	binary bool
	batch  int
	before int64 // lines before the first row
}

// WordName is the column of words.
const WordName = "word"

// NewReader reads such a file.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	r := &reader{in: in.Reader, close: in.Close, origin: in.Origin, rows: -1}
	head, _ := in.Peek(min(in.Buffered(), 1<<16))
	if m := firstLine.FindSubmatch(head); m != nil {
		r.rows, _ = strconv.ParseInt(string(m[1]), 10, 64)
		r.dim, _ = strconv.Atoi(string(m[2]))
		r.binary = !isLine(head[len(m[0]):], r.dim)
		r.before = 1
		in.Discard(len(m[0]))
	} else {
		line, _, _ := bytes.Cut(head, []byte("\n"))
		r.dim = bytes.Count(bytes.TrimRight(line, " \r"), []byte(" "))
	}
	r.batch = max(1, min(batchRows, 8<<20/(4*r.dim)))
	return r, nil
}

func (r *reader) Close() error           { return r.close() }
func (r *reader) NumRows() (int64, bool) { return r.rows, r.rows >= 0 }

func (r *reader) Schema() table.Schema {
	return table.Schema{{Name: WordName, Type: "string", Kind: table.Text},
		{Name: dense.VectorName, Type: "fixed_size_list<float32>[" + strconv.Itoa(r.dim) + "]", Kind: table.Vector, Dim: r.dim}}
}

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var words []string
	var data []float32
	for len(words) < r.batch && (r.rows < 0 || r.origin.Row+int64(len(words)) < r.rows) {
		word, row, err := r.row(len(words))
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		words, data = append(words, word), append(data, row...)
	}
	if len(words) == 0 {
		return nil, r.end()
	}
	x := vec.Matrix[float32]{Rows: len(words), Cols: r.dim, Data: data}
	t, err := table.NewTable(r.origin, table.StringColumn(WordName, words), table.VectorColumn(dense.VectorName, x))
	r.origin.Row += int64(len(words))
	return t, err
}

// end checks that the number of rows is right.
func (r *reader) end() error {
	if r.rows >= 0 && r.origin.Row < r.rows {
		return r.origin.Bad("the file is truncated: its first line says %d rows, and it has %d", r.rows, r.origin.Row).Suggest("get it again")
	}
	for r.rows >= 0 {
		switch c, err := r.in.ReadByte(); {
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return input.ReadError(r.origin, err)
		case c != '\n' && c != '\r' && c != ' ':
			return r.origin.Bad("there are more rows than the %d of its first line", r.rows).Suggest("the file is corrupt")
		}
	}
	return io.EOF
}

// row reads row i of a batch.
func (r *reader) row(i int) (string, []float32, error) {
	if r.binary {
		return r.binaryRow(i)
	}
	for {
		line, err := r.line(i)
		if err != nil {
			return "", nil, err
		}
		if text := strings.TrimRight(line, " \r\n"); text != "" {
			return r.textRow(i, text)
		}
	}
}

// line reads a line of limited length.
func (r *reader) line(i int) (string, error) {
	var b strings.Builder
	for {
		piece, err := r.in.ReadSlice('\n')
		b.Write(piece)
		switch {
		case err == nil, err == io.EOF && b.Len() > 0:
			return b.String(), nil
		case err == io.EOF:
			return "", io.EOF
		case err != bufio.ErrBufferFull:
			return "", input.ReadError(r.origin, err)
		case b.Len() > min(maxWord+64*r.dim, maxLine):
			return "", r.origin.BadAt(i, "", "a line is longer than a word and %d numbers, or than %d MiB", r.dim, maxLine>>20)
		}
	}
}

// textRow parses a word, which may contain blanks, and numbers.
func (r *reader) textRow(i int, text string) (string, []float32, error) {
	row := make([]float32, r.dim)
	for k := r.dim - 1; k >= 0; k-- {
		at := strings.LastIndexByte(text, ' ')
		if at < 0 {
			return "", nil, r.origin.BadAt(i, "", "it has %d numbers behind a word, %d are expected", r.dim-1-k, r.dim)
		}
		v, err := strconv.ParseFloat(text[at+1:], 32)
		if err != nil {
			return "", nil, r.origin.BadAt(i, dense.VectorName, "element %d of the vector, %q, is no number of float32", k, table.Clip(text[at+1:]))
		}
		row[k], text = float32(v), text[:at]
	}
	if !utf8.ValidString(text) {
		return "", nil, r.origin.BadAt(i, WordName, "%q is not UTF-8", table.Clip(text))
	}
	return text, row, nil
}

// binaryRow reads a word, a blank and numbers.
func (r *reader) binaryRow(i int) (string, []float32, error) {
	var word []byte
	for {
		c, err := r.in.ReadByte()
		if err == io.EOF && len(word) == 0 {
			return "", nil, io.EOF
		}
		if err != nil {
			return "", nil, input.ReadError(r.origin, err)
		}
		if c == ' ' && len(word) > 0 {
			break
		}
		if c != '\n' || len(word) > 0 {
			word = append(word, c)
		}
		if len(word) > maxWord {
			return "", nil, r.origin.BadAt(i, WordName, "a word has more than %d bytes", maxWord)
		}
	}
	if !utf8.Valid(word) {
		word = bytes.ToValidUTF8(word, []byte("\uFFFD")) // word2vec truncates long words at any byte
	}
	raw := make([]byte, 4*r.dim)
	if _, err := io.ReadFull(r.in, raw); err != nil {
		return "", nil, input.ReadError(r.origin, err)
	}
	row := make([]float32, r.dim)
	for k := range row {
		row[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
	}
	return string(word), row, nil
}
