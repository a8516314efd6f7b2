package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// A cursor whose memory is full returns the messages it has, and reads the others later.
func TestFullRoom(t *testing.T) {
	values := make([][]byte, 3000)
	for i := range values {
		values[i] = bytes.Repeat([]byte{byte(i)}, 200)
	}
	for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
		room := stream.NewQueue(1<<20, 1)[0]
		c := cursorOver(encoded(t, codec, 0, values...), 0)
		var got []stream.Message
		var runs int
		for len(got) < len(values) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			run, err := c.read(ctx, room)
			cancel()
			if err != nil {
				t.Fatalf("%v: after %d messages: %v", codec, len(got), err)
			}
			runs++
			got = append(got, run.Messages...)
			room.Give(run.Bytes)
		}
		for i, m := range got {
			if m.Offset != int64(i) || !bytes.Equal(m.Value, values[i]) {
				t.Fatalf("%v: message %d is offset %d, %d bytes", codec, i, m.Offset, len(m.Value))
			}
		}
		if free := int64(1<<20 - 1<<18); !room.Try(free) || room.Try(1) {
			t.Errorf("%v: after %d runs not all of the room is free, or more", codec, runs)
		}
	}
	// An error in the middle of a batch releases all reserved memory.
	for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
		room := stream.NewQueue(64<<20, 1)[0]
		c := cursorOver(encoded(t, codec, 0, values...), 0)
		if _, err := c.read(t.Context(), room); err != nil {
			t.Fatal(err)
		}
		run := c.finish()
		c.forget()
		room.Give(run.Bytes)
		if c.batch != nil || len(c.rest) > 0 || c.surplus != 0 || c.credit != 0 {
			t.Errorf("%v: something of the answer is kept", codec)
		}
	}
}

// A run counts the bytes of its records, messages and header names. Consecutive messages share
// equal header names.
func TestCountedBytes(t *testing.T) {
	var headers []stream.Header
	for i := range usualHeaders + 1 {
		headers = append(headers, stream.Header{Key: fmt.Sprint("a long name of a header ", i)})
	}
	other := append([]stream.Header{{Key: "another"}}, headers[1:]...)
	var records []byte
	want := int64(0)
	for i, h := range [][]stream.Header{headers, headers, other, nil} {
		records = append(records, kmsgRecord(0, int64(i), []byte("k"), make([]byte, 100), h)...)
		m := stream.Message{Headers: h}
		want += m.Overhead()
		for _, h := range h {
			want += int64(len(h.Key))
		}
	}
	want += int64(len(records))
	b := kmsg.RecordBatch{FirstOffset: 7, Magic: 2, ProducerID: -1, LastOffsetDelta: 3, NumRecords: 4, Records: records}
	run, err := cursorOver(seals(b), 7).read(t.Context(), nil)
	if err != nil || len(run.Messages) != 4 || run.Bytes != want {
		t.Fatalf("%d messages of %d bytes, %v; want %d bytes", len(run.Messages), run.Bytes, err, want)
	}
	name := func(m, i int) *byte { return unsafe.StringData(run.Messages[m].Headers[i].Key) }
	for i := range headers {
		if same := name(0, i) == name(1, i); same != (i < usualHeaders) {
			t.Errorf("header %d: the same name in two messages is kept once: %v", i, same)
		}
	}
	if name(2, 0) == name(1, 0) || run.Messages[2].Headers[0].Key != "another" || run.Messages[2].Headers[1].Key != headers[1].Key {
		t.Errorf("another name reads as %q", run.Messages[2].Headers[0].Key)
	}
}

