package viewer

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/stream/view"
)

// Slow 3G, as web performance tests define it: 50 kB/s for all connections together, and 400 ms for
// a round trip.
const (
	lineRate  = 50_000 // bytes a second
	lineDelay = 200 * time.Millisecond
)

// line is a proxy that forwards at the speed of a slow line.
type line struct {
	mu   sync.Mutex
	free time.Time // when the line has sent all bytes so far
}

// slowLine returns the address of a slow line to a server, and a function that cuts its
// connections: otherwise the browser would read the rest of the answers to a closed page, which
// would slow the next page down.
func slowLine(t *testing.T, url string) (address string, cut func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work, accepting sync.WaitGroup
	var down line
	var mu sync.Mutex
	done := make(chan struct{})
	connect := func(from net.Conn, over chan struct{}) {
		time.Sleep(2 * lineDelay) // the handshake
		to, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			from.Close()
			return
		}
		work.Go(func() {
			<-over
			from.Close()
			to.Close()
		})
		work.Go(func() { new(line).forward(to, from) }) // requests are short
		down.forward(from, to)
	}
	accepting.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			over := done
			mu.Unlock()
			work.Go(func() { connect(from, over) })
		}
	})
	cut = func() {
		mu.Lock()
		defer mu.Unlock()
		close(done)
		done = make(chan struct{})
	}
	t.Cleanup(func() {
		l.Close()
		accepting.Wait()
		cut()
		work.Wait()
	})
	return "http://" + l.Addr().String(), cut
}

// forward copies until one side ends. Bytes arrive after the line's delay, at its rate.
func (l *line) forward(to, from net.Conn) {
	type packet struct {
		data []byte
		at   time.Time
	}
	packets := make(chan packet, 32) // what is on its way
	go func() {
		defer close(packets)
		for {
			b := make([]byte, 1400)
			n, err := from.Read(b)
			if n > 0 {
				packets <- packet{b[:n], l.arrival(n)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.at))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	to.Close()
	from.Close()
	for range packets { // the reader ends, because its connection is closed
	}
}

// arrival returns when n bytes that are sent now arrive.
func (l *line) arrival(n int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(n) * time.Second / lineRate)
	return l.free.Add(lineDelay)
}

// FirstOnSlowLine returns the seconds until the first picture of a page: without a slow line, and
// with one, where the page has not been loaded before and where it has. shown is called after the
// second.
func FirstOnSlowLine(t *testing.T, b *browser.Tab, url string, shown func()) (fast, cold, warm float64) {
	t.Helper()
	slow, cut := slowLine(t, url)
	first := func(url string) float64 {
		b.Do(chromedp.Navigate("about:blank"))
		cut()
		time.Sleep(time.Second) // what was on its way
		b.Do(chromedp.Navigate(url))
		b.Wait(`globalThis.unfold?.store.n >= 500 && unfold.frames.drawn > 0`)
		return browser.Eval[float64](b, `performance.now()`) / 1000
	}
	first(url)
	fast = first(url) // what this machine takes
	cold = first(slow)
	shown()
	return fast, cold, min(first(slow), first(slow))
}

// On a slow line a map of 200,000 points shows a sample of them within 3 s, also if the page itself has not been loaded before, and
// the number of points that have come. The skeleton of the page, which needs no script, is there before.
func TestSlowLine(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Size: 200_001, Title: "blobs"})
	put(t, hub, blobs(66_667, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	skeleton := 0.0
	fast, cold, warm := FirstOnSlowLine(t, b, url, func() {
		skeleton = browser.Eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`) / 1000
		// The sample stays until the points come from the server.
		do(b, `globalThis.least = Infinity; setInterval(() => least = Math.min(least, unfold.store.n), 10)`)
		b.Wait(`unfold.store.n > 5000`)
		if n := browser.Eval[int](b, `least`); n < 500 {
			t.Errorf("the page showed %d points meanwhile", n)
		}
	})
	if n := browser.Eval[int](b, `unfold.store.n`); n > 100_000 {
		t.Errorf("%d points are there at once", n)
	}
	b.Wait(`/^[\d,]+ of 200,001 points$/.test(document.getElementById("count").textContent)`)
	t.Logf("first picture: %.1f s, %.1f s when the page is known, %.1f s without the line; skeleton: %.1f s", cold, warm, fast, skeleton)
	if skeleton > 2 {
		t.Errorf("the page is blank for %.1f s", skeleton)
	}
	if over := max(fast-0.3, 0); warm-over > 3 || cold-over > 3 {
		t.Errorf("the first picture takes %.1f s, %.1f s when the page is known", cold, warm)
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}
