package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"unfold/stream"
)

// refusing is a connection to brokers on which every request fails.
type refusing struct{}

func (refusing) RoundTrip(context.Context, net.Addr, kafka.Request) (protocol.Message, error) {
	return nil, io.ErrUnexpectedEOF
}

// After a failed request a broker is asked for its versions again: an older one may have replaced
// it, which does not know topics by their ids.
func TestVersionsAfterFailure(t *testing.T) {
	c := &cursor{link: &link{}, brokers: refusing{}}
	c.versions.keep(1, fetchByID)
	if err := c.fetch(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if newest, known := c.versions.of(1); known {
		t.Errorf("broker 1 is still known to take version %d", newest)
	}
}

// What an answer has reserved is returned once when it is discarded, however often reading fails.
func TestReservedBytesAreReturnedOnce(t *testing.T) {
	room := stream.NewQueue(1000, 1)[0]
	free := func() (n int64) {
		for room.Try(1) {
			n++
		}
		room.Return(n)
		return n
	}
	before := free()
	c := &cursor{link: &link{}, brokers: refusing{}, room: room}
	if !room.Try(600) {
		t.Fatal("the room is not free")
	}
	c.handing, c.surplus, c.credit = 300, 200, 100
	for range 3 {
		if _, err := c.read(t.Context(), room); err == nil {
			t.Fatal("no error")
		}
	}
	if after := free(); after != before {
		t.Errorf("%d bytes are free after errors, %d were before", after, before)
	}
}

// large are brokers whose answer is a batch of a given length.
type large struct {
	batch []byte
	asked int
}

func (l *large) RoundTrip(_ context.Context, _ net.Addr, req kafka.Request) (protocol.Message, error) {
	l.asked++
	if err := req.(*rawFetch).admit(int64(len(l.batch))); err != nil {
		return nil, err
	}
	return &rawFetched{records: l.batch, end: 1, stable: 1}, nil
}

// An answer for which there is no room is left unread. When another partition gives room back, it is
// requested once more and read, and then all room is free again. If reading ends first, nothing stays
// reserved.
func TestLargeAnswersWaitForRoom(t *testing.T) {
	for _, ends := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const limit = 4 << 20
			rooms := stream.NewQueue(limit, 2)
			const free = limit - limit/4
			if !rooms[1].Try(free) {
				t.Fatal("the room is not free")
			}
			rooms[1].Hand(free) // delivered later, so that nothing may exceed the limit until then
			brokers := &large{batch: encoded(t, 0, 0, make([]byte, 1<<20))}
			c := newCursor(&link{}, stream.TopicPartition{}, 0, 4<<20, 0)
			c.brokers = brokers
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			type result struct {
				run stream.Run
				err error
			}
			read := make(chan result, 1)
			go func() {
				run, err := c.read(ctx, rooms[0])
				read <- result{run, err}
			}()
			if synctest.Wait(); brokers.asked != 1 || len(read) > 0 {
				t.Fatalf("it has asked %d times, and is done: %v", brokers.asked, len(read) > 0)
			}
			if ends {
				stop()
				if got := <-read; !errors.Is(got.err, context.Canceled) || brokers.asked != 1 {
					t.Errorf("%v after %d requests", got.err, brokers.asked)
				}
				rooms[1].Give(free)
			} else {
				rooms[1].Give(free)
				got := <-read
				if got.err != nil || len(got.run.Messages) != 1 || len(got.run.Messages[0].Value) != 1<<20 || got.run.Next != 1 || brokers.asked != 2 {
					t.Errorf("%d messages, %v after %d requests", len(got.run.Messages), got.err, brokers.asked)
				}
				rooms[0].Give(got.run.Bytes)
			}
			if !rooms[0].Try(free) {
				t.Error("in the end something is reserved")
			}
		})
	}
}

// A fetch that is over leaves nothing behind in its generation, which may last for months.
func TestFetchesLeaveNothing(t *testing.T) {
	g := &generation{}
	g.life, g.end = context.WithCancel(t.Context())
	defer g.end()
	type key struct{}
	held := func() weak.Pointer[[1 << 10]byte] {
		data := new([1 << 10]byte)
		_, cancel := g.within(context.WithValue(t.Context(), key{}, data))
		cancel()
		return weak.Make(data)
	}()
	for range 3 {
		runtime.GC()
	}
	if held.Value() != nil {
		t.Error("the generation still holds the fetch's context")
	}
	runtime.KeepAlive(g)
}
