package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// oldMessage returns a message of format 0 or 1 as stored in the log; nil is null.
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

// oldSet returns a compressed message that contains others.
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

// Damage in a set of old messages becomes one message after the good ones. It is an error if the
// set itself cannot be read.
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
