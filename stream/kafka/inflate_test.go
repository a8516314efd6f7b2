package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// encoded returns a batch of messages from an offset on, as stored in the log.
func encoded(t testing.TB, codec kafka.Compression, base int64, values ...[]byte) []byte {
	t.Helper()
	messages := make([]*stream.Message, len(values))
	for i, v := range values {
		messages[i] = &stream.Message{Value: v, Time: time.UnixMilli(1000)}
	}
	b, err := format{compression: codec}.encode(messages, kafka.ProducerSession{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint64(b[4:], uint64(base))
	return b[4:]
}

// sign sets the checksum of a batch.
func sign(b []byte) []byte {
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

// A record of the maximal size is read with every codec. A larger one is refused, with the rest of
// its batch, and everything before and after is read.
func TestBoundedCodecs(t *testing.T) {
	defer SetRecordLimit(100_000)()
	const around = 8 // the bytes of a record besides such a large value
	for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
		for size, fits := range map[int]bool{0: true, 99_999 - around: true, 100_000 - around: true, 100_001 - around: false, 5_000_000: false} {
			small := []byte("small")
			batches := append(encoded(t, codec, 0, small, make([]byte, size), small), encoded(t, codec, 3, small)...)
			got, err := readAll(batches)
			if err != nil {
				t.Fatalf("%v, %d bytes: %v", codec, size, err)
			}
			if fits && (len(got) != 4 || len(got[1].Value) != size || got[1].Unreadable != nil) {
				t.Errorf("%v, %d bytes: %d messages", codec, size, len(got))
			}
			if fits {
				continue
			}
			var large *inflateError
			if len(got) != 3 || !errors.As(got[1].Unreadable, &large) || got[1].Offset != 2 || string(got[0].Value) != "small" || string(got[2].Value) != "small" {
				t.Errorf("%v, %d bytes: %d messages, %v", codec, size, len(got), got[1].Unreadable)
				continue
			}
			if want := "offsets 1 to 2: a " + codec.String() + " batch holds a record"; !strings.HasPrefix(got[1].Unreadable.Error(), want) {
				t.Errorf("%v, want %s", got[1].Unreadable, want)
			}
			if !bytes.Equal(got[1].Value, encoded(t, codec, 0, small, make([]byte, size), small)) {
				t.Errorf("%v: the letter is not the batch", codec)
			}
		}
	}
}

// broken returns a damaged batch of three messages from offset 7 on.
type broken struct {
	batch []byte
	// the number of good messages before the refused one, with this reason; -1: depends on the
	// codec
	good int
	why  string
}

func brokenBatches(t testing.TB) map[string]broken {
	be := binary.BigEndian
	value := bytes.Repeat([]byte("value"), 100)
	whole := func(codec kafka.Compression) []byte { return encoded(t, codec, 7, value, value, value) }
	changed := func(codec kafka.Compression, change func(b []byte)) []byte {
		b := whole(codec)
		change(b)
		return sign(b)
	}
	claims := func(codec byte) []byte { return changed(0, func(b []byte) { b[22] = codec }) }
	return map[string]broken{
		"more records than there are": {changed(0, func(b []byte) { be.PutUint32(b[57:], 4); be.PutUint32(b[23:], 3) }), 3, "malformed: it ends too early"},
		"fewer than no records":       {changed(0, func(b []byte) { be.PutUint32(b[57:], 1<<31) }), 0, "malformed: -2147483648 records"},
		"an offset outside":           {changed(0, func(b []byte) { b[batchHeader+4] = 20 }), 0, "malformed: offset 17"},
		"an offset that runs back":    {changed(0, func(b []byte) { b[batchHeader+4] = 4 }), 1, "malformed: offset 8"},
		"a negative length":           {changed(0, func(b []byte) { b[batchHeader], b[batchHeader+1] = 1, 0 }), 0, "malformed: a record of -1 bytes"},
		"a varint without an end":     {changed(0, func(b []byte) { copy(b[batchHeader:], bytes.Repeat([]byte{0xff}, 20)) }), 0, "malformed"},
		"a key beyond its record":     {changed(0, func(b []byte) { b[batchHeader+5] = 0x7e }), 0, "malformed: a record of"},
		"a codec that nobody has":     {claims(7), 0, "codec 7 is not supported"},
		"not gzip":                    {claims(1), 0, "cannot be decompressed"},
		"not snappy":                  {claims(2), 0, "cannot be decompressed"},
		"not lz4":                     {claims(3), 0, "cannot be decompressed"},
		"not zstd":                    {claims(4), 0, "cannot be decompressed"},
		"snappy that promises 4 GB":   {packed(t, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1), 0, "cannot be decompressed"},
		"zstd that wants 2 GB":        {packed(t, 4, 0x28, 0xb5, 0x2f, 0xfd, 0x00, 21<<3, 1, 0, 0), 0, "its window of"},
		"half of zstd":                {shorten(whole(4), 10), 0, "malformed"},
		"half of gzip":                {shorten(whole(1), 20), -1, "malformed"},
		"half of lz4":                 {shorten(whole(3), 20), -1, "malformed"},
		"half of snappy":              {shorten(whole(2), 10), -1, "cannot be decompressed"},
	}
}

// The damaged rest of a batch becomes one message with the reason, and reading continues after the
// batch. A batch with a wrong checksum is first fetched again.
func TestBrokenBatches(t *testing.T) {
	for name, c := range brokenBatches(t) {
		t.Run(name, func(t *testing.T) {
			last := int64(binary.BigEndian.Uint32(c.batch[23:])) + 7
			after := encoded(t, 0, last+1, []byte("after"))
			got, err := readFrom(append(bytes.Clone(c.batch), after...), 7)
			if err != nil || len(got) < 2 || c.good >= 0 && len(got) != c.good+2 {
				t.Fatalf("%d messages, %v", len(got), err)
			}
			letter := got[len(got)-2]
			if letter.Unreadable == nil || !strings.Contains(letter.Unreadable.Error(), c.why) || !bytes.Equal(letter.Value, c.batch) || letter.Offset != last {
				t.Errorf("offset %d, %d bytes: %v", letter.Offset, len(letter.Value), letter.Unreadable)
			}
			if m := got[len(got)-1]; string(m.Value) != "after" {
				t.Errorf("%q comes behind it", m.Value)
			}
		})
	}
	b := encoded(t, 0, 7, []byte("value"))
	b[len(b)-1]++
	if got, err := readFrom(b, 7); !errors.Is(err, errChecksum) || len(got) > 0 {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// A batch whose first offset lies behind the end of its partition is fetched again: the offset is not
// in the checksum, and would pass over messages.
func TestOffsetsBehindTheEnd(t *testing.T) {
	for end, good := range map[int64]bool{8: true, 7: false, 3: false, 0: true} { // 0: unknown
		c := cursorOver(encoded(t, 0, 7, []byte("value")), 7)
		c.end = end
		run, err := c.read(t.Context(), stream.NewQueue(1<<20, 1)[0])
		if good != (err == nil) || good && len(run.Messages) != 1 || !good && (!strings.Contains(err.Error(), "unreadable batch at offset 7") || c.next != 7) {
			t.Errorf("the partition ends at %d: %d messages, next %d, %v", end, len(run.Messages), c.next, err)
		}
	}
}

// shorten removes the last n bytes of a batch.
func shorten(b []byte, n int) []byte {
	b = b[:len(b)-n]
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-lengthEnds))
	return sign(b)
}

// packed returns a batch whose records are these bytes, compressed by a codec.
func packed(t testing.TB, codec byte, records ...byte) []byte {
	b := append(encoded(t, 0, 7, nil)[:batchHeader:batchHeader], records...)
	b[22] = codec
	return shorten(b, 0)
}

// Messages of formats before Kafka 0.11, compressed or not, are read as the library wrote them.
// Offsets in a set of format 1 are relative to the set's first offset.
func TestOldFormats(t *testing.T) {
	for codec := kafka.Compression(0); codec <= kafka.Lz4; codec++ {
		var records []protocol.Record
		for i := range 5 {
			records = append(records, protocol.Record{Time: time.UnixMilli(int64(1000 + i)), Key: protocol.NewBytes([]byte("k")), Value: protocol.NewBytes(fmt.Append(nil, i))})
		}
		var b bytes.Buffer
		set := protocol.RecordSet{Version: 1, Attributes: protocol.Attributes(codec), Records: protocol.NewRecordReader(records...)}
		if _, err := set.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		raw := b.Bytes()[4:]
		first := int64(0)
		if codec != 0 {
			first = 96
			binary.BigEndian.PutUint64(raw, 100)
		}
		got, err := readFrom(raw, first+2)
		if err != nil || len(got) != 3 {
			t.Fatalf("%v: %d messages, %v", codec, len(got), err)
		}
		for i, m := range got {
			if m.Offset != first+2+int64(i) || string(m.Key) != "k" || string(m.Value) != fmt.Sprint(i+2) || m.Time.UnixMilli() != int64(1002+i) {
				t.Errorf("%v: message %d is %+v", codec, i, m)
			}
		}
		half := bytes.Clone(raw)
		half[len(half)-3]++
		if _, err := readFrom(half, first); !errors.Is(err, errChecksum) {
			t.Errorf("%v, damaged: %v", codec, err)
		}
	}
}

// The memory for a batch stays within the limit, however many messages it has and whatever it
// decompresses to. The batch is read in pieces, as the memory of earlier pieces is released.
func TestRoom(t *testing.T) {
	const limit = 4 << 20
	for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
		for name, values := range map[string][][]byte{
			"many small":  make([][]byte, 50_000),
			"a few large": {make([]byte, 5<<20), make([]byte, 1<<20), make([]byte, 1<<20)},
		} {
			room := stream.NewQueue(limit, 1)[0]
			c := cursorOver(encoded(t, codec, 0, values...), 0)
			read, most := 0, int64(0)
			for read < len(values) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				run, err := c.read(ctx, room)
				cancel()
				if err != nil {
					t.Fatalf("%s, %v: after %d of %d messages: %v", name, codec, read, len(values), err)
				}
				read += len(run.Messages)
				most = max(most, run.Bytes)
				room.Give(run.Bytes)
			}
			if !room.Try(limit / 2) {
				t.Errorf("%s, %v: something is held in the end", name, codec)
			}
			if name == "many small" && most > limit {
				t.Errorf("%s, %v: a run of %d bytes", name, codec, most)
			}
		}
	}
}

