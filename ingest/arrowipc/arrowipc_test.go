package arrowipc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"unfold/ingest/arrowipc"
	"unfold/ingest/ingesttest"
)

func TestGoodStreamsPass(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		checked, err := arrowipc.Check(s.Bytes, arrowipc.Limits{})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if checked.Rows != int64(s.Rows) {
			t.Errorf("%s: %d rows, want %d", s.Name, checked.Rows, s.Rows)
		}
	}
}

// A Scanner on a reader that returns single bytes yields the same frames as Check.
func TestScannerReadsLikeCheck(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		sc := arrowipc.NewScanner(iotest.OneByteReader(bytes.NewReader(s.Bytes)), arrowipc.Limits{})
		in := arrowipc.NewBytesScanner(s.Bytes, arrowipc.Limits{})
		for {
			a, errA := sc.Next()
			b, errB := in.Next()
			if errA != errB {
				t.Fatalf("%s: %v and %v", s.Name, errA, errB)
			}
			if errA == io.EOF {
				break
			}
			if a.Kind != b.Kind || a.At != b.At || a.Rows != b.Rows || !bytes.Equal(a.Meta, b.Meta) || !bytes.Equal(a.Body, b.Body) {
				t.Fatalf("%s: frames at %d and %d differ", s.Name, a.At, b.At)
			}
		}
	}
}

// Every proper prefix of a stream is reported as truncated, unless it ends after a whole message:
// this is a stream without an end marker.
func TestEveryPrefixIsTruncated(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		if len(s.Bytes) > 8000 {
			continue
		}
		whole := messageEnds(t, s.Bytes)
		for n := 1; n < len(s.Bytes); n++ {
			cut, err := arrowipc.Check(s.Bytes[:n], arrowipc.Limits{})
			rows, ends := whole[n]
			if !ends && !errors.Is(err, arrowipc.ErrTruncated) {
				t.Fatalf("%s cut to %d of %d bytes: %v", s.Name, n, len(s.Bytes), err)
			}
			if ends && (err != nil || cut.Rows != rows) {
				t.Fatalf("%s cut to %d of %d bytes: %v, want %d rows", s.Name, n, len(s.Bytes), err, rows)
			}
		}
	}
}

// messageEnds maps the end offset of each message of a stream to the number of rows up to there.
func messageEnds(t *testing.T, b []byte) map[int]int64 {
	ends, rows := map[int]int64{}, int64(0)
	s := arrowipc.NewBytesScanner(b, arrowipc.Limits{})
	for {
		f, err := s.Next()
		if err == io.EOF {
			return ends
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind == arrowipc.Record {
			rows += f.Rows
		}
		ends[int(f.At)+8+len(f.Meta)+len(f.Body)] = rows
	}
}

// An error of the source is never taken for the end of the stream, at any offset.
func TestAFailingSourceIsNoEnd(t *testing.T) {
	s := ingesttest.Streams()[0]
	for n := range s.Bytes[:len(s.Bytes)-8] {
		for _, failure := range []error{io.ErrUnexpectedEOF, iotest.ErrTimeout} {
			sc := arrowipc.NewScanner(io.MultiReader(bytes.NewReader(s.Bytes[:n]), iotest.ErrReader(failure)), arrowipc.Limits{})
			var err error
			for err == nil {
				_, err = sc.Next()
			}
			if err == io.EOF {
				t.Fatalf("%v after %d bytes passes for the end", failure, n)
			}
		}
	}
}

// The check of a damaged stream never panics, and allocates only its own bookkeeping.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	passed, refused := 0, 0
	for _, s := range ingesttest.Streams() {
		for range 2000 {
			b := ingesttest.Mutate(s.Bytes, rng)
			if _, err := arrowipc.Check(b, arrowipc.Limits{}); err == nil {
				passed++
				continue
			}
			refused++
		}
	}
	t.Logf("%d of %d mutated streams pass", passed, passed+refused)
	if refused == 0 || passed == 0 {
		t.Error("the mutations do not separate good from bad")
	}
}

func TestCheckDoesNotAllocateForRows(t *testing.T) {
	var s ingesttest.Stream
	for _, c := range ingesttest.Streams() {
		if c.Name == "all types" {
			s = c
		}
	}
	n := testing.AllocsPerRun(100, func() {
		if _, err := arrowipc.Check(s.Bytes, arrowipc.Limits{}); err != nil {
			t.Error(err)
		}
	})
	// Allocations are made for the shapes of the schema's fields, and none for buffers or rows.
	if n > 120 {
		t.Errorf("%v allocations for a schema of %d types", n, len(ingesttest.Types))
	}
}

// crafted returns a schema message: the prefix followed by the flatbuffer meta.
func crafted(meta []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0xFFFFFFFF)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(meta)))
	b = append(b, meta...)
	return append(b, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0)
}

