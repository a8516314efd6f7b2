package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

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
