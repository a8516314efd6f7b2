package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// Environment variables of a reader process: the address to read and the number of readers.
const (
	readersOf   = "UNFOLD_TEST_READERS_OF"
	readersMany = "UNFOLD_TEST_READERS"
)

// StartReaders starts n readers of a page's socket in a process of their own, so that their cost is
// not counted as the stage's. leave ends them.
func StartReaders(t *testing.T, url string, n int) (leave func()) {
	t.Helper()
	if n == 0 {
		return func() {}
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), readersOf+"="+url, readersMany+"="+strconv.Itoa(n))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(in.Close(), c.Wait()); err != nil {
			t.Errorf("the readers: %v", err)
		}
	}
}

// readAll reads as pages do until standard input ends, and reports the number of bytes.
func readAll(url string) error {
	n, err := strconv.Atoi(os.Getenv(readersMany))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	bytes, errs := make([]int64, n), make([]error, n)
	for i := range n {
		work.Go(func() { bytes[i], errs[i] = listen(ctx, url) })
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	stop()
	work.Wait()
	all := int64(0)
	for _, b := range bytes {
		all += b
	}
	fmt.Fprintf(os.Stderr, "%d readers, %.1f MB each\n", n, float64(all)/float64(n)/1e6)
	return errors.Join(append(errs, err)...)
}

// listen reads as a page does, until the context is done or the server ends, and counts bytes.
func listen(ctx context.Context, url string) (n int64, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return 0, err
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 30)
	for {
		_, m, err := c.Reader(ctx)
		var k int64
		if err == nil {
			k, err = io.Copy(io.Discard, m)
		}
		if n += k; err != nil {
			return n, nil // the server has ended
		}
	}
}
