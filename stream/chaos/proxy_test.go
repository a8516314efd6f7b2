package chaos

import (
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// echo starts a broker that answers each request with the same bytes and counts the requests.
func echo(t *testing.T) (address string, served *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	served = new(atomic.Int64)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for {
					frame, err := readFrame(conn)
					if err != nil {
						return
					}
					served.Add(1)
					// A response contains only the correlation id, while a request also has key and
					// version.
					if _, err := conn.Write(withLength(frame[4:])); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), served
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(r, frame)
	return frame, err
}

func withLength(frame []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
}

// ask sends a request and waits for its response.
func ask(conn net.Conn, key uint16, id uint32, body string) (string, error) {
	frame := binary.BigEndian.AppendUint16(nil, key)
	frame = binary.BigEndian.AppendUint16(frame, 1)
	frame = binary.BigEndian.AppendUint32(frame, id)
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return "", err
	}
	if _, err := conn.Write(withLength(append(frame, body...))); err != nil {
		return "", err
	}
	answer, err := readFrame(conn)
	if err != nil {
		return "", err
	}
	return string(answer[4:]), nil
}

func TestProxy(t *testing.T) {
	address, served := echo(t)
	p, err := NewProxy("127.0.0.1:0", address, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	connect := func() net.Conn {
		conn, err := net.Dial("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	conn := connect()
	for id := range uint32(3) {
		if got, err := ask(conn, 8, id, "hello"); err != nil || got != "hello" {
			t.Fatalf("%q, %v", got, err)
		}
	}

	for moment, more := range map[string]int64{"before OffsetCommit": 1, "after OffsetCommit": 2} {
		conn, before := connect(), served.Load()
		var done atomic.Int32
		p.At(moment, 2, func() { done.Add(1) })
		if _, err := ask(conn, 0, 1, "another request"); err != nil {
			t.Fatal(err)
		}
		if _, err := ask(conn, 8, 2, "the first"); err != nil || done.Load() != 0 {
			t.Fatalf("%s: %v, done %d times", moment, err, done.Load())
		}
		if _, err := ask(conn, 8, 3, "the second"); err == nil || done.Load() != 1 {
			t.Errorf("%s: the answer came (%v), done %d times", moment, err, done.Load())
		}
		if got := served.Load() - before; got != 1+more {
			t.Errorf("%s: %d requests arrived, want %d", moment, got, 1+more)
		}
	}
	p.At("before Produce", 1, func() { t.Error("done though called off") })()
	if _, err := ask(connect(), 0, 1, ""); err != nil {
		t.Error(err)
	}

	conn = connect()
	p.Set(Delay)
	if _, err := ask(conn, 0, 9, "slow"); err != nil {
		t.Error(err)
	}
	p.Set(Halve)
	lost := 0
	for id := range uint32(60) {
		if _, err := ask(conn, 0, id, "whole or half"); err != nil {
			lost++
			conn = connect()
		}
	}
	if lost == 0 || lost == 60 {
		t.Errorf("of 60 requests %d were cut in half", lost)
	}
	p.Set("")
	conn = connect()
	if _, err := ask(conn, 0, 1, "well again"); err != nil {
		t.Error(err)
	}
	p.Set(Away)
	if _, err := ask(conn, 0, 2, ""); err == nil {
		t.Error("a connection outlived its broker")
	}
	if _, err := ask(connect(), 0, 3, ""); err == nil {
		t.Error("an answer from a broker that is away")
	}
}
