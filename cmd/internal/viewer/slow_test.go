package viewer

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"unfold/internal/procfs"
	"unfold/internal/testkit/tier"
	"unfold/stream/view"
)

// slowly sends n requests over separate connections and reads only the head of each response. It
// counts responses by status; rejected ones must have a Retry-After.
func slowly(t *testing.T, url, path string, more string, n int) map[int]int {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	counts := map[int]int{}
	for range n {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, address, more); err != nil {
			t.Fatal(err)
		}
		c.SetReadDeadline(time.Now().Add(time.Minute))
		resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
		if err != nil {
			t.Fatal(err)
		}
		counts[resp.StatusCode]++
		if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s is refused, and does not say when to ask again", path)
		}
	}
	return counts
}

const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// Many readers that do not read take hardly more memory than one, for the socket and for all
// points.
func TestSlowReaders(t *testing.T) {
	hub := view.New(view.Settings{Title: "blobs"})
	put(t, hub, blobs(50_000, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	live := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	before := live()
	points, sockets := slowly(t, url, "/api/points", "", 70), slowly(t, url, "/live", upgrade, 100)
	if points[200] != mostDumps || points[503] != 70-mostDumps || sockets[101] != 100 {
		t.Errorf("answers: %v and %v", points, sockets)
	}
	// The points take 6.5 MB as Arrow, and the first message of the socket takes half a MB.
	if after := live(); after-before > 20 {
		t.Errorf("slow readers hold %.0f MB", after-before)
	}
}

// With a million points and 500 slow readers of each kind, the process needs at most 200 MB more
// than without readers.
func TestSlowReadersOfAMillion(t *testing.T) {
	tier.Full(t, "it shows a million points")
	if runtime.GOOS != "linux" {
		tier.Missing(t, "/proc says how much memory a process takes")
	}
	const n = 333_334
	hub := view.New(view.Settings{Size: 3 * n, Title: "blobs"})
	put(t, hub, blobs(n, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	debug.FreeOSMemory()
	idle := resident(t, "VmRSS")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		tier.Missing(t, "the peak of the memory cannot be set back: "+err.Error())
	}
	t.Logf("sockets: %v", slowly(t, url, "/live", upgrade, 250))
	t.Logf("all points: %v", slowly(t, url, "/api/points", "", 250))
	t.Logf("sockets: %v", slowly(t, url, "/live", upgrade, 250))
	t.Logf("all points: %v", slowly(t, url, "/api/points", "", 250))
	peak := resident(t, "VmHWM")
	t.Logf("%d MB while nobody reads, at most %d MB", idle>>20, peak>>20)
	if peak > idle+200_000_000 {
		t.Errorf("readers that do not read take %d MB", (peak-idle)>>20)
	}
}

// resident returns this process's resident memory in bytes, from /proc.
func resident(t *testing.T, what string) int {
	t.Helper()
	n, err := procfs.Memory(os.Getpid(), what)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}
