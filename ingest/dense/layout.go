package dense

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unicode/utf8"
)

// texts returns a table of n strings of r.width bytes each, padded by zeros.
func (r *Reader) texts(raw []byte, n int) (*table.Table, error) {
	values := make([]string, n)
	for i := range values {
		field := raw[i*r.Width : (i+1)*r.Width]
		if r.Text == 'U' {
			values[i] = wideText(field, r.Big)
		} else {
			values[i] = string(bytes.TrimRight(field, "\x00"))
		}
		if !utf8.ValidString(values[i]) {
			return nil, r.origin.BadAt(i, valueName, "%q is not UTF-8", table.Clip(values[i])).Suggest("save the array as texts: x.astype(str)")
		}
	}
	t, err := table.NewTable(r.origin, table.StringColumn(valueName, values))
	r.origin.Row += int64(n)
	return t, err
}

// wideText decodes UTF-32 up to the zeros at its end.
func wideText(field []byte, big bool) string {
	order := binary.ByteOrder(binary.LittleEndian)
	if big {
		order = binary.BigEndian
	}
	var b strings.Builder
	for ; len(field) >= 4; field = field[4:] {
		b.WriteRune(rune(order.Uint32(field)))
	}
	return strings.TrimRight(b.String(), "\x00")
}

// Transpose prepares r for an array that is stored with its first index fastest. The array is read
// at several positions: from the file, or from a copy of its unread rest.
func (r *Reader) Transpose(in *input.Source, dims []int64, header int64) error {
	if r.rows == 0 {
		return nil
	}
	want := r.rows * int64(r.dim) * int64(r.Width)
	f, size, err := in.Seekable(want + 1)
	if err != nil {
		return err
	}
	base := int64(0)
	if f == in.File {
		base = header
	}
	if size-base > want {
		return r.origin.Bad("there is more data than the header's %d rows", r.rows).Suggest("the file is corrupt")
	}
	if size-base < want {
		return r.origin.Bad("its header says %d rows, which take %d bytes, and it has %d", r.rows, want, size-base).Suggest("the file is truncated; get it again")
	}
	r.in = &transposed{at: f, base: base, rows: r.rows, width: r.Width, dims: dims[1:], dim: r.dim,
		block: int(min(r.rows, int64(max(1, 8<<20/(r.dim*r.Width)))))}
	return nil
}

// columnOf returns the position, with the first index fastest, of an element of a row that is at k
// with the last index fastest.
func columnOf(k int64, dims []int64) int64 {
	rest := int64(1)
	for _, d := range dims {
		rest *= d
	}
	at, stride := int64(0), int64(1)
	for _, d := range dims {
		rest /= d
		at += k / rest * stride
		k %= rest
		stride *= d
	}
	return at
}

// transposed returns the rows of an array that is stored by columns, in blocks.
type transposed struct {
	at    io.ReaderAt
	base  int64
	rows  int64
	width int
	dims  []int64 // of a row
	dim   int     // their product
	block int     // number of rows read at once
	next  int64
	left  []byte
}

func (t *transposed) Read(p []byte) (int, error) {
	if len(t.left) == 0 {
		if t.next == t.rows {
			return 0, io.EOF
		}
		if err := t.gather(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

func (t *transposed) gather() error {
	n := int(min(int64(t.block), t.rows-t.next))
	per := t.dim * t.width
	t.left = make([]byte, n*per)
	column := make([]byte, n*t.width)
	for k := range t.dim {
		c := columnOf(int64(k), t.dims)
		if _, err := t.at.ReadAt(column, t.base+(c*t.rows+t.next)*int64(t.width)); err != nil {
			return err
		}
		for i := range n {
			copy(t.left[i*per+k*t.width:], column[i*t.width:(i+1)*t.width])
		}
	}
	t.next += int64(n)
	return nil
}
