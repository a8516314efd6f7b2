package arrowipc

import "encoding/binary"

// A flatbuffer consists of tables that refer to others by offsets. It is safe to read if each
// offset is computed without overflow and the target lies within the bytes.

// buffer is the metadata of one message.
type buffer []byte

// table is a table whose vtable has been checked to lie within b. The size of inline data that a
// vtable declares is not used, because Go's builder shares vtables between tables of different
// sizes. Instead the position of each field is checked.
type table struct {
	b            buffer
	pos          int64 // of the inline data
	vtable, vlen int64
}

func (b buffer) u16(at int64) int64 { return int64(binary.LittleEndian.Uint16(b[at:])) }
func (b buffer) u32(at int64) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
func (b buffer) i32(at int64) int64 { return int64(int32(binary.LittleEndian.Uint32(b[at:]))) }
func (b buffer) i64(at int64) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// within reports whether n bytes at position at lie within b.
func (b buffer) within(at, n int64) bool {
	return at >= 0 && n >= 0 && n <= int64(len(b)) && at <= int64(len(b))-n
}

// follow returns the target of the unsigned offset at position at.
func (b buffer) follow(at int64) (int64, error) {
	if !b.within(at, 4) {
		return 0, badf("an offset lies outside the metadata")
	}
	return at + b.u32(at), nil
}

// table checks the table at pos.
func (b buffer) table(pos int64) (table, error) {
	if !b.within(pos, 4) {
		return table{}, badf("a table lies outside the metadata")
	}
	t := table{b: b, pos: pos, vtable: pos - b.i32(pos)}
	if !b.within(t.vtable, 4) {
		return table{}, badf("a vtable lies outside the metadata")
	}
	t.vlen = b.u16(t.vtable)
	if t.vlen < 4 || t.vlen%2 != 0 || !b.within(t.vtable, t.vlen) {
		return table{}, badf("a vtable is larger than the metadata")
	}
	return t, nil
}

// root returns the metadata's root table.
func (b buffer) root() (table, error) {
	pos, err := b.follow(0)
	if err != nil {
		return table{}, err
	}
	return b.table(pos)
}

// field returns the position of field i, of n bytes inline, or 0 if the field is absent.
func (t table) field(i, n int64) (int64, error) {
	slot := 4 + 2*i
	if slot+2 > t.vlen {
		return 0, nil
	}
	off := t.b.u16(t.vtable + slot)
	if off == 0 {
		return 0, nil
	}
	if off < 4 || !t.b.within(t.pos+off, n) {
		return 0, badf("field %d of a table lies outside the metadata", i)
	}
	return t.pos + off, nil
}

// scalar returns an integer field of n bytes (1, 2, 4 or 8), or fallback if it is absent.
func (t table) scalar(i, n, fallback int64) (int64, error) {
	at, err := t.field(i, n)
	if err != nil || at == 0 {
		return fallback, err
	}
	switch n {
	case 1:
		return int64(t.b[at]), nil
	case 2:
		return int64(int16(t.b.u16(at))), nil
	case 4:
		return t.b.i32(at), nil
	}
	return t.b.i64(at), nil
}

// child returns the table that field i refers to, or false if the field is absent.
func (t table) child(i int64) (table, bool, error) {
	at, err := t.field(i, 4)
	if err != nil || at == 0 {
		return table{}, false, err
	}
	to, err := t.b.follow(at)
	if err != nil {
		return table{}, false, err
	}
	c, err := t.b.table(to)
	return c, err == nil, err
}

// vector returns the position and the number of the elements of field i, of size bytes each.
func (t table) vector(i, size int64) (start, n int64, err error) {
	at, err := t.field(i, 4)
	if err != nil || at == 0 {
		return 0, 0, err
	}
	to, err := t.b.follow(at)
	if err != nil {
		return 0, 0, err
	}
	if !t.b.within(to, 4) {
		return 0, 0, badf("a vector lies outside the metadata")
	}
	n = t.b.u32(to)
	if !t.b.within(to+4, n*size) {
		return 0, 0, badf("a vector of %d elements is larger than the metadata", n)
	}
	return to + 4, n, nil
}

// tables calls f for every table of the vector of tables in field i.
func (t table) tables(i int64, f func(table) error) error {
	start, n, err := t.vector(i, 4)
	for k := int64(0); k < n && err == nil; k++ {
		var to int64
		if to, err = t.b.follow(start + 4*k); err != nil {
			return err
		}
		var c table
		if c, err = t.b.table(to); err == nil {
			err = f(c)
		}
	}
	return err
}

// text returns the string in field i, "" if it is absent or invalid.
func (t table) text(i int64) string {
	start, n, err := t.vector(i, 1)
	if err != nil {
		return ""
	}
	return string(t.b[start : start+n])
}

// strings checks fields that are strings.
func (t table) strings(fields ...int64) error {
	for _, i := range fields {
		if _, _, err := t.vector(i, 1); err != nil {
			return err
		}
	}
	return nil
}
