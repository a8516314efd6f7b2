package table

import (
	"errors"
	"strconv"
	"strings"
)

// Texts are the properties of a text file that its table does not contain: the lines of its rows,
// and the texts of fields that became null or infinity.
type Texts struct {
	Lines []int64
	texts map[fieldAt]string
}

type fieldAt struct {
	row    int
	column string
}

func (f *Texts) Keep(row int, column, text string) {
	if f.texts == nil {
		f.texts = map[fieldAt]string{}
	}
	f.texts[fieldAt{row, column}] = strings.Clone(text)
}

// Located adds the line, and the text of the field, to an error about a row of t.
func (t *Table) Located(err error) error {
	var e *Error
	if t.text == nil || !errors.As(err, &e) || e.Line > 0 {
		return err
	}
	i := int(e.Row-t.Origin.Row) + t.skip
	if e.Row < 0 || i < 0 || i >= len(t.text.Lines) {
		return err
	}
	e.Line = t.text.Lines[i]
	if text, ok := t.text.texts[fieldAt{i, e.Column}]; ok {
		e.Problem += " (" + strconv.Quote(Clip(text)) + ")"
	}
	return err
}