// FuzzBatches reads arbitrary logs with correct checksums. It must not panic, use more memory than
// it counts, hang, or move backwards.
func FuzzBatches(f *testing.F) {
	for _, c := range brokenBatches(f) {
		f.Add(c.batch, int64(7))
	}
	for codec := kafka.Compression(0); codec <= kafka.Zstd; codec++ {
		f.Add(append(encoded(f, codec, 0, []byte("a"), nil), encoded(f, codec, 2, make([]byte, 3000))...), int64(1))
	}
	const limit, record = 4 << 20, 1 << 16
	defer SetRecordLimit(record)()
	f.Fuzz(func(t *testing.T, b []byte, next int64) {
		b = bytes.Clone(b)
		for rest := b; len(rest) >= batchHeader && rest[16] == 2; {
			n := int64(binary.BigEndian.Uint32(rest[8:])) + lengthEnds
			if n < batchHeader || n > int64(len(rest)) {
				break
			}
			sign(rest[:n])
			rest = rest[n:]
		}
		c := cursorOver(b, next)
		if c.whole() != nil {
			return
		}
		room := stream.NewQueue(limit, 1)[0]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		bytes, past := int64(0), next-1
		for c.batch != nil || len(c.rest) > 0 {
			run, err := c.read(t.Context(), room)
			if err != nil {
				break
			}
			for _, m := range run.Messages {
				if m.Offset < past || m.Offset == past && m.Unreadable == nil {
					t.Fatalf("offset %d after %d", m.Offset, past)
				}
				past = m.Offset
			}
			bytes += run.Bytes
			room.Give(run.Bytes)
		}
		runtime.ReadMemStats(&after)
		// The counted memory: decoders with their windows, and the lists of messages.
		if got, bound := int64(after.TotalAlloc-before.TotalAlloc), 4*bytes+3*mostWindow+limit; got > bound {
			t.Fatalf("%d bytes were allocated, %d are counted", got, bytes)
		}
		if !room.Try(limit - limit/4) {
			t.Fatal("something is held in the end")
		}
	})
}

