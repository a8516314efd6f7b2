package emit

import "io"

// jsonSink writes JSON lines: one object per row, with the columns of a map under their names.
type jsonSink struct{ textFile }

func newJSONSink(w io.Writer, gzipped bool) *jsonSink { return &jsonSink{newTextFile(w, gzipped)} }

func (s *jsonSink) write(o *Output) error {
	t, err := o.table(fixedLayout)
	if err != nil {
		return err
	}
	if _, err := s.begin(t.Names()); err != nil {
		return err
	}
	lines, err := JSON{lines: true}.Encode(o)
	if err != nil {
		return err
	}
	_, err = s.buf.Write(lines)
	return err
}
