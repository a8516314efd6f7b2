package parquetcheck

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"
)

// writer writes compact Thrift, for files made by hand.
type writer struct{ b []byte }

func (w *writer) varint(v uint64) *writer {
	w.b = binary.AppendUvarint(w.b, v)
	return w
}

// field starts a field; delta counts from the field before.
func (w *writer) field(delta, typ byte) *writer {
	w.b = append(w.b, delta<<4|typ)
	return w
}

func (w *writer) i32(delta byte, v int64) *writer {
	return w.field(delta, tI32).varint(uint64(v<<1) ^ uint64(v>>63))
}
func (w *writer) i64(delta byte, v int64) *writer {
	return w.field(delta, tI64).varint(uint64(v<<1) ^ uint64(v>>63))
}
func (w *writer) text(delta byte, s string) *writer {
	w.field(delta, tBinary).varint(uint64(len(s)))
	w.b = append(w.b, s...)
	return w
}
func (w *writer) list(delta, n, typ byte) *writer {
	w.field(delta, tList)
	w.b = append(w.b, n<<4|typ)
	return w
}
func (w *writer) stop() *writer {
	w.b = append(w.b, 0)
	return w
}

// sample is a file of one int64 column of two rows in one page, whose figures
// can be changed before it is written.
type sample struct {
	values, pageValues, rows, groupRows int64
	uncompressed, compressed            int64
	chunkSize, offset                   int64
	codec, typ, schemaTyp, pageTyp      int64
	crc                                 bool
	crcOff                              uint32
	children, columns                   byte
}

func good() sample {
	return sample{values: 2, pageValues: 2, rows: 2, groupRows: 2, uncompressed: 16, compressed: 16, chunkSize: -1, offset: 4,
		typ: int64Type, schemaTyp: int64Type, children: 1, columns: 1}
}

func (s sample) bytes() []byte {
	data := make([]byte, 16)
	p := new(writer)
	p.i32(1, s.pageTyp).i32(1, s.uncompressed).i32(1, s.compressed)
	header := byte(2) // field 5, the data page's, after field 3
	if s.crc {
		p.i32(1, int64(int32(crc32.ChecksumIEEE(data)+s.crcOff)))
		header = 1
	}
	if s.pageTyp == dictionaryPage {
		header += 2 // field 7
	}
	p.field(header, tStruct).i32(1, s.pageValues).i32(1, 0).i32(1, 3).i32(1, 3).stop().stop()

	if s.chunkSize < 0 {
		s.chunkSize = int64(len(p.b)) + 16
	}
	f := new(writer)
	f.i32(1, 1).list(1, 2, tStruct)
	f.text(4, "root").i32(1, int64(s.children)).stop()
	f.i32(1, s.schemaTyp).i32(2, 0).text(1, "x").stop()
	f.i64(1, s.rows).list(1, 1, tStruct)
	f.list(1, s.columns, tStruct)
	for range s.columns {
		f.i64(2, 4).field(1, tStruct)
		f.i32(1, s.typ).list(1, 1, tI32).varint(0).list(1, 1, tBinary).varint(1)
		f.b = append(f.b, 'x')
		f.i32(1, s.codec).i64(1, s.values).i64(1, s.chunkSize).i64(1, s.chunkSize).i64(2, s.offset).stop().stop()
	}
	f.i64(1, 100).i64(1, s.groupRows).stop().stop()

	out := append([]byte(magic), p.b...)
	out = append(append(out, data...), f.b...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f.b)))
	return append(out, magic...)
}

// check opens a file and checks every column.
func check(b []byte) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
	if err != nil {
		return err
	}
	var groups []int
	for i := range f.footer.groups {
		groups = append(groups, i)
	}
	for leaf := range f.leaves {
		if err := f.Supported(leaf, groups); err != nil {
			return err
		}
		if err := f.Column(leaf, groups); err != nil {
			return err
		}
	}
	return nil
}

func TestGoodFile(t *testing.T) {
	if err := check(good().bytes()); err != nil {
		t.Error(err)
	}
	s := good()
	s.crc = true
	if err := check(s.bytes()); err != nil {
		t.Errorf("with a checksum: %v", err)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sample)
		want   string
	}{
		{"rows of the group", func(s *sample) { s.groupRows = -1 }, "says it has -1 rows"},
		{"values of the chunk", func(s *sample) { s.values = 1 << 40 }, "values for 2 rows"},
		{"values of the page", func(s *sample) { s.pageValues = 1 }, "its pages have 1 of 2"},
		{"too many values in the page", func(s *sample) { s.pageValues = 1 << 29 }, "says it has 536870912 values"},
		{"negative values", func(s *sample) { s.pageValues = -2 }, "says it has -2 values"},
		{"page outside", func(s *sample) { s.compressed = 1 << 20 }, "outside the column"},
		{"negative page", func(s *sample) { s.compressed = -1 }, "outside the column"},
		{"decompressed size", func(s *sample) { s.uncompressed = 1<<31 - 1 }, "decompressed"},
		{"unknown compression", func(s *sample) { s.codec = 9 }, "compression 9"},
		{"LZO", func(s *sample) { s.codec = 3 }, "LZO, is not supported"},
		{"chunk outside", func(s *sample) { s.chunkSize = 1 << 40 }, "outside the file"},
		{"chunk that ends within its page", func(s *sample) { s.chunkSize = 20 }, "outside the column"},
		{"chunk before the file", func(s *sample) { s.offset = 0 }, "outside the file"},
		{"type of the column", func(s *sample) { s.typ = byteArray }, "in the schema"},
		{"unknown type", func(s *sample) { s.schemaTyp = 99 }, "type 99"},
		{"page type", func(s *sample) { s.pageTyp = 7 }, "its type is 7"},
		{"a dictionary without room", func(s *sample) { s.pageTyp, s.pageValues = dictionaryPage, 3 }, "dictionary of 3 values"},
		{"checksum", func(s *sample) { s.crc, s.crcOff = true, 1 }, "checksum"},
		{"too many children", func(s *sample) { s.children = 9 }, "9 children"},
		{"columns of the group", func(s *sample) { s.columns = 2 }, "has 2 columns, the schema 1"},
	} {
		s := good()
		c.change(&s)
		if err := check(s.bytes()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestEveryPrefixIsRefused(t *testing.T) {
	b := good().bytes()
	for n := range b {
		if check(b[:n]) == nil {
			t.Errorf("%d of %d bytes pass", n, len(b))
		}
	}
}

// Nothing that a byte can be makes the check panic.
func TestEveryByte(t *testing.T) {
	b := good().bytes()
	passed := 0
	for i := range b {
		for v := range 256 {
			bad := bytes.Clone(b)
			bad[i] = byte(v)
			if check(bad) == nil {
				passed++
			}
		}
	}
	// The values themselves are not looked at: 16 bytes may be anything.
	if passed < 16*256 {
		t.Errorf("only %d of %d pass", passed, 256*len(b))
	}
}

func TestThriftNestsWithBound(t *testing.T) {
	deep := bytes.Repeat([]byte{1<<4 | tStruct}, 1000)
	c := &cursor{b: deep}
	c.skip(tStruct)
	if c.err == nil || !strings.Contains(c.err.Error(), "nested") {
		t.Errorf("error %v", c.err)
	}
	c = &cursor{b: []byte{0xF0 | tList, 0xff, 0xff, 0xff, 0xff, 0x0f}}
	c.skip(tList)
	if c.err != errShort {
		t.Errorf("a list longer than the data: %v", c.err)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(good().bytes())
	f.Fuzz(func(_ *testing.T, b []byte) { _ = check(b) })
}
