package kafka

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/segmentio/kafka-go"
)

// A closed link ends pending requests by closing their connections, and opens no others.
func TestLinkCloses(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	l := &link{transport: &kafka.Transport{}, open: map[net.Conn]struct{}{}}
	var conns []net.Conn
	for range 3 {
		conn, err := l.dial(context.Background(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	if err := conns[2].Close(); err != nil || len(l.open) != 2 {
		t.Errorf("%d connections are open, %v", len(l.open), err)
	}
	pending := make(chan error)
	go func() {
		_, err := conns[1].Read(make([]byte, 1))
		pending <- err
	}()
	l.close()
	if err := <-pending; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the pending request ends with %v", err)
	}
	if _, err := conns[0].Write([]byte{1}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write to a closed connection: %v", err)
	}
	if _, err := l.dial(context.Background(), "tcp", listener.Addr().String()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a connection of a closed link: %v", err)
	}
}
