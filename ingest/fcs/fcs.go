// Package fcs reads files of flow cytometry, FCS 2.0 to 3.2. A file has a header with offsets, a
// text of keywords, and events, one per row, whose values are floats or integers of 8 to 64 bits. A
// parameter becomes a column with its long name ($PnS), or otherwise its short one ($PnN).
package fcs

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

const (
	maxText    = 16 << 20
	maxColumns = 1 << 14
)

// parameter is a column.
type parameter struct {
	name  string
	width int    // bytes
	mask  uint64 // of an integer
}

type reader struct {
	in         io.Reader
	close      func() error
	origin     table.Origin
	parameters []parameter
	kind       byte // F, D or I
	order      binary.ByteOrder
	row        int // bytes
	rows       int64
	batch      int
}

// NewReader reads such a file.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var head [58]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	o := in.Origin
	keys, err := keywords(f, o, head[:], size)
	if err != nil {
		return nil, err
	}
	r := &reader{close: in.Close, origin: o}
	if err := r.describe(keys); err != nil {
		return nil, err
	}
	from, to := offset(head[26:34]), offset(head[34:42])
	if from <= 0 || to <= 0 { // for offsets beyond 99,999,999 bytes the text contains them
		from, to = offset([]byte(keys["$BEGINDATA"])), offset([]byte(keys["$ENDDATA"]))
	}
	r.rows = offset([]byte(keys["$TOT"]))
	if r.rows < 0 || r.rows > math.MaxInt64/int64(r.row) {
		return nil, o.Bad("its text says %q events ($TOT)", table.Clip(keys["$TOT"]))
	}
	if want := r.rows * int64(r.row); r.rows > 0 && (from < 58 || to >= size || to+1-from < want) {
		return nil, o.Bad("its text says %d events, which take %d bytes, and there is not as much", r.rows, want).Suggest("the file is truncated; get it again")
	}
	r.in = io.NewSectionReader(f, from, r.rows*int64(r.row))
	r.batch = max(1, min(batchRows, 8<<20/r.row))
	return r, nil
}

// offset parses a number between blanks; -1 if there is none.
func offset(b []byte) int64 {
	v, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return -1
	}
	return v
}

// keywords parses the text: a separator, followed by names and values with separators in between. A
// double separator is part of a value.
func keywords(f *os.File, o table.Origin, head []byte, size int64) (map[string]string, error) {
	from, to := offset(head[10:18]), offset(head[18:26])
	if from < 58 || to <= from || to >= size || to-from > maxText {
		return nil, o.Bad("its header says its text lies at bytes %d to %d of %d", from, to, size).Suggest("the file is corrupt or truncated")
	}
	raw := make([]byte, to-from+1)
	if _, err := f.ReadAt(raw, from); err != nil {
		return nil, input.ReadError(o, err)
	}
	sep := string(raw[:1])
	const kept = "\x00"
	text := strings.ReplaceAll(string(raw[1:]), sep+sep, kept)
	parts := strings.Split(text, sep)
	keys := map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		keys[strings.ToUpper(strings.TrimSpace(strings.ReplaceAll(parts[i], kept, sep)))] = strings.TrimSpace(strings.ReplaceAll(parts[i+1], kept, sep))
	}
	return keys, nil
}

// describe sets the parameters and the encoding of the events from the text.
func (r *reader) describe(keys map[string]string) error {
	o := r.origin
	if mode := keys["$MODE"]; mode != "L" && mode != "" {
		return o.Bad("its mode is %q; lists of events (L) are read", table.Clip(mode))
	}
	switch order := strings.ReplaceAll(keys["$BYTEORD"], " ", ""); {
	case strings.HasPrefix(order, "1,2"), order == "1":
		r.order = binary.LittleEndian
	case strings.HasSuffix(order, "2,1"):
		r.order = binary.BigEndian
	default:
		return o.Bad("its byte order is %q", table.Clip(order))
	}
	if r.kind = (keys["$DATATYPE"] + " ")[0]; r.kind != 'F' && r.kind != 'D' && r.kind != 'I' {
		return o.Bad("its data type is %q; F, D and I are read", table.Clip(keys["$DATATYPE"]))
	}
	n := offset([]byte(keys["$PAR"]))
	if n < 1 || n > maxColumns {
		return o.Bad("its text says %q parameters", table.Clip(keys["$PAR"]))
	}
	seen := map[string]bool{}
	for i := 1; i <= int(n); i++ {
		key := func(what string) string { return keys["$P"+strconv.Itoa(i)+what] }
		width := offset([]byte(key("B")))
		if width%8 != 0 || width < 8 || width > 64 || r.kind == 'F' && width != 32 || r.kind == 'D' && width != 64 {
			return o.Bad("parameter %d has %q bits", i, table.Clip(key("B")))
		}
		p := parameter{name: key("S"), width: int(width / 8), mask: math.MaxUint64}
		if p.name == "" {
			p.name = key("N")
		}
		if p.name == "" || seen[p.name] {
			p.name = strings.TrimSpace(fmt.Sprintf("%s %s", key("N"), p.name))
		}
		if p.name == "" || seen[p.name] {
			p.name = fmt.Sprintf("%s P%d", p.name, i)
		}
		seen[p.name] = true
		// Bits beyond the range are noise of the instrument.
		if most, err := strconv.ParseUint(key("R"), 10, 64); err == nil && most > 1 && r.kind == 'I' {
			p.mask = 1<<bits.Len64(most-1) - 1
		}
		r.parameters = append(r.parameters, p)
		r.row += p.width
	}
	return nil
}

func (r *reader) Close() error           { return r.close() }
func (r *reader) NumRows() (int64, bool) { return r.rows, true }

func (r *reader) Schema() table.Schema {
	out := make(table.Schema, len(r.parameters))
	for i, p := range r.parameters {
		out[i] = table.Field{Name: p.name, Type: "float64", Kind: table.Number}
	}
	return out
}

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := int(min(int64(r.batch), r.rows-r.origin.Row))
	if n <= 0 {
		return nil, io.EOF
	}
	raw := make([]byte, n*r.row)
	if _, err := io.ReadFull(r.in, raw); err != nil {
		return nil, input.ReadError(r.origin, err)
	}
	columns, at := make([]table.Column, len(r.parameters)), 0
	for k, p := range r.parameters {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.value(raw[i*r.row+at:], p)
		}
		columns[k] = table.Float64Column(p.name, values)
		at += p.width
	}
	t, err := table.NewTable(r.origin, columns...)
	r.origin.Row += int64(n)
	return t, err
}

// value reads a value of a parameter.
func (r *reader) value(b []byte, p parameter) float64 {
	switch r.kind {
	case 'F':
		return float64(math.Float32frombits(r.order.Uint32(b)))
	case 'D':
		return math.Float64frombits(r.order.Uint64(b))
	}
	v := uint64(0)
	for i := range p.width {
		c := b[i]
		if r.order == binary.LittleEndian {
			c = b[p.width-1-i]
		}
		v = v<<8 | uint64(c)
	}
	return float64(v & p.mask)
}