// The memory for decompression, and the decompressed size, are estimated from the first bytes of
// compressed data.
func TestCosts(t *testing.T) {
	be := binary.BigEndian
	block := func(size, length int) []byte { // of snappy, with the given decompressed length in its head
		return append(binary.AppendUvarint(nil, uint64(size)), make([]byte, length-len(binary.AppendUvarint(nil, uint64(size))))...)
	}
	framed := func(blocks ...[]byte) []byte {
		out := append(bytes.Clone(snappyFramed), 0, 0, 0, 1, 0, 0, 0, 1)
		for _, b := range blocks {
			out = append(be.AppendUint32(out, uint32(len(b))), b...)
		}
		return out
	}
	frame := func(descriptor byte, more ...byte) []byte {
		return append([]byte{0x28, 0xb5, 0x2f, 0xfd, descriptor}, append(more, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)...)
	}
	lz4 := func(descriptor byte) []byte { return []byte{4, 34, 77, 24, 64, descriptor} }
	for name, c := range map[string]struct {
		codec      kafka.Compression
		data       []byte
		cost, hint int64
		why        string
	}{
		"gzip":                  {kafka.Gzip, []byte{9, 0, 2, 1, 0}, codecBytes, 0x10200, ""},
		"just a length":         {kafka.Gzip, []byte{1, 2, 0, 0}, codecBytes, 513, ""},
		"short gzip":            {kafka.Gzip, []byte{1, 2, 3}, codecBytes, 0, ""},
		"lz4 of 64 kB":          {kafka.Lz4, lz4(4 << 4), codecBytes + 2<<16, 0, ""},
		"lz4 of 4 MB":           {kafka.Lz4, lz4(7 << 4), codecBytes + 2<<22, 0, ""},
		"lz4 of 64 kB, flagged": {kafka.Lz4, lz4(4<<4 | 0x8f), codecBytes + 2<<16, 0, ""},
		"short lz4":             {kafka.Lz4, lz4(4 << 4)[:5], codecBytes + 2<<22, 0, ""},
		"one block":             {kafka.Snappy, block(220, 10), 220, 220, ""},
		"too good a block":      {kafka.Snappy, block(221, 10), 0, 0, "corrupt"},
		"no snappy":             {kafka.Snappy, nil, 0, 0, ""},
		"framed":                {kafka.Snappy, framed(block(50, 10), block(200, 10), block(30, 10)), 200, 280, ""},
		"an empty frame":        {kafka.Snappy, framed(), 0, 0, ""},
		"an empty block":        {kafka.Snappy, framed(nil, block(50, 10)), 50, 50, ""},
		"half a length":         {kafka.Snappy, append(framed(block(50, 10)), 0, 0, 0), 0, 0, "unexpected EOF"},
		"a length alone":        {kafka.Snappy, append(framed(block(50, 10)), 0, 0, 0, 0), 50, 50, ""},
		"half a block":          {kafka.Snappy, framed(block(50, 10))[:29], 0, 0, "unexpected EOF"},
		"a frame's first bytes": {kafka.Snappy, snappyFramed, 0, 0, "corrupt"},
		"the widest zstd":       {kafka.Zstd, frame(0, 17<<3), zstdBytes + 128<<20, 0, ""},
		"too wide a zstd":       {kafka.Zstd, frame(0, 17<<3|1), 0, 0, "its window of"},
		"one segment":           {kafka.Zstd, frame(0x20, 200), zstdBytes + 200, 200, ""},
		"a size":                {kafka.Zstd, frame(0x80, 1<<3, 0, 0, 0, 1), zstdBytes + 2<<10, 1 << 24, ""},
		"too large a size":      {kafka.Zstd, frame(0xc0, 1<<3, 0, 0, 0, 0, 0, 0, 1, 0), zstdBytes + 2<<10, 1 << 40, ""},
		"no zstd":               {kafka.Zstd, []byte("zstd"), 0, 0, "cannot be decompressed"},
		"another codec":         {7, nil, 0, 0, "codec 7 is not supported"},
	} {
		cost, hint, err := (&codecs{}).cost(c.codec, c.data)
		if cost != c.cost || hint != c.hint || (err != nil) != (c.why != "") || err != nil && (!strings.Contains(err.Error(), c.why) || !errors.Is(err, errCodec)) {
			t.Errorf("%s: %d and %d bytes, %v; want %d and %d, %s", name, cost, hint, err, c.cost, c.hint, c.why)
		}
	}
}

// Decoders of zstd with small windows are reused, others are closed.
func TestDecodersAreKept(t *testing.T) {
	seen := map[*zstd.Decoder]bool{}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	data := w.EncodeAll([]byte("text"), nil)
	for cost, kept := range map[int64]bool{zstdBytes + keptWindow: true, zstdBytes + keptWindow + 1: false} {
		var c codecs
		for range 100 {
			r, err := c.open(kafka.Zstd, data, cost)
			if err != nil {
				t.Fatal(err)
			}
			z := r.(*zstdReader)
			got, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil || string(got) != "text" {
				t.Fatalf("%q, %v", got, err)
			}
			if kept {
				seen[z.Decoder] = true
			} else if err := z.Decoder.Reset(bytes.NewReader(data)); !errors.Is(err, zstd.ErrDecoderClosed) {
				t.Fatalf("a decoder with a large window is left open: %v", err)
			}
		}
	}
	if len(seen) > 60 {
		t.Errorf("%d decoders were made for 100 batches", len(seen))
	}
}

