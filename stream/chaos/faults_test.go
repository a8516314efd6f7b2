package chaos

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// requests maps API keys to the protocol's names of the requests that can be used as moments.
var requests = map[uint16]string{
	0: "Produce", 1: "Fetch", 3: "Metadata", 8: "OffsetCommit", 9: "OffsetFetch", 10: "FindCoordinator", 11: "JoinGroup", 12: "Heartbeat",
	13: "LeaveGroup", 14: "SyncGroup", 22: "InitProducerId", 24: "AddPartitionsToTxn", 25: "AddOffsetsToTxn", 26: "EndTxn", 28: "TxnOffsetCommit",
}

func known(request string) bool {
	for _, name := range requests {
		if name == request {
			return true
		}
	}
	return false
}

// Proxy is between a stage and its broker. It forwards whole requests and responses, and drops,
// delays or cuts them on command.
type Proxy struct {
	listener net.Listener
	target   string
	done     chan struct{}
	work     sync.WaitGroup

	mu    sync.Mutex
	rng   *rand.Rand
	fault Fault
	links map[*link]struct{}
	trips []*trip
	lie   func(request string, response []byte) []byte
}

// trip is a function to call at the nth passing of a request.
type trip struct {
	moment string
	left   int
	do     func()
}

// NewProxy forwards connections from an address to target. The seed determines which frames are
// delayed and cut.
func NewProxy(address, target string, seed uint64) (*Proxy, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, done: make(chan struct{}), rng: rand.New(rand.NewPCG(seed, 0x70726f78)), links: map[*link]struct{}{}}
	p.work.Go(p.accept)
	return p, nil
}

// Addr returns the address on which the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close closes all connections and waits for all goroutines of the proxy.
func (p *Proxy) Close() error {
	close(p.done)
	err := p.listener.Close()
	p.cut()
	p.work.Wait()
	return err
}

// Set begins a network fault; "" ends it. Cut takes effect once.
func (p *Proxy) Set(f Fault) {
	if f != Cut {
		p.mu.Lock()
		p.fault = f
		p.mu.Unlock()
	}
	if f == Cut || f == Away {
		p.cut()
	}
}

// At calls do when a request passes for the nth time from now on. moment is "before" or "after" and
// the name of the request. do is called before the request or its response is forwarded; that frame
// is then lost with its connection. The returned function cancels the call.
func (p *Proxy) At(moment string, nth int, do func()) (forget func()) {
	t := &trip{moment, nth, do}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trips = append(p.trips, t)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.trips = slices.DeleteFunc(p.trips, func(o *trip) bool { return o == t })
	}
}

// Lie makes f change the responses to the requests that are known. They come without length and
// correlation id. nil ends it.
func (p *Proxy) Lie(f func(request string, response []byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lie = f
}

// lied returns the response that is forwarded instead of another.
func (p *Proxy) lied(request string, response []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lie == nil {
		return response
	}
	return p.lie(request, response)
}

// lies reports whether responses are changed.
func (p *Proxy) lies() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lie != nil
}

// tripped counts a moment and returns the function to call, or nil.
func (p *Proxy) tripped(moment string) (do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trips = slices.DeleteFunc(p.trips, func(t *trip) bool {
		if t.moment != moment {
			return false
		}
		t.left--
		if t.left == 0 {
			do = t.do
		}
		return t.left <= 0
	})
	return do
}

func (p *Proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// accept accepts connections. While they are reordered, each waits for a random time, so that later
// ones can overtake.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() {
			pause, _ := p.verdict()
			p.sleep(pause)
			p.serve(client)
		})
	}
}

func (p *Proxy) serve(client net.Conn) {
	l := &link{proxy: p, client: client, pending: map[uint32]string{}}
	p.mu.Lock()
	away := p.fault == Away
	p.mu.Unlock()
	server, err := net.DialTimeout("tcp", p.target, time.Second)
	if err != nil || away {
		client.Close()
		if err == nil {
			server.Close()
		}
		return
	}
	l.server = server
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	select {
	case <-p.done: // Close may have run before this link was added
		l.close()
	default:
	}
	var both sync.WaitGroup
	both.Go(func() { l.pass(l.server, l.client, "before") })
	both.Go(func() { l.pass(l.client, l.server, "after") })
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// verdict draws the treatment of a frame: the delay, and whether only half of it is forwarded.
func (p *Proxy) verdict() (pause time.Duration, half bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.fault {
	case Delay:
		pause = time.Duration(p.rng.Int64N(int64(200 * time.Millisecond)))
	case Reorder: // some wait long, the others not at all
		if p.rng.IntN(3) == 0 {
			pause = time.Duration(p.rng.Int64N(int64(600 * time.Millisecond)))
		}
	case Halve:
		half = p.rng.IntN(8) == 0
	}
	return pause, half
}

func (p *Proxy) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-p.done:
	}
}

// link is a connection through the proxy.
type link struct {
	proxy          *Proxy
	client, server net.Conn

	mu sync.Mutex
	// pending are the names of the requests whose responses have not come.
	pending map[uint32]string
}

func (l *link) close() {
	l.client.Close()
	l.server.Close()
}

var errLost = errors.New("lost")

// pass copies frames until one side closes, and then closes both.
func (l *link) pass(to io.Writer, from io.Reader, when string) {
	defer l.close()
	for l.frame(to, from, when) == nil {
	}
}

// frame forwards one request or response. A frame begins with a length of four bytes. A request
// continues with its key and version of two bytes each. Both continue with the correlation id.
func (l *link) frame(to io.Writer, from io.Reader, when string) error {
	head := make([]byte, 12)
	n := 8
	if when == "before" {
		n = 12
	}
	head = head[:n]
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	rest := int64(binary.BigEndian.Uint32(head)) - int64(n-4)
	if rest < 0 {
		return errLost
	}
	pause, half := l.proxy.verdict()
	l.proxy.sleep(pause)
	name := l.name(head, when)
	if name != "" {
		if do := l.proxy.tripped(when + " " + name); do != nil {
			do()
			return errLost
		}
	}
	if when == "after" && name != "" && l.proxy.lies() {
		response := make([]byte, rest)
		if _, err := io.ReadFull(from, response); err != nil {
			return err
		}
		response = l.proxy.lied(name, response)
		binary.BigEndian.PutUint32(head, uint32(len(response)+4))
		_, err := to.Write(append(head, response...))
		return err
	}
	if _, err := to.Write(head); err != nil {
		return err
	}
	if half {
		_, err := io.CopyN(to, from, rest/2)
		return errors.Join(errLost, err)
	}
	_, err := io.CopyN(to, from, rest)
	return err
}

// name returns the name of a request, or of the request to which a response belongs; "" if it is
// not in requests.
func (l *link) name(head []byte, when string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if when == "after" {
		id := binary.BigEndian.Uint32(head[4:])
		name := l.pending[id]
		delete(l.pending, id)
		return name
	}
	name := requests[binary.BigEndian.Uint16(head[4:])]
	if name != "" {
		l.pending[binary.BigEndian.Uint32(head[8:])] = name
	}
	return name
}

// isNetwork reports whether a fault is injected by a Proxy.
func (f Fault) isNetwork() bool {
	return slices.Contains([]Fault{Cut, Delay, Halve, Reorder, Away}, f)
}

// moments prefixes names of requests with "before" or "after".
func moments(when, names string) []string {
	var all []string
	for name := range strings.FieldsSeq(names) {
		all = append(all, when+" "+name)
	}
	return all
}
