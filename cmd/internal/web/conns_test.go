package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"unfold/stream/streamtest"
)

// flood are connections that are held open.
type flood struct {
	t       *testing.T
	address string
	mu      sync.Mutex
	open    []net.Conn
}

// add opens n connections, each of which sends some text and then nothing.
func (f *flood) add(n int, text string) {
	f.t.Helper()
	for range n {
		c, err := net.Dial("tcp", f.address)
		if err != nil {
			f.t.Fatal(err)
		}
		f.mu.Lock()
		f.open = append(f.open, c)
		f.mu.Unlock()
		if _, err := io.WriteString(c, text); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *flood) end() {
	for _, c := range f.open {
		c.Close()
	}
}

// Probes are answered within a second while clients occupy as many connections as they can: silent
// ones, slow headers, slow bodies, readers that do not read, and a constant stream of new ones.
func TestProbesDuringFloods(t *testing.T) {
	gone := make(chan struct{})
	pages := Handler(func() (string, error) { return "", nil }, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "figures") }))
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("POST /place", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	mux.HandleFunc("GET /slow", func(http.ResponseWriter, *http.Request) { <-gone })
	const head = " HTTP/1.1\r\nHost: localhost\r\n"
	for name, kinds := range map[string][]struct {
		n    int
		text string
	}{
		"silent":           {{700, ""}},
		"slow headers":     {{700, "GET /livez" + head}},
		"slow bodies":      {{700, "POST /place" + head + "Content-Length: 1000\r\n\r\nabc"}},
		"slow answers":     {{700, "GET /slow" + head + "\r\n"}},
		"bodies of probes": {{350, "POST /livez" + head + "Content-Length: 1000\r\n\r\nabc"}, {350, "GET /metrics" + head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}},
		"unread bodies":    {{700, "POST /" + head + "Content-Length: 1000\r\n\r\nabc"}},
		"all":              {{300, "GET /slow" + head + "\r\n"}, {200, "POST /place" + head + "Content-Length: 9\r\n\r\nabc"}, {200, "GET /"}, {200, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Listen(t.Context(), Settings{Address: "127.0.0.1:0"}, mux)
			if err != nil {
				t.Fatal(err)
			}
			f := &flood{t: t, address: s.Address()}
			for _, k := range kinds {
				f.add(k.n, k.text)
			}
			stop, more := make(chan struct{}), make(chan struct{})
			go func() { // new ones arrive all the time
				defer close(more)
				for {
					select {
					case <-stop:
						return
					case <-time.After(2 * time.Millisecond):
						if c, err := net.Dial("tcp", s.Address()); err == nil {
							f.mu.Lock()
							f.open = append(f.open, c)
							f.mu.Unlock()
						}
					}
				}
			}()
			client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			for i := range 30 {
				path := operators[i%len(operators)]
				resp, err := client.Get(s.URL() + path)
				if err != nil {
					t.Errorf("probe %d: %v", i, err)
					continue
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("probe %d, %s: %d", i, path, resp.StatusCode)
				}
			}
			close(stop)
			<-more
			f.end()
			if err := s.Stop(time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
	close(gone)
}

// A probe waits for a few requests of each client that sends without waiting for responses, and not
// for all that it has sent.
func TestPipelinedRequestsTakeTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // turns can then be counted
	var served atomic.Int64
	begin := make(chan struct{})
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1); r.URL.Path == "/" {
			<-begin
		}
	})
	s, err := Listen(t.Context(), Settings{Address: "127.0.0.1:0"}, pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(time.Millisecond)
	const clients, each = 20, 1000
	f := &flood{t: t, address: s.Address()}
	defer f.end()
	get := "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
	f.add(clients, strings.Replace(get, "/livez", "/", 1)+strings.Repeat(get, each))
	streamtest.Await(t, "all clients to be served", func() bool { return served.Load() == clients })
	close(begin)
	f.add(1, get)
	if _, err := http.ReadResponse(bufio.NewReader(f.open[clients]), nil); err != nil {
		t.Fatal(err)
	}
	if n := served.Load(); n > clients*each/2 {
		t.Errorf("%d of %d requests of others were answered before the probe", n, clients*each)
	}
}

// tcp is a connection from an address.
type tcp struct {
	net.Conn
	from string
	gone bool
}

func (c *tcp) RemoteAddr() net.Addr {
	a, err := net.ResolveTCPAddr("tcp", c.from)
	if err != nil {
		panic(err)
	}
	return a
}

func (c *tcp) Close() error {
	c.gone = true
	return nil
}

// A client gets at most its share of connections. Beyond the total, the connection that has been
// idle longest is replaced, and the last ones are reserved for operators.
func TestAdmission(t *testing.T) {
	l := &conns{most: 8, ofClient: 5, scarce: 2, open: map[*conn]struct{}{}}
	admit := func(from string) (c, victim *conn) { return l.admit(&tcp{from: from}) }
	plain := func(from string) *conn {
		t.Helper()
		c, victim := admit(from)
		if c == nil || c.last || victim != nil {
			t.Fatalf("%s got %+v, and %+v made way", from, c, victim)
		}
		return c
	}
	var one []*conn
	for range 5 {
		one = append(one, plain("10.0.0.1:1"))
	}
	// For the same client, its longest waiting connection is replaced, but not one that is being
	// answered.
	one[0].begin()
	if c, victim := admit("10.0.0.1:2"); c == nil || c.last || victim != one[1] {
		t.Errorf("one more of a client: %+v, %+v", c, victim)
	}
	for range 3 {
		plain("10.0.0.2:1")
	}
	// All connections are in use, most of them idle.
	if _, victim := admit("10.0.0.3:1"); victim != one[2] {
		t.Errorf("one more: %+v made way", victim)
	}
	for c := range l.open {
		c.begin()
	}
	var last []*conn
	for range 2 {
		c, victim := admit("10.0.0.4:1")
		if c == nil || !c.last || victim != nil {
			t.Fatalf("when all are answered: %+v, %+v", c, victim)
		}
		last = append(last, c)
	}
	if c, victim := admit("10.0.0.5:1"); c == nil || !c.last || victim != last[0] {
		t.Errorf("beyond the last: %+v, %+v", c, victim)
	}
	for c := range l.open {
		c.begin()
	}
	if c, victim := admit("10.0.0.6:1"); c != nil || victim != nil {
		t.Errorf("when even the last are answered: %+v, %+v", c, victim)
	}
	one[3].Close()
	if len(l.open) != 9 {
		t.Errorf("%d are open", len(l.open))
	}
	for from, same := range map[string]string{"[2001:db8::1]:1": "[2001:db8::ffff]:2", "10.0.0.1:1": "[::ffff:10.0.0.1]:2"} {
		if a, b := clientOf(&tcp{from: from}), clientOf(&tcp{from: same}); a != b || !a.IsValid() {
			t.Errorf("%s is %v, %s is %v", from, a, same, b)
		}
	}
	if c := clientOf(&tcp{from: "127.0.0.1:1"}); c.IsValid() {
		t.Errorf("this machine is the client %v", c)
	}
}

// Slow bodies occupy at most their share of requests.
func TestSlowBodiesShare(t *testing.T) {
	gone := make(chan struct{})
	h := newGuard(&Settings{Address: "127.0.0.1:0", Body: 10}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	post := func(body io.Reader) int {
		r := httptest.NewRequest("POST", "/place", body)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	var all sync.WaitGroup
	for range mostBodies {
		all.Go(func() {
			in, out := io.Pipe()
			go func() {
				<-gone
				out.Close()
			}()
			post(in)
		})
	}
	streamtest.Await(t, "all to be read", func() bool { return len(h.bodies) == mostBodies })
	if code := post(strings.NewReader("a")); code != http.StatusServiceUnavailable {
		t.Errorf("one more: %d", code)
	}
	if r := httptest.NewRecorder(); true {
		if h.ServeHTTP(r, httptest.NewRequest("GET", "http://localhost/model", nil)); r.Code != 200 {
			t.Errorf("without a body: %d", r.Code)
		}
	}
	close(gone)
	all.Wait()
	if code := post(strings.NewReader("a")); code != 200 || len(h.bodies) != 0 {
		t.Errorf("afterwards: %d, %d bodies are read", code, len(h.bodies))
	}
}

// A connection waits again after its response, and can then be replaced.
func TestKeptConnections(t *testing.T) {
	s, err := Listen(t.Context(), Settings{Address: "127.0.0.1:0"}, Handler(func() (string, error) { return "", nil }, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := &flood{t: t, address: s.Address()}
	defer f.end()
	f.add(mostConnections, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	for _, c := range f.open {
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	f.add(1, fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\n\r\n", s.Address()))
	resp, err := http.ReadResponse(bufio.NewReader(f.open[mostConnections]), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("one more: %v, %v", resp, err)
	}
}
