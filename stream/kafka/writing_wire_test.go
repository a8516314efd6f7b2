package kafka

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/stream"
)

// asWritten records the writes, one after the other.
type asWritten struct {
	sizes  []int
	all    []byte
	broken int // fails from this write on, if it is not 0
}

func (a *asWritten) Write(b []byte) (int, error) {
	if a.sizes = append(a.sizes, len(b)); len(a.sizes) == a.broken {
		return 0, io.ErrClosedPipe
	}
	a.all = append(a.all, b...)
	return len(b), nil
}

// Records reach a compressor in pieces, large values without a copy. The compressor gets the bytes
// of an uncompressed batch.
func TestRecordsInPieces(t *testing.T) {
	small := func(n int) *stream.Message { return &stream.Message{Value: make([]byte, n)} }
	const head = 16 // at most this many bytes of a record besides a value whose length takes two bytes
	for name, c := range map[string]struct {
		messages []*stream.Message
		sizes    func(sizes []int) bool
	}{
		"few":           {[]*stream.Message{small(1), small(2)}, func(s []int) bool { return len(s) == 1 }},
		"just too few":  {[]*stream.Message{small(direct - 2*head), small(1)}, func(s []int) bool { return len(s) == 1 && s[0] < direct+head }},
		"a large value": {[]*stream.Message{small(1), small(direct), small(1)}, func(s []int) bool { return len(s) == 3 && s[1] == direct }},
		"nearly large":  {[]*stream.Message{small(direct - 1), small(1)}, func(s []int) bool { return len(s) == 2 && s[0] > direct && s[0] < direct+head }},
		"many": {slices.Repeat([]*stream.Message{small(1000)}, 100), func(s []int) bool {
			return len(s) == 4 && s[0] >= direct && slices.Max(s) < direct+1000+head && min(s[0], s[1], s[2]) >= direct
		}},
	} {
		a := &asWritten{}
		pieces, whole := recordsInto(nil, a), recordsInto(nil, nil)
		for i, m := range c.messages {
			pieces.appendRecord(m, 0, int64(i))
			whole.appendRecord(m, 0, int64(i))
		}
		pieces.flush()
		if pieces.err != nil || pieces.total != len(whole.b) || !bytes.Equal(a.all, whole.b) || !c.sizes(a.sizes) {
			t.Errorf("%s: %d bytes of %d in pieces of %v, %v", name, pieces.total, len(whole.b), a.sizes, pieces.err)
		}
	}
	for broken := 1; broken <= 2; broken++ {
		a := &asWritten{broken: broken}
		r := recordsInto(nil, a)
		for _, m := range []*stream.Message{small(1), small(direct), small(direct), small(1)} {
			r.appendRecord(m, 0, 0)
		}
		if r.flush(); !errors.Is(r.err, io.ErrClosedPipe) || len(a.sizes) != broken {
			t.Errorf("after %d writes, of which the last failed: %v", len(a.sizes), r.err)
		}
	}
}

// The head of a batch as another implementation decodes it.
func TestBatchHeads(t *testing.T) {
	messages := []*stream.Message{{Value: []byte("a"), Time: time.UnixMilli(5000)}, {Value: []byte("b"), Time: time.UnixMilli(9000)}, {Value: []byte("c"), Time: time.UnixMilli(4000)}}
	b, err := format{transactional: true}.encode(messages, kafka.ProducerSession{ProducerID: 1 << 40, ProducerEpoch: 7}, 12)
	if err != nil {
		t.Fatal(err)
	}
	var got kmsg.RecordBatch
	if err := got.ReadFrom(b[4:]); err != nil {
		t.Fatal(err)
	}
	want := kmsg.RecordBatch{Length: int32(len(b) - 4 - lengthEnds), PartitionLeaderEpoch: -1, Magic: 2, CRC: got.CRC, Attributes: 0x10, LastOffsetDelta: 2,
		FirstTimestamp: 5000, MaxTimestamp: 9000, ProducerID: 1 << 40, ProducerEpoch: 7, FirstSequence: 12, NumRecords: 3, Records: got.Records}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	size := 4 + batchHeader
	for _, m := range messages {
		size += recordSize(m)
	}
	if cap(b) != size {
		t.Errorf("room for %d bytes was made, %d are enough", cap(b), size)
	}
	begin := time.Now().UnixMilli()
	if at := millis(time.Time{}); at < begin || at > time.Now().UnixMilli() {
		t.Errorf("a message without a time gets %d", at)
	}
}
