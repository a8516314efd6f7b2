// Package libsvm reads lines of a label and pairs index:value, ascending, which is how libsvm,
// XGBoost and svmlight write sparse rows. Indices count from 1, or from 0 as files of XGBoost may
// do; they are kept as they are. A comment begins with #, and qid:N is passed over.
package libsvm

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

var firstLine = regexp.MustCompile(`^[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?(?:,[-+]?[0-9.]+)*[ \t]+(?:qid:[0-9]+[ \t]+)?[0-9]+:[-+0-9.]`)

// Is reports the beginning of such a file: its first lines that are no comments.
func Is(head []byte) bool {
	lines := 0
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		if lines++; !firstLine.Match(line) {
			return false
		}
		if lines == 2 {
			break
		}
	}
	return lines > 0
}

// LabelName is the column of labels, as they are written.
const LabelName = "label"

const (
	// maxLine bounds a line's bytes, maxEntries its pairs.
	maxLine    = 64 << 20
	maxEntries = 1 << 20
	// batchBytes is the number of bytes after which a table ends. A pair of four bytes takes 170 in
	// the vectors that are made of it.
	batchBytes = 4 << 20
)

var entries = arrow.ListOf(arrow.StructOf(arrow.Field{Name: "index", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float64}))

var schema = arrow.NewSchema([]arrow.Field{{Name: LabelName, Type: arrow.BinaryTypes.String}, {Name: dense.VectorName, Type: entries}}, nil)

type reader struct {
	in     *bufio.Reader
	close  func() error
	origin table.Origin
	line   int64
	batch  int
}

// NewReader reads such a file.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	return &reader{in: in.Reader, close: in.Close, origin: in.Origin, batch: batchRows}, nil
}

func (r *reader) Schema() table.Schema { return table.Describe(schema) }
func (r *reader) Close() error         { return r.close() }

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := array.NewRecordBuilder(table.Heap, schema)
	texts := &table.Texts{}
	for size := 0; len(texts.Lines) < r.batch && size < batchBytes; {
		line, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.add(b, line, len(texts.Lines))
		}
		if err != nil {
			return nil, err
		}
		texts.Lines = append(texts.Lines, r.line)
		size += len(line)
	}
	if len(texts.Lines) == 0 {
		return nil, io.EOF
	}
	t := table.OfText(r.origin, b.NewRecord(), texts)
	r.origin.Row += int64(t.Len())
	return t, nil
}

// next returns the next line that has more than a comment.
func (r *reader) next() (string, error) {
	for {
		var b strings.Builder
		for {
			piece, err := r.in.ReadSlice('\n')
			b.Write(piece)
			if err == bufio.ErrBufferFull && b.Len() < maxLine {
				continue
			}
			if err == bufio.ErrBufferFull {
				return "", r.origin.Bad("a line is longer than %d MiB", maxLine>>20)
			}
			if err == io.EOF && b.Len() > 0 {
				err = nil
			}
			if err == io.EOF {
				return "", io.EOF
			}
			if err != nil {
				return "", input.ReadError(r.origin, err)
			}
			break
		}
		r.line++
		text, _, _ := strings.Cut(b.String(), "#")
		if text = strings.TrimSpace(text); text != "" {
			return text, nil
		}
	}
}

// add reads a line.
func (r *reader) add(b *array.RecordBuilder, line string, i int) error {
	label, pairs := line, ""
	if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
		label, pairs = line[:at], line[at:]
	}
	b.Field(0).(*array.StringBuilder).Append(label)
	list := b.Field(1).(*array.ListBuilder)
	pair := list.ValueBuilder().(*array.StructBuilder)
	list.Append(true)
	entries := 0
	for f := range strings.FieldsSeq(pairs) {
		if entries++; entries > maxEntries {
			return r.origin.BadAt(i, dense.VectorName, "a line has more than %d pairs", maxEntries)
		}
		index, value, _ := strings.Cut(f, ":")
		if index == "qid" {
			continue
		}
		k, err := strconv.ParseInt(index, 10, 32)
		v, wrong := strconv.ParseFloat(value, 64)
		if err != nil || k < 0 || wrong != nil {
			e := r.origin.BadAt(i, dense.VectorName, "%q is no pair of an index and a value", table.Clip(f))
			e.Line = r.line
			return e
		}
		pair.Append(true)
		pair.FieldBuilder(0).(*array.Int32Builder).Append(int32(k))
		pair.FieldBuilder(1).(*array.Float64Builder).Append(v)
	}
	return nil
}
