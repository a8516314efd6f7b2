package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"slices"
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

// drawnLog is a log that another implementation has encoded, and the messages in it.
type drawnLog struct {
	bytes    []byte
	starts   []int   // of the batches
	ends     []int64 // the offsets behind them
	messages []stream.Message
	aborted  []abortedTransaction
	markers  map[abortedTransaction]int64 // the offsets at which those have ended
	end      int64
}

// drawLog makes a log of batches as brokers keep them: compressed or not, with gaps that compaction
// has left, appended times, headers, markers, and transactions of two producers of which some were aborted.
func drawLog(t *testing.T, rng *rand.Rand, batches int) (l drawnLog) {
	t.Helper()
	l.markers = map[abortedTransaction]int64{}
	const control, transactional, appended = 0x20, 0x10, 8
	at := int64(rng.IntN(1000))
	open := map[int64]bool{} // by producer: whether its transaction will be aborted
	for range batches {
		b := kmsg.RecordBatch{FirstOffset: at, Magic: 2, ProducerID: int64(rng.IntN(3)), FirstTimestamp: int64(rng.IntN(1e9)), MaxTimestamp: 77e9}
		l.starts = append(l.starts, len(l.bytes))
		hidden, in := open[b.ProducerID]
		switch {
		case b.ProducerID > 0 && in && rng.IntN(2) == 0: // its marker
			b.Attributes, b.NumRecords = control|transactional, 1
			b.Records = kmsgRecord(0, 0, []byte{0, 0, 0, byte(rng.IntN(2))}, nil, nil)
			delete(open, b.ProducerID)
			if i := len(l.aborted) - 1; hidden {
				for l.aborted[i].producer != b.ProducerID {
					i--
				}
				l.markers[l.aborted[i]] = at
			}
		default:
			if b.ProducerID > 0 {
				b.Attributes = transactional
				if !in {
					hidden = rng.IntN(2) == 0
					open[b.ProducerID] = hidden
					if hidden {
						l.aborted = append(l.aborted, abortedTransaction{b.ProducerID, at})
					}
				}
			}
			if rng.IntN(3) == 0 {
				b.Attributes |= appended
			}
			l.draw(rng, &b, hidden)
		}
		codec := kafka.Compression(rng.IntN(5))
		if codec != 0 && b.Attributes&control == 0 {
			var packed bytes.Buffer
			w := codec.Codec().NewWriter(&packed)
			_, err := w.Write(b.Records)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			b.Records, b.Attributes = packed.Bytes(), b.Attributes|int16(codec)
		}
		l.bytes = append(l.bytes, seals(b)...)
		at += int64(b.LastOffsetDelta) + 1
		l.end, l.ends = at, append(l.ends, at)
		at += int64(rng.IntN(2) * rng.IntN(9))
	}
	return l
}

// draw puts records into a batch; those of hidden ones are not for readers.
func (l *drawnLog) draw(rng *rand.Rand, b *kmsg.RecordBatch, hidden bool) {
	maybe := func(n int) []byte {
		if n := rng.IntN(n); n > 0 {
			return bytes.Repeat([]byte{byte(n)}, n-1)
		}
		return nil
	}
	offset := int64(0)
	for range rng.IntN(6) {
		offset += int64(rng.IntN(3))
		m := stream.Message{Offset: b.FirstOffset + offset, Key: maybe(5), Value: maybe(3000), Time: time.UnixMilli(b.FirstTimestamp + int64(rng.IntN(2000))).UTC()}
		for i := range rng.IntN(2) * rng.IntN(40) {
			m.Headers = append(m.Headers, stream.Header{Key: fmt.Sprint("name", i+rng.IntN(2)), Value: maybe(4)})
		}
		b.Records = append(b.Records, kmsgRecord(m.Time.UnixMilli()-b.FirstTimestamp, offset, m.Key, m.Value, m.Headers)...)
		b.NumRecords++
		if b.Attributes&8 != 0 {
			m.Time = time.UnixMilli(b.MaxTimestamp).UTC()
		}
		if !hidden {
			l.messages = append(l.messages, m)
		}
		offset++
	}
	b.LastOffsetDelta = int32(offset) + int32(rng.IntN(3)) // what lay behind was compacted away
}

