package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/ingest/emit"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// stuck is a body that blocks after some bytes until it is released.
type stuck struct {
	some io.Reader
	gone chan struct{}
}

func (s *stuck) Read(b []byte) (int, error) {
	if n, err := s.some.Read(b); n > 0 || err != io.EOF {
		return n, err
	}
	<-s.gone
	return 0, io.ErrUnexpectedEOF
}

func (s *stuck) Close() error { return nil }

// Slow bodies occupy no turns. Their memory is bounded in total, and freed when they end.
func TestSlowBodies(t *testing.T) {
	m := model(t)
	h := New(Settings{Current: func() (*Model, error) { return m, nil }, Limits: Limits{Body: 1 << 20, Held: 3 << 20, Requests: 1}})
	gone := make(chan struct{})
	var all sync.WaitGroup
	post := func(body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(context.Background(), "POST", "/place", body)
		r.Header.Set("Content-Type", emit.JSONType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	slow := func(n int) {
		all.Go(func() { post(&stuck{strings.NewReader(strings.Repeat(" ", n)), gone}) })
	}
	slow(100)
	slow(100)
	streamtest.Await(t, "both to be read", func() bool { return h.held.Load() >= 8192 })
	small := []byte(`{"vectors": [[1, 2, 3, 4]]}`)
	if w := post(bytes.NewReader(small)); w.Code != http.StatusOK {
		t.Errorf("beside slow bodies: %d %s", w.Code, w.Body)
	}
	slow(1<<20 - 1)
	slow(1<<20 - 1)
	streamtest.Await(t, "the large ones to be read", func() bool { return h.held.Load() == 2<<20+8192 })
	if w := post(strings.NewReader(strings.Repeat(" ", 1<<20-1))); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("beyond what all may hold: %d %s", w.Code, w.Body)
	}
	close(gone)
	all.Wait()
	if n := h.held.Load(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
	if w := post(bytes.NewReader(small)); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

// A body limit below a page of memory still admits small bodies.
func TestSmallLimit(t *testing.T) {
	s := served(t, model(t), Limits{Body: 40})
	for body, want := range map[string]int{`{"vectors": [[1, 2, 3, 4]]}`: http.StatusOK, `{"vectors": [[1, 2, 3, 4], [1, 2, 3, 4]]}`: http.StatusRequestEntityTooLarge} {
		if status, _, answer := ask(t, s, "POST", "/place", emit.JSONType, "", []byte(body)); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, answer, want)
		}
	}
}

// A request waits for its turn up to the time limit.
func TestTurns(t *testing.T) {
	m := model(t)
	h := New(Settings{Current: func() (*Model, error) { return m, nil }, Limits: Limits{Requests: 1, Time: 20 * time.Millisecond}})
	post := func() *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/place", strings.NewReader(`{"vectors": [[1, 2, 3, 4]]}`))
		r.Header.Set("Content-Type", emit.JSONType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	h.turns <- struct{}{}
	if w := post(); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "1 requests are being worked on") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	<-h.turns
	streamtest.Await(t, "an answer in time", func() bool { return post().Code == http.StatusOK })
}

// Concurrent clients each get the response to their own request.
func TestAtOnce(t *testing.T) {
	m := model(t)
	s := served(t, m, Limits{Requests: 2, Time: time.Minute})
	want := map[int][]byte{}
	for i := range 8 {
		_, _, want[i] = ask(t, s, "POST", "/place?neighbors=1", stream.ContentType, emit.JSONType, encoded(t, sample(t, uint64(i), i+1)))
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			status, _, got := ask(t, s, "POST", "/place?neighbors=1", stream.ContentType, emit.JSONType, encoded(t, sample(t, uint64(i%8), i%8+1)))
			if status != 200 || !bytes.Equal(got, want[i%8]) {
				t.Errorf("request %d: %d %.100s, want %.100s", i, status, got, want[i%8])
			}
		})
	}
	all.Wait()
}

// BenchmarkPlace measures requests of one row from many concurrent clients. Batching could save at
// most the part of the time that is spent on placing.
func BenchmarkPlace(b *testing.B) {
	m := model(b)
	p := &Placer{}
	body := []byte(`{"vectors": [[1, 2, 3, 4]]}`)
	b.Run("request", func(b *testing.B) {
		h := New(Settings{Current: func() (*Model, error) { return m, nil }})
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				r := httptest.NewRequestWithContext(context.Background(), "POST", "/place", bytes.NewReader(body))
				r.Header.Set("Content-Type", emit.JSONType)
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	})
	b.Run("place", func(b *testing.B) {
		in, err := newReader(m, p.Limits.Filled()).decode(body, JSON)
		if err != nil {
			b.Fatal(err)
		}
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := m.place(context.Background(), in, Options{}, p.Limits.Filled()); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("rows-64", func(b *testing.B) {
		body := []byte(`{"vectors": [` + strings.Repeat("[1,2,3,4],", 63) + `[1,2,3,4]]}`)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, _, err := p.Place(context.Background(), m, body, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// The memory limit of a request bounds the neighbours of many rows.
func TestManyNeighbors(t *testing.T) {
	body := []byte(`{"vectors": [` + strings.Repeat("[1,2,3,4],", 999) + `[1,2,3,4]]}`)
	s := served(t, model(t), Limits{Memory: 1 << 20})
	for path, want := range map[string]int{"/place?neighbors=10": 200, "/place?neighbors=20": 413} {
		if status, _, answer := ask(t, s, "POST", path, emit.JSONType, "", body); status != want {
			t.Errorf("%s: %d %.200s", path, status, answer)
		}
	}
}

// held is a client that reads nothing until it is released.
type held struct {
	*httptest.ResponseRecorder
	begun, gone chan struct{}
}

func (h held) Write(b []byte) (int, error) {
	close(h.begun)
	<-h.gone
	return h.ResponseRecorder.Write(b)
}

// Responses that wait for slow clients are bounded in total, and block no request after their
// clients have gone.
func TestSlowAnswers(t *testing.T) {
	m := model(t)
	h := New(Settings{Current: func() (*Model, error) { return m, nil }, Limits: Limits{Held: 8192}})
	body := `{"vectors": [` + strings.Repeat("[1,2,3,4],", 199) + `[1,2,3,4]]}`
	post := func(w http.ResponseWriter) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/place", strings.NewReader(body))
		r.Header.Set("Content-Type", emit.JSONType)
		h.ServeHTTP(w, r)
	}
	slow := held{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(slow)
	}()
	<-slow.begun
	w := httptest.NewRecorder()
	if post(w); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "wait for their readers") {
		t.Errorf("beside a slow reader of %d bytes: %d %.200s", h.sending.Load(), w.Code, w.Body)
	}
	close(slow.gone)
	<-done
	w = httptest.NewRecorder()
	if post(w); w.Code != http.StatusOK || h.sending.Load() != 0 {
		t.Errorf("afterwards: %d %.200s", w.Code, w.Body)
	}
}
