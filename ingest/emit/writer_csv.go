package emit

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unicode/utf8"
)

// csvSink writes the columns of a map as CSV, with the embedding as embedding_0, embedding_1, ...
// Numbers have the shortest form that reads back as the same number. Null is an empty field.
type csvSink struct {
	textFile
	csv *csv.Writer
}

func newCSVSink(w io.Writer, gzipped bool) *csvSink {
	s := &csvSink{textFile: newTextFile(w, gzipped)}
	s.csv = csv.NewWriter(s.buf)
	return s
}

func (s *csvSink) write(o *Output) error {
	t, err := o.table(textLayout)
	if err != nil {
		return err
	}
	names := t.Names()
	first, err := s.begin(names)
	if err == nil && first {
		err = s.csv.Write(names)
	}
	if err != nil {
		return err
	}
	cols, row, texts := t.Columns(), make([]string, len(names)), o.nestedTexts()
	for i := range o.Len() {
		for k, c := range cols {
			if text := texts[c.Name()]; text != nil {
				row[k] = text(o, i)
				continue
			}
			row[k] = readable(c.Text(i))
		}
		if err := s.csv.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// readable returns text with invalid UTF-8 bytes, as binary columns may have, written as \xff.
func readable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// textLayout returns one column per dimension.
func textLayout(x vec.Matrix[float32]) []table.Column {
	all := make([]table.Column, x.Cols)
	for k := range all {
		values := make([]float32, x.Rows)
		for i := range values {
			values[i] = x.Row(i)[k]
		}
		all[k] = table.Float32Column(EmbeddingName+"_"+strconv.Itoa(k), values)
	}
	return all
}

func (s *csvSink) finish() error {
	s.csv.Flush()
	if err := s.csv.Error(); err != nil {
		return err
	}
	return s.textFile.finish()
}
