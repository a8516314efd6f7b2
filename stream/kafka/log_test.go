package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// drawnLog is a log encoded by another implementation, and its messages.
type drawnLog struct {
	bytes    []byte
	starts   []int   // of the batches
	ends     []int64 // the offsets after them
	messages []stream.Message
	aborted  []abortedTransaction
	markers  map[abortedTransaction]int64 // the offsets of their markers
	end      int64
}

// drawLog returns a log of batches as brokers keep them. It has compression, gaps left by
// compaction, append times, headers, markers, and transactions of two producers, some of them
// aborted.
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

// draw adds records to a batch. Hidden records are not returned to readers.
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
	b.LastOffsetDelta = int32(offset) + int32(rng.IntN(3)) // the records after it were compacted away
}

// kmsgRecord encodes a record with another implementation.
func kmsgRecord(time, offset int64, key, value []byte, headers []stream.Header) []byte {
	r := kmsg.Record{TimestampDelta64: time, OffsetDelta: int32(offset), Key: key, Value: value}
	for _, h := range headers {
		r.Headers = append(r.Headers, kmsg.Header{Key: h.Key, Value: h.Value})
	}
	body := r.AppendTo(nil)[1:] // after a length of one byte
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}

// seals encodes a batch with its length and checksum.
func seals(b kmsg.RecordBatch) []byte {
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-lengthEnds))
	return sign(raw)
}

// nothingNew are brokers whose log has no new messages.
type nothingNew struct{}

func (nothingNew) RoundTrip(context.Context, net.Addr, kafka.Request) (kafka.Response, error) {
	return &rawFetched{}, nil
}

// readRuns reads an answer to its end, and returns the next offset.
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

// For any log, any start offset and any cut, exactly the messages of committed transactions from
// that offset on are read, as another implementation encoded them.
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
			if !whole { // the batch with the offset, and a part of the following bytes
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
			for _, a := range l.aborted { // brokers list those that reach into the answer
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

// Reading may continue exactly at the marker of an aborted transaction, which brokers then list.
// The marker hides nothing of the producer's next transaction, which was committed.
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

// If the batches of an answer end before the wanted offset, compaction has removed it. The next request
// asks for the offset after it, not for the same one for ever.
func TestAnswerEndsBeforeTheOffset(t *testing.T) {
	c := cursorOver(encoded(t, 0, 0, []byte("one"), []byte("two")), 2)
	c.brokers = nothingNew{}
	if got, at := readRuns(t, c, stream.NewQueue(1<<20, 1)[0]); len(got) != 0 || at != 3 {
		t.Errorf("%d messages, and then offset %d", len(got), at)
	}
}

// A batch cut off at the end of an answer is fetched again. An answer of less than a batch cannot
// be read.
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
		if !fits {
			b = b[:lengthEnds] // the length alone is enough
		}
		if err := cursorOver(b, 7).whole(); fits != (err == nil) || !fits && err.Error() != fmt.Sprintf("unreadable batch at offset 7: a length of %d bytes", size+lengthEnds) {
			t.Errorf("a length of %d: %v", size, err)
		}
	}
}

// Batches that cannot be read are errors that give the reason and the offset.
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
	// Earlier messages are returned first.
	c := cursorOver(append(encoded(t, 0, 6, []byte("before")), third...), 6)
	run, err := c.read(t.Context(), nil)
	if err != nil || len(run.Messages) != 1 || run.Next != 7 {
		t.Errorf("%v, %v", run, err)
	}
	if _, err := c.read(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "format 3") || len(c.rest) > 0 || c.next != 7 {
		t.Errorf("and then %v; %d bytes are kept", err, len(c.rest))
	}
	// A batch whose last offset is before its first counts as one offset.
	back := good()
	binary.BigEndian.PutUint32(back[23:], uint32(0xfffffffe))
	got, err := readFrom(sign(back), 5)
	if err != nil || len(got) != 1 || got[0].Offset != 5 || !strings.Contains(got[0].Unreadable.Error(), "offsets 5 to 5: a batch cannot be read: it is malformed: its last offset is 5") {
		t.Errorf("%v, %v", got, err)
	}
	// The time of an unreadable batch is its append time, or the first message's.
	empty := good()
	binary.BigEndian.PutUint64(empty[35:], 99_000)
	binary.BigEndian.PutUint32(empty[57:], 1<<31)
	if got, err := readFrom(sign(empty), 7); err != nil || len(got) != 1 || got[0].Time.UnixMilli() != 99_000 || got[0].Unreadable == nil || !bytes.Equal(got[0].Value, empty) {
		t.Errorf("%v, %v", got, err)
	}
}

// A run ends at the limits of a piece, in messages and in bytes.
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
	// With batches of a MiB each, a run has as many as reach the bytes of a piece.
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

// A record is refused if its fields do not end at its end.
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