// selfReference returns a schema whose only field is its own child, through an offset that wraps
// around 32 bits. On this schema Arrow's reader overflows its stack.
func selfReference() []byte {
	m := make([]byte, 128)
	u32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(m[at:], v) }
	u16 := func(at int, v ...uint16) {
		for i, x := range v {
			binary.LittleEndian.PutUint16(m[at+2*i:], x)
		}
	}
	u32(0, 16)                         // root
	u16(4, 10, 12, 4, 6, 8)            // message vtable: version, header type, header
	u32(16, 12)                        // message: vtable at 4
	u16(20, 4)                         // version V5
	m[22] = 1                          // a schema
	u32(24, 16)                        // header at 40
	u16(32, 8, 8, 0, 4)                // schema vtable: fields
	u32(40, 8)                         // schema: vtable at 32
	u32(44, 4)                         // fields at 48
	u32(48, 1)                         // one of them
	u32(52, 28)                        // at 80
	u16(60, 16, 16, 0, 0, 4, 8, 0, 12) // field vtable: type_type, type, children
	u32(80, 20)                        // field: vtable at 60
	m[84] = 1                          // null
	u32(88, 12)                        // type at 100
	u32(92, 12)                        // children at 104
	u16(96, 4, 4)                      // empty vtable
	u32(100, 4)                        // type: vtable at 96
	u32(104, 1)                        // one child
	back := int32(80 - 108)            // at 80, by wrapping around
	u32(108, uint32(back))
	return crafted(m)
}

func TestRefusals(t *testing.T) {
	var plain, dict, zstd []byte
	for _, s := range ingesttest.Streams() {
		switch s.Name {
		case "float64":
			plain = s.Bytes
		case "changing dictionaries":
			dict = s.Bytes
		case "all types, zstd":
			zstd = s.Bytes
		}
	}
	with := func(b []byte, f func(b []byte) []byte) []byte { return f(append([]byte(nil), b...)) }
	for _, c := range []struct {
		name string
		b    []byte
		lim  arrowipc.Limits
		want string
	}{
		{"empty", nil, arrowipc.Limits{}, "empty"},
		{"text", []byte("{\"a\": 1, \"b\": 2}"), arrowipc.Limits{}, "continuation marker"},
		{"end marker alone", []byte{255, 255, 255, 255, 0, 0, 0, 0}, arrowipc.Limits{}, "before its schema"},
		{"two gigabytes of metadata", []byte{255, 255, 255, 255, 255, 255, 255, 127}, arrowipc.Limits{}, "metadata says"},
		{"negative metadata", []byte{255, 255, 255, 255, 0, 0, 0, 128}, arrowipc.Limits{}, "metadata says"},
		{"a field that is its own child", selfReference(), arrowipc.Limits{}, "outside the metadata"},
		{"bytes after the end", append(with(plain, func(b []byte) []byte { return b }), 1), arrowipc.Limits{}, "follow the end"},
		{"two streams", append(with(plain, func(b []byte) []byte { return b }), plain...), arrowipc.Limits{}, "follow the end"},
		{"two schemas", append(with(plain, func(b []byte) []byte { return b[:schemaLen(b)] }), plain...), arrowipc.Limits{}, "one schema"},
		{"a batch before its dictionaries", withoutFrame(dict, 1), arrowipc.Limits{}, "dictionaries"},
		{"too many rows", plain, arrowipc.Limits{Rows: 3}, "rows"},
		{"too many fields", dict, arrowipc.Limits{Fields: 1}, "more than 1 fields"},
		{"decompressed size", zstd, arrowipc.Limits{Decoded: 1000}, "decompressed"},
		{"a batch that is larger than allowed", zstd, arrowipc.Limits{Body: 64}, "body says"},
		{"metadata larger than allowed", plain, arrowipc.Limits{Metadata: 8}, "metadata says"},
	} {
		_, err := arrowipc.Check(c.b, c.lim)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func schemaLen(b []byte) int { return 8 + int(binary.LittleEndian.Uint32(b[4:])) }

// withoutFrame removes message i of a stream.
func withoutFrame(b []byte, i int) []byte {
	s := arrowipc.NewBytesScanner(b, arrowipc.Limits{})
	var starts []int64
	for {
		f, err := s.Next()
		if err != nil {
			break
		}
		starts = append(starts, f.At)
	}
	return append(append([]byte(nil), b[:starts[i]]...), b[starts[i+1]:]...)
}

func FuzzCheck(f *testing.F) {
	for _, s := range ingesttest.Streams() {
		if len(s.Bytes) < 4000 {
			f.Add(s.Bytes)
		}
	}
	f.Add(selfReference())
	f.Fuzz(func(t *testing.T, b []byte) {
		checked, err := arrowipc.Check(b, arrowipc.Limits{})
		if err == nil && checked.Rows < 0 {
			t.Error("negative rows")
		}
	})
}