// kmsgRecord encodes a record by another implementation.
func kmsgRecord(time, offset int64, key, value []byte, headers []stream.Header) []byte {
	r := kmsg.Record{TimestampDelta64: time, OffsetDelta: int32(offset), Key: key, Value: value}
	for _, h := range headers {
		r.Headers = append(r.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
	}
	body := r.AppendTo(nil)[1:] // behind a length of one byte
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}

// seals encodes a batch with its length and checksum.
func seals(b kmsg.RecordBatch) []byte {
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-lengthEnds))
	return sign(raw)
}

// nothingNew are brokers whose log has nothing more.
type nothingNew struct{}

func (nothingNew) RoundTrip(context.Context, net.Addr, kafka.Request) (kafka.Response, error) {
	return &rawFetched{}, nil
}

// readRuns reads an answer to its end, and returns where reading goes on.
func readRuns(t *testing.T, c *cursor, room *stream.Share) (all []stream.Message, next int64) {
	t.Helper()
	next = c.next
	for c.batch != nil || len(c.rest) > 0 {
		run, err := c.read(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		if run.Next < next || len(run.Messages) > 0 && run.Next <= run.Messages[len(run.Messages)-1].Offset {
			t.Fatalf("a run from %d on goes on at %d", next, run.Next)
		}
		next = run.Next
		all = append(all, run.Messages...)
		room.Give(run.Bytes)
	}
	return all, next
}

// Whatever lies in a log, from any offset on and cut at any place, the messages of committed
// transactions from that offset on are read, as another implementation has encoded them, and no others.
func TestLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	const limit = 8 << 20
	for round := range 120 {
		l := drawLog(t, rng, 1+rng.IntN(9))
		for range 4 {
			next := int64(binary.BigEndian.Uint64(l.bytes)) + int64(rng.IntN(30))
			if next >= l.end {
				continue
			}
			whole := rng.IntN(2) == 0
			answer, end := l.bytes, l.end
			if !whole { // the batch with the offset, and a part of what follows
				first := 0
				for first+1 < len(l.starts) && l.ends[first] <= next {
					first++
				}
				if first+1 < len(l.starts) {
					from, least := l.starts[first], l.starts[first+1]
					answer, end = l.bytes[from:least+rng.IntN(len(l.bytes)-least)], -1
				}
			}
			c := cursorOver(answer, next)
			c.brokers = nothingNew{}
			base := int64(binary.BigEndian.Uint64(answer))
			for _, a := range l.aborted { // brokers name those that reach into the answer
				if marker, ended := l.markers[a]; !ended || marker >= base {
					c.pending = append(c.pending, a)
				}
			}
			if err := c.whole(); err != nil {
				t.Fatal(err)
			}
			room := stream.NewQueue(limit, 1)[0]
			got, at := readRuns(t, c, room)
			i := slices.IndexFunc(l.messages, func(m stream.Message) bool { return m.Offset >= next })
			want := l.messages[max(i, 0):]
			if i < 0 {
				want = nil
			}
			if end < 0 {
				if want = want[:min(len(got), len(want))]; at > l.end || len(want) < len(got) {
					t.Fatalf("round %d: %d messages, %d were written", round, len(got), len(want))
				}
				for _, m := range l.messages {
					if m.Offset >= next && m.Offset < at && (len(got) == 0 || m.Offset > got[len(got)-1].Offset) {
						t.Fatalf("round %d: message %d was passed by", round, m.Offset)
					}
				}
			} else if at != end || len(got) != len(want) {
				t.Fatalf("round %d: %d messages from offset %d on and then offset %d, want %d and then %d", round, len(got), next, at, len(want), end)
			}
			for k, m := range got {
				if w := want[k]; m.Unreadable != nil || m.Offset != w.Offset || !alike(m.Key, w.Key) || !alike(m.Value, w.Value) || !m.Time.Equal(w.Time) || (m.Headers == nil) != (w.Headers == nil) || !slices.EqualFunc(m.Headers, w.Headers, func(a, b stream.Header) bool {
					return a.Key == b.Key && alike(a.Value, b.Value)
				}) {
					t.Fatalf("round %d: offset %d, %q, %q at %v with %v (%v), want offset %d, %q, %q at %v with %v", round, m.Offset, m.Key, m.Value, m.Time, m.Headers, m.Unreadable, w.Offset, w.Key, w.Value, w.Time, w.Headers)
				}
			}
			if free := int64(limit - limit/4); !room.Try(free) || room.Try(1) {
				t.Fatalf("round %d: after reading not all of the room is free, or more", round)
			}
		}
	}
}

