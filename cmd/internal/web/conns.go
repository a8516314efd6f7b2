package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// Limits of open connections: all, those of one client, and the last ones, which are reserved for
// operators' tools. While more than few connections are idle, a new one replaces the one that has
// been idle longest.
const (
	mostConnections = 512
	mostOfClient    = 384
	mostScarce      = 64
	few             = 64
)

// sendBuffer bounds the system's send buffer of a connection, in bytes. Otherwise it would grow to
// megabytes for a client that does not read.
const sendBuffer = 256 << 10

// conns are the connections of a listener. All are accepted immediately; excess ones are closed or
// replace others. So clients that hold idle connections cannot block others.
type conns struct {
	net.Listener
	most, ofClient, scarce int

	mu   sync.Mutex
	open map[*conn]struct{}
	turn uint64
}

func newConns(l net.Listener) *conns {
	return &conns{Listener: l, most: mostConnections, ofClient: mostOfClient, scarce: mostScarce, open: map[*conn]struct{}{}}
}

// conn is a connection. A nil conn is not counted.
type conn struct {
	net.Conn
	of     *conns
	client netip.Prefix
	// last marks one of the last connections, reserved for operators.
	last bool
	// waits is the turn at which it became idle, 0 while a request is being answered.
	waits  uint64
	closed sync.Once
}

type connKey struct{}

// Accept implements net.Listener.
func (l *conns) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, is := raw.(*net.TCPConn); is {
			// If this limit is not accepted, the system's own applies.
			_ = tcp.SetWriteBuffer(sendBuffer)
		}
		c, victim := l.admit(raw)
		if victim != nil {
			victim.Close()
		}
		if c != nil {
			return c, nil
		}
		raw.Close()
	}
}

// admit counts a new connection. It returns nil if there is no room for it, and a victim to close
// in its favour, nil if none is needed.
func (l *conns) admit(raw net.Conn) (c, victim *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	c = &conn{Conn: raw, of: l, client: clientOf(raw), waits: l.turn}
	all, last, own, waiting := 0, 0, 0, 0
	var oldest, oldestOwn, oldestLast *conn
	older := func(than *conn, o *conn) *conn {
		if than == nil || o.waits < than.waits {
			return o
		}
		return than
	}
	for o := range l.open {
		mine := c.client.IsValid() && o.client == c.client
		if o.last {
			if last++; o.waits > 0 {
				oldestLast = older(oldestLast, o)
			}
			continue
		}
		all++
		if mine {
			own++
		}
		if o.waits > 0 {
			waiting++
			if oldest = older(oldest, o); mine {
				oldestOwn = older(oldestOwn, o)
			}
		}
	}
	switch {
	case own >= l.ofClient && oldestOwn != nil:
		victim = oldestOwn
	case own < l.ofClient && all < l.most:
	case own < l.ofClient && waiting > min(few, l.most/2):
		victim = oldest
	case last < l.scarce:
		c.last = true
	case oldestLast != nil:
		c.last, victim = true, oldestLast
	default:
		return nil, nil
	}
	if victim != nil {
		delete(l.open, victim)
	}
	l.open[c] = struct{}{}
	return c, victim
}

// clientOf returns the network of a client: an IPv4 address, or the 64-bit prefix of IPv6. It is
// invalid for this machine, whose programs share an address.
func clientOf(c net.Conn) netip.Prefix {
	tcp, is := c.RemoteAddr().(*net.TCPAddr)
	if !is {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap()
	if ip.IsLoopback() {
		return netip.Prefix{}
	}
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.closed.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		delete(c.of.open, c)
	})
	return c.Conn.Close()
}

// begin records that a request is being answered. It reports whether the connection is one of the
// last, which are reserved for operators.
func (c *conn) begin() (last bool) {
	if c == nil {
		return false
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.waits = 0
	return c.last
}

// state implements http.Server.ConnState. It detects that a connection is idle again.
func (l *conns) state(raw net.Conn, s http.ConnState) {
	if c, is := raw.(*conn); is && s == http.StateIdle {
		c.wait()
	}
}

// wait records that a connection is idle.
func (c *conn) wait() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.turn++
	c.waits = c.of.turn
}

// context implements http.Server.ConnContext. It gives requests access to their connection.
func (l *conns) context(ctx context.Context, raw net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, raw)
}
