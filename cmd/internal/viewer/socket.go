package viewer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"unfold/cmd/internal/web"
	"unfold/stream/view"
)

// mostReaders bounds the number of open sockets.
const mostReaders = 256

// A reader gets a message at least every beat. A long message is announced before, because a slow
// connection may need long for it.
const (
	beat = time.Second
	long = 1 << 18 // bytes
)

// socket sends the hub's messages to a reader until it disconnects.
func (h *Handler) socket(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		web.Busy(w, r, "there are too many readers, or this is ending")
		return
	}
	defer h.leave()
	// Accept rejects pages of other origins.
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has sent a response
	}
	defer c.CloseNow()
	reader := h.set.Hub.Join()
	defer reader.Close()
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	// The page sends nothing; any message from it closes the socket. Reading also answers pings and
	// detects the end.
	ctx = c.CloseRead(ctx)
	for {
		m, err := next(ctx, reader)
		if err != nil {
			c.Close(websocket.StatusGoingAway, "")
			return
		}
		if len(m.Data) > long && h.send(ctx, c, beating(len(m.Data))) != nil {
			return
		}
		if h.send(ctx, c, m) != nil {
			return
		}
	}
}

// next returns the reader's next message, or a beat if there is none within that time.
func next(ctx context.Context, reader *view.Reader) (view.Message, error) {
	soon, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	m, err := reader.Next(soon)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return beating(0), nil
	}
	return m, err
}

// beating returns a message that the connection works, and that a message of the given length
// follows.
func beating(bytes int) view.Message {
	return view.Message{Text: true, Data: []byte(`{"type":"beat","bytes":` + strconv.Itoa(bytes) + `}`)}
}

// enter counts a new socket. It returns false if there are too many or the handler is closed.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.open == mostReaders {
		return false
	}
	h.open++
	h.sockets.Add(1)
	return true
}

func (h *Handler) leave() {
	h.mu.Lock()
	h.open--
	h.mu.Unlock()
	h.sockets.Done()
}

// send writes a message. A reader that reads nothing for too long is dropped.
func (h *Handler) send(ctx context.Context, c *websocket.Conn, m view.Message) error {
	ctx, cancel := context.WithTimeout(ctx, h.set.Stuck)
	defer cancel()
	kind := websocket.MessageBinary
	if m.Text {
		kind = websocket.MessageText
	}
	return c.Write(ctx, kind, m.Data)
}