// Reading may go on exactly at the marker of an aborted transaction, which brokers name then. It
// hides nothing of the producer's next transaction, which was committed.
func TestAnswerBeginsWithMarker(t *testing.T) {
	const producer, control, transactional = 7, 0x20, 0x10
	marker := kmsg.RecordBatch{FirstOffset: 5, Magic: 2, Attributes: control | transactional, ProducerID: producer, NumRecords: 1, Records: kmsgRecord(0, 0, make([]byte, 4), nil, nil)}
	next := kmsg.RecordBatch{FirstOffset: 6, Magic: 2, Attributes: transactional, ProducerID: producer, NumRecords: 1, Records: kmsgRecord(0, 0, nil, []byte("committed"), nil)}
	c := cursorOver(append(seals(marker), seals(next)...), 5)
	c.brokers, c.pending = nothingNew{}, []abortedTransaction{{producer, 3}}
	if got, at := readRuns(t, c, stream.NewQueue(1<<20, 1)[0]); len(got) != 1 || string(got[0].Value) != "committed" || at != 7 {
		t.Errorf("%d messages, and then offset %d", len(got), at)
	}
}

// What the end of an answer cuts off comes again; an answer of less than a batch cannot be read.
func TestCutAnswers(t *testing.T) {
	one, two := encoded(t, 0, 0, []byte("one")), encoded(t, 0, 1, []byte("two"))
	both := append(bytes.Clone(one), two...)
	for n := range len(both) + 1 {
		c := cursorOver(both[:n], 0)
		err := c.whole()
		want := map[bool]int{true: len(one), false: 0}[n >= len(one)]
		if n == len(both) {
			want = n
		}
		if failed := n > 0 && n < len(one); failed != (err != nil) || err == nil && len(c.rest) != want {
			t.Errorf("of %d bytes %d are read, %v", n, len(c.rest), err)
		} else if failed && err.Error() != fmt.Sprintf("unreadable batch at offset 0: the first %d bytes of it came", n) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for size, fits := range map[int32]bool{leastBatch - lengthEnds: true, leastBatch - lengthEnds - 1: false, 0: false, -1: false} {
		b := bytes.Clone(one[:leastBatch])
		binary.BigEndian.PutUint32(b[8:], uint32(size))
		if err := cursorOver(b, 7).whole(); fits != (err == nil) || !fits && err.Error() != fmt.Sprintf("unreadable batch at offset 7: a length of %d bytes", size+lengthEnds) {
			t.Errorf("a length of %d: %v", size, err)
		}
	}
}

// Batches that cannot be read at all are errors that say what is wrong and where.
func TestUnreadableBatches(t *testing.T) {
	good := func() []byte { return encoded(t, 0, 7, []byte("value")) }
	short := good()[:batchHeader-1]
	binary.BigEndian.PutUint32(short[8:], uint32(len(short)-lengthEnds))
	third := good()
	third[16] = 3
	for want, b := range map[string][]byte{
		"unreadable batch at offset 7: 60 bytes are no header":            short,
		"unreadable batch at offset 7: message format 3 is not supported": third,
	} {
		if got, err := readFrom(b, 7); err == nil || err.Error() != want || len(got) > 0 {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// What comes before is returned first.
	c := cursorOver(append(encoded(t, 0, 6, []byte("before")), third...), 6)
	run, err := c.read(t.Context(), nil)
	if err != nil || len(run.Messages) != 1 || run.Next != 7 {
		t.Errorf("%v, %v", run, err)
	}
	if _, err := c.read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "format 3") || len(c.rest) > 0 || c.next != 7 {
		t.Errorf("and then %v; %d bytes are kept", err, len(c.rest))
	}
	// A batch whose last offset lies before its first stands for itself.
	back := good()
	binary.BigEndian.PutUint32(back[23:], uint32(0xfffffffe))
	got, err := readFrom(sign(back), 5)
	if err != nil || len(got) != 1 || got[0].Offset != 5 || !strings.Contains(got[0].Unreadable.Error(), "offsets 5 to 5: a batch cannot be read: it is malformed: its last offset is 5") {
		t.Errorf("%v, %v", got, err)
	}
	// The time of what cannot be read is that at which brokers appended it, or the first one's.
	empty := good()
	binary.BigEndian.PutUint64(empty[35:], 99_000)
	binary.BigEndian.PutUint32(empty[57:], 1<<31)
	if got, err := readFrom(sign(empty), 7); err != nil || len(got) != 1 || got[0].Time.UnixMilli() != 99_000 || got[0].Unreadable == nil || !bytes.Equal(got[0].Value, empty) {
		t.Errorf("%v, %v", got, err)
	}
}

// A run ends at the borders of a piece, by messages and by bytes.
func TestPieces(t *testing.T) {
	for _, n := range []int{pieceMessages - 1, pieceMessages, pieceMessages + 1} {
		c := cursorOver(encoded(t, 0, 0, make([][]byte, n)...), 0)
		run, err := c.read(t.Context(), nil)
		if want := min(n, pieceMessages); err != nil || len(run.Messages) != want || run.Next != int64(want) {
			t.Errorf("%d messages: a run of %d, %v", n, len(run.Messages), err)
		}
		rest, err := c.read(t.Context(), nil)
		if n > pieceMessages && (err != nil || len(rest.Messages) != n-pieceMessages) {
			t.Errorf("%d messages: then a run of %d, %v", n, len(rest.Messages), err)
		}
	}
	// Of batches of a MiB each a run has as many as reach a piece's bytes.
	var log []byte
	for i := range int64(8) {
		log = append(log, encoded(t, 0, i, make([]byte, 1<<20))...)
	}
	c := cursorOver(log, 0)
	var sizes []int
	for len(c.rest) > 0 || c.batch != nil {
		run, err := c.read(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(run.Messages))
	}
	if !slices.Equal(sizes, []int{4, 4}) {
		t.Errorf("runs of %v messages of a MiB", sizes)
	}
}

// oldMessage is a message of format 0 or 1 as it lies in the log; nil is null.
func oldMessage(magic, attributes byte, offset, at int64, key, value []byte) []byte {
	be := binary.BigEndian
	body := []byte{magic, attributes}
	if magic > 0 {
		body = be.AppendUint64(body, uint64(at))
	}
	for _, b := range [][]byte{key, value} {
		if b == nil {
			body = be.AppendUint32(body, ^uint32(0))
		} else {
			body = append(be.AppendUint32(body, uint32(len(b))), b...)
		}
	}
	out := be.AppendUint64(nil, uint64(offset))
	out = be.AppendUint32(out, uint32(len(body)+4))
	out = be.AppendUint32(out, crc32.ChecksumIEEE(body))
	return append(out, body...)
}

// oldSet is a compressed message that holds others.
func oldSet(t *testing.T, magic byte, offset int64, inner ...[]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := kafka.Gzip.Codec().NewWriter(&packed)
	_, err := w.Write(bytes.Join(inner, nil))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return oldMessage(magic, byte(kafka.Gzip), offset, 5, nil, packed.Bytes())
}

// Messages of the formats before 0.11, plain and in sets, with gaps, nulls and times.
func TestOldMessages(t *testing.T) {
	k, v := []byte("k"), []byte("v")
	type m struct {
		offset, at int64
		key, value []byte
	}
	for name, c := range map[string]struct {
		log  []byte
		from int64
		want []m
		next int64
	}{
		"format 0":              {slices.Concat(oldMessage(0, 0, 7, 0, k, v), oldMessage(0, 0, 9, 0, nil, []byte{})), 7, []m{{7, 0, k, v}, {9, 0, nil, []byte{}}}, 10},
		"format 1":              {slices.Concat(oldMessage(1, 0, 7, 1000, nil, nil), oldMessage(1, 0, 8, 2000, []byte{}, v)), 7, []m{{7, 1000, nil, nil}, {8, 2000, []byte{}, v}}, 9},
		"from the second on":    {slices.Concat(oldMessage(1, 0, 7, 1000, k, v), oldMessage(1, 0, 8, 2000, k, v)), 8, []m{{8, 2000, k, v}}, 9},
		"a set of format 0":     {oldSet(t, 0, 12, oldMessage(0, 0, 10, 0, k, v), oldMessage(0, 0, 12, 0, nil, v)), 10, []m{{10, 0, k, v}, {12, 0, nil, v}}, 13},
		"a set of format 1":     {oldSet(t, 1, 12, oldMessage(1, 0, 0, 5, k, v), oldMessage(1, 0, 2, 6, nil, v)), 10, []m{{10, 5, k, v}, {12, 6, nil, v}}, 13},
		"a part of a set":       {oldSet(t, 1, 12, oldMessage(1, 0, 0, 5, k, v), oldMessage(1, 0, 2, 6, nil, v)), 11, []m{{12, 6, nil, v}}, 13},
		"a set and a message":   {slices.Concat(oldSet(t, 1, 12, oldMessage(1, 0, 0, 5, k, v)), oldMessage(1, 0, 13, 6, nil, v)), 12, []m{{12, 5, k, v}, {13, 6, nil, v}}, 14},
		"a set before format 2": {slices.Concat(oldSet(t, 1, 6, oldMessage(1, 0, 0, 5, k, v)), encoded(t, 0, 7, v)), 6, []m{{6, 5, k, v}, {7, 1000, nil, v}}, 8},
	} {
		c2 := cursorOver(c.log, c.from)
		if err := c2.whole(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		room := stream.NewQueue(4<<20, 1)[0]
		got, next := readRuns(t, c2, room)
		if next != c.next || len(got) != len(c.want) {
			t.Errorf("%s: %d messages, then offset %d", name, len(got), next)
			continue
		}
		for i, w := range c.want {
			if g := got[i]; g.Unreadable != nil || g.Offset != w.offset || g.Time.UnixMilli() != w.at || !alike(g.Key, w.key) || !alike(g.Value, w.value) {
				t.Errorf("%s: %+v, want %+v", name, g, w)
			}
		}
		if !room.Try(3<<20) || room.Try(1) {
			t.Errorf("%s: after reading not all of the room is free, or more", name)
		}
	}
}

// Damage in a set of old messages is one message behind the good ones, or an error if not even the set can be read.
func TestBrokenOldMessages(t *testing.T) {
	defer SetRecordLimit(1000)()
	k, v := []byte("k"), []byte("v")
	good := oldMessage(1, 0, 0, 5, k, v)
	damaged := oldMessage(1, 0, 1, 5, k, v)
	damaged[len(damaged)-1]++
	long := bytes.Clone(good)
	binary.BigEndian.PutUint32(long[8:], 2000)
	few := bytes.Clone(good)
	binary.BigEndian.PutUint32(few[8:], oldHeader+oldFields-lengthEnds-1)
	exact := oldMessage(1, 0, 1, 5, nil, make([]byte, 1000-22))
	over := oldMessage(1, 0, 1, 5, nil, make([]byte, 1000-21))
	for name, c := range map[string]struct {
		inner [][]byte
		good  int
		why   string
	}{
		"a checksum":               {[][]byte{good, damaged}, 1, "offsets 12 to 12: a batch cannot be read: its checksum is wrong"},
		"a set in a set":           {[][]byte{good, oldMessage(0, 1, 1, 5, nil, v)}, 1, "codec 1 within a message"},
		"a format":                 {[][]byte{good, oldMessage(2, 0, 1, 5, nil, v)}, 1, "format 2"},
		"an offset that runs back": {[][]byte{oldMessage(1, 0, 1, 5, k, v), oldMessage(1, 0, 1, 5, k, v)}, 1, "malformed: offset 12"},
		"more than fits":           {[][]byte{good, long}, 0, "holds a record of 2000 bytes, more than 1000"},
		"too few bytes":            {[][]byte{good, few}, 0, "a message of"},
		"the end is missing":       {[][]byte{good, good[:20]}, 0, "cannot be decompressed"},
		"the head is missing":      {[][]byte{good, good[:5]}, 0, "cannot be decompressed"},
		"as much as fits":          {[][]byte{good, exact}, 2, ""},
		"one byte more":            {[][]byte{good, over}, 0, "holds a record of 1001 bytes, more than 1000"},
	} {
		set := oldSet(t, 1, 12, c.inner...)
		got, err := readFrom(append(bytes.Clone(set), oldMessage(1, 0, 13, 7, nil, []byte("after"))...), 0)
		if c.why == "" {
			if err != nil || len(got) != c.good+1 || got[1].Unreadable != nil {
				t.Errorf("%s: %v, %v", name, got, err)
			}
			continue
		}
		if err != nil || len(got) != c.good+2 {
			t.Errorf("%s: %d messages, %v", name, len(got), err)
			continue
		}
		letter := got[c.good]
		if letter.Unreadable == nil || !strings.Contains(letter.Unreadable.Error(), c.why) || letter.Offset != 12 || !bytes.Equal(letter.Value, set) || letter.Time.UnixMilli() != 5 {
			t.Errorf("%s: offset %d at %v: %v, want %s", name, letter.Offset, letter.Time, letter.Unreadable, c.why)
		}
		if string(got[c.good+1].Value) != "after" {
			t.Errorf("%s: %q comes behind it", name, got[c.good+1].Value)
		}
	}
	trailing := oldMessage(0, 0, 7, 0, k, v)
	trailing = append(trailing, 0)
	binary.BigEndian.PutUint32(trailing[8:], uint32(len(trailing)-lengthEnds))
	binary.BigEndian.PutUint32(trailing[12:], crc32.ChecksumIEEE(trailing[16:]))
	beyond := oldMessage(0, 0, 7, 0, k, v)
	beyond[18+3]++
	binary.BigEndian.PutUint32(beyond[12:], crc32.ChecksumIEEE(beyond[16:]))
	tiny := oldMessage(0, 0, 7, 0, nil, nil)
	tiny = tiny[:len(tiny)-1]
	binary.BigEndian.PutUint32(tiny[8:], uint32(len(tiny)-lengthEnds))
	for want, b := range map[string][]byte{
		"unreadable batch at offset 7: it is malformed: a message of 29 bytes, format 0": trailing,
		"unreadable batch at offset 7: it is malformed: a message of 28 bytes, format 0": beyond,
		"unreadable batch at offset 7: it is malformed: a message of 25 bytes":           tiny,
	} {
		if got, err := readFrom(b, 7); err == nil || err.Error() != want || len(got) > 0 {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A record is refused if its fields do not end where it does.
func TestBrokenRecords(t *testing.T) {
	header := kmsgRecord(0, 0, nil, []byte("v"), []stream.Header{{Key: "h", Value: []byte("x")}})
	for name, c := range map[string]struct {
		record []byte
		why    string
	}{
		"fields behind the last header": {append([]byte{header[0] + 2}, append(bytes.Clone(header[1:]), 0)...), "does not end with its last header"},
		"a header beyond its record":    {append([]byte{header[0] - 2}, header[1:len(header)-1]...), "does not end with its last header"},
		"headers below 0":               {[]byte{12, 0, 0, 0, 1, 1, 1}, "-1 headers"},
		"too many headers":              {append([]byte{16, 0, 0, 0, 1, 1}, binary.AppendVarint(nil, mostHeaders+1)...), fmt.Sprint(mostHeaders+1, " headers")},
		"no fields":                     {[]byte{0}, "a record of 0 bytes"},
	} {
		b := kmsg.RecordBatch{FirstOffset: 7, Magic: 2, ProducerID: -1, NumRecords: 1, Records: c.record}
		got, err := readFrom(seals(b), 7)
		if err != nil || len(got) != 1 || got[0].Unreadable == nil || !strings.Contains(got[0].Unreadable.Error(), c.why) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	many := make([]stream.Header, mostHeaders)
	b := kmsg.RecordBatch{FirstOffset: 7, Magic: 2, ProducerID: -1, NumRecords: 1, Records: kmsgRecord(0, 0, nil, nil, many)}
	if got, err := readFrom(seals(b), 7); err != nil || len(got) != 1 || got[0].Unreadable != nil || len(got[0].Headers) != mostHeaders {
		t.Errorf("as many headers as there may be: %d messages, %v", len(got), err)
	}
}

// A cursor whose room is full hands over what it has, and what it cannot read at once it reads later.
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
	// An error while a batch is being read gives back all that was taken.
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

// A run counts the bytes of its records, of its messages and of their headers' names. Messages that
// follow each other share the names that they have in common.
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

// What decompressing takes, and how much will come out, is known from the first bytes of compressed data.
func TestCosts(t *testing.T) {
	be := binary.BigEndian
	block := func(size, length int) []byte { // of snappy, which says that it is of so many bytes
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

// Decoders of zstd with small windows are used again; others are closed.
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

// Blocks of snappy are read by pieces of any size.
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

// Fields of records that would end behind the record leave nothing to read.
func TestRecordFields(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		read  func(d *fields) any
		want  any
		rest  int // -1: it is short
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

// What a batch is decompressed into first is as large as it says that it will be, or as such batches usually get, within bounds.
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