// late are brokers whose answer comes after the request was given up. Its length is admitted in a
// goroutine of the connection.
type late struct{ admit func(int64) error }

func (l *late) RoundTrip(ctx context.Context, _ net.Addr, r kafka.Request) (kafka.Response, error) {
	l.admit = r.(*rawFetch).admit
	return nil, context.Canceled
}

// An answer that comes after a fetch was given up reserves no memory, since nothing would release
// it.
func TestLateAnswersTakeNoRoom(t *testing.T) {
	room := stream.NewQueue(1<<20, 1)[0]
	brokers := &late{}
	c := cursorOver(nil, 0)
	c.brokers = brokers
	if _, err := c.read(t.Context(), room); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := brokers.admit(500_000); !errors.Is(err, errTooLate) {
		t.Errorf("a late answer: %v", err)
	}
	if c.surplus != 0 || !room.Try(3<<18) {
		t.Errorf("%d bytes are taken, and not all of the room is free", c.surplus)
	}
}

// endless is an old message set without end. Its reader gives up after a while.
type endless struct {
	reads  int
	stop   func()
	closed bool
}

func (e *endless) Read(p []byte) (int, error) {
	if e.reads++; e.reads == 100 {
		e.stop()
	}
	clear(p)
	if len(p) == lengthEnds {
		p[lengthEnds-1] = 100
	}
	return len(p), nil
}

func (e *endless) Close() error { e.closed = true; return nil }

// A reader that stops does not wait for the end of a set that must be read to its end, and its
// memory is released.
func TestOldSetsAreLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	room := stream.NewQueue(1<<20, 1)[0]
	source := &endless{stop: cancel}
	c, b := cursorOver(nil, 0), &batch{format: 1}
	c.room, b.data.source, b.data.cost = room, source, 1000
	room.Try(b.data.cost)
	if err := c.relate(ctx, b); !errors.Is(err, context.Canceled) || b.refused != nil {
		t.Errorf("%v, refused for %v", err, b.refused)
	}
	if !source.closed || !room.Try(3<<18) {
		t.Errorf("closed %v, and not all of the room is free", source.closed)
	}
}