// Blocks of snappy are read in pieces of any size.
func TestSnappyInPieces(t *testing.T) {
	var packed bytes.Buffer
	w := kafka.Snappy.Codec().NewWriter(&packed)
	text := make([]byte, 200_000)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1000, 32 << 10, 64 << 10, 1 << 20} {
		for _, data := range [][]byte{packed.Bytes(), snappy.Encode(nil, text)} {
			s, got, p := newSnappyReader(data), []byte(nil), make([]byte, n)
			for {
				k, err := s.Read(p)
				got = append(got, p[:k]...)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || k == 0 {
					t.Fatalf("pieces of %d: %d bytes, %v", n, k, err)
				}
			}
			if !bytes.Equal(got, text) {
				t.Errorf("pieces of %d: %d bytes are not those that were written", n, len(got))
			}
		}
	}
}

// Fields that would end after their record leave nothing to read.
func TestRecordFields(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		read  func(d *fields) any
		want  any
		rest  int // -1: too short
	}{
		{[]byte{1, 2}, func(d *fields) any { return len(d.next(2)) }, 2, 0},
		{[]byte{1, 2}, func(d *fields) any { return len(d.next(3)) }, 0, -1},
		{[]byte{1, 2}, func(d *fields) any { return len(d.next(-1)) }, 0, -1},
		{[]byte{1, 2}, func(d *fields) any { return len(d.next(0)) }, 0, 2},
		{nil, func(d *fields) any { return d.varint() }, int64(0), -1},
		{[]byte{0x80}, func(d *fields) any { return d.varint() }, int64(0), -1},
		{bytes.Repeat([]byte{0xff}, 11), func(d *fields) any { return d.varint() }, int64(0), -1},
		{[]byte{3, 9}, func(d *fields) any { return d.varint() }, int64(-2), 1},
		{[]byte{1, 9}, func(d *fields) any { return d.nullable() == nil }, true, 1},
		{[]byte{0, 9}, func(d *fields) any { b := d.nullable(); return b != nil && len(b) == 0 }, true, 1},
		{[]byte{2, 9}, func(d *fields) any { return d.nullable()[0] }, byte(9), 0},
		{[]byte{4, 9}, func(d *fields) any { return len(d.nullable()) }, 0, -1},
		{[]byte{3, 9}, func(d *fields) any { return len(d.nullable()) }, 0, -1}, // a length of -2
	} {
		d := &fields{rest: c.bytes}
		if got := c.read(d); got != c.want || d.short != (c.rest < 0) || len(d.rest) != max(c.rest, 0) {
			t.Errorf("% x: %v, %d bytes left, short %v; want %v", c.bytes, got, len(d.rest), d.short, c.want)
		}
	}
}

// The first buffer for decompression has the size given in the head, or the usual size of such
// batches, within bounds.
func TestFirstChunks(t *testing.T) {
	for name, c := range map[string]struct {
		codec kafka.Compression
		bytes int
		want  func(packed int) int
	}{
		"a little":           {kafka.Gzip, 400, func(int) int { return leastChunk }},
		"as much as is said": {kafka.Gzip, 20_000, func(int) int { return 20_000 + 13 }}, // with the record's head
		"much":               {kafka.Gzip, 1 << 20, func(int) int { return mostChunk }},
		"it does not say":    {kafka.Lz4, 20_000, func(packed int) int { return min(max(usualRatio*packed, leastChunk), mostChunk) }},
	} {
		value := make([]byte, c.bytes)
		rand.NewChaCha8([32]byte{}).Read(value[:c.bytes/2])
		room := stream.NewQueue(64<<20, 1)[0]
		cursor := cursorOver(encoded(t, c.codec, 0, value), 0)
		cursor.room = room
		if err := cursor.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := cursor.batch.data
		if want := c.want(len(f.packed)); f.size < want-4 || f.size > want+4 {
			t.Errorf("%s: a chunk of %d bytes, want %d", name, f.size, want)
		}
	}
}
