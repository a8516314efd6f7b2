package viewer

import (
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"unfold/cmd/internal/viewer/browser"
	"unfold/stream/view"
)

// hanging is a proxy that keeps connections open and stops forwarding, like a proxy or a network
// that fails.
type hanging struct {
	address string
	hangs   atomic.Bool
	opened  atomic.Int32
	done    chan struct{}
	work    sync.WaitGroup
}

func proxy(t *testing.T, url string) *hanging {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &hanging{address: "http://" + l.Addr().String(), done: make(chan struct{})}
	p.work.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			p.opened.Add(1)
			to, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				from.Close()
				continue
			}
			p.work.Go(func() { p.forward(from, to) })
			p.work.Go(func() { p.forward(to, from) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(p.done)
		p.work.Wait()
	})
	return p
}

// forward copies until one side ends. While the proxy hangs it buffers what it has read.
func (p *hanging) forward(to, from net.Conn) {
	stop := make(chan struct{})
	defer close(stop)
	p.work.Go(func() {
		select {
		case <-p.done:
		case <-stop:
		}
		to.Close()
		from.Close()
	})
	b := make([]byte, 1<<15)
	for {
		n, err := from.Read(b)
		for p.hangs.Load() {
			select {
			case <-p.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

const chip = `document.getElementById('link')`

// A connection that delivers nothing is reported within 6 s, and the page connects again by itself.
func TestASilentConnectionIsSaid(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs", Live: true})
	put(t, hub, blobs(100, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	p := proxy(t, url)
	b.Show(p.address + "/")
	b.Wait(chip + `.textContent === 'live'`)
	// The stage has no events for longer than the page waits. Beats keep the connection green.
	time.Sleep(5500 * time.Millisecond)
	if said := browser.Eval[string](b, chip+`.textContent`); said != "live" {
		t.Errorf("a stage without events is shown as %q", said)
	}
	before := p.opened.Load()
	p.hangs.Store(true)
	start := time.Now()
	b.Wait(chip + `.textContent.startsWith('silent since')`)
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("silence was reported after %v", took)
	}
	if class := browser.Eval[string](b, chip+`.className`); class != "chip stale" {
		t.Errorf("its class is %q", class)
	}
	b.Wait(chip + `.textContent.startsWith('away')`)
	p.hangs.Store(false)
	b.Wait(chip + `.textContent === 'live'`)
	if p.opened.Load() == before {
		t.Error("the page did not connect again")
	}
}

// A stalled stage is not shown as live.
func TestAHaltedStageIsNotLive(t *testing.T) {
	b, hub := show(t, browser.Settings{}, "", blobs(100, "a", "b", "c"))
	b.Wait(chip + `.textContent === 'live'`)
	for phase, want := range map[string]string{"halted": "standing still", "waiting": "waiting for events", "": "live"} {
		if err := hub.SetStatus(map[string]any{"phase": phase, "detail": "the brokers are away"}); err != nil {
			t.Fatal(err)
		}
		b.Wait(chip + `.textContent === '` + want + `'`)
	}
}

// A stage that has read no events for long is not shown as live, and the page says for how long.
func TestAStageWithoutEvents(t *testing.T) {
	b, hub := show(t, browser.Settings{}, "", blobs(100, "a", "b", "c"))
	for _, c := range []struct {
		quiet      int
		text, kind string
	}{{0, "live", "live"}, {29, "live", "live"}, {45, "no events for 45 s", "stale"}, {3700, "no events for 61 min", "stale"}, {0, "live", "live"}} {
		if err := hub.SetStatus(map[string]any{"quiet": c.quiet}); err != nil {
			t.Fatal(err)
		}
		b.Wait(chip + `.textContent === '` + c.text + `' && ` + chip + `.className === 'chip ` + c.kind + `'`)
	}
}

// The socket sends a message every second, and announces long ones.
func TestBeats(t *testing.T) {
	hub := view.New(view.Settings{Title: "blobs", Live: true})
	put(t, hub, blobs(20_000, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	c, _, err := websocket.Dial(t.Context(), url+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	announced, beats := 0, 0
	for last := time.Now(); beats < 2; {
		kind, r, err := c.Reader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if silent := time.Since(last); silent > 3*time.Second {
			t.Errorf("nothing came for %v", silent)
		}
		last = time.Now()
		var m struct {
			Type  string
			Bytes int
		}
		if kind == websocket.MessageText {
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case m.Type == "beat" && m.Bytes == 0:
			beats++
		case m.Type == "beat":
			announced = m.Bytes
			continue
		case len(data) > long && announced != len(data):
			t.Errorf("a message of %d bytes came, %d were announced", len(data), announced)
		}
		announced = 0
	}
}
