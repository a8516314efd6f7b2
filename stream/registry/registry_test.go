package registry_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"unfold/internal/testkit/names"
	"unfold/stream"
	"unfold/stream/registry"
)

const point = `{"type":"record","name":"Point","fields":[{"name":"x","type":"double"}]}`

func client(t *testing.T, s registry.Settings) *registry.Client {
	t.Helper()
	c, err := registry.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// serve returns a client of a server with handler f, and the number of requests.
func serve(t *testing.T, f http.HandlerFunc) (*registry.Client, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return client(t, registry.Settings{URL: s.URL, Timeout: 10 * time.Second, MaxBytes: 1 << 10}), &asked
}

// A schema includes all schemas it refers to, each once and after those that it needs.
func TestSchemaWithReferences(t *testing.T) {
	fake := srfake.New()
	defer fake.Close()
	fake.SeedSchema("point", 1, 1, sr.Schema{Schema: point})
	fake.SeedSchema("line", 1, 2, sr.Schema{Schema: `{"type":"record","name":"Line","fields":[{"name":"a","type":"Point"},{"name":"b","type":"Point"}]}`,
		References: []sr.SchemaReference{{Name: "Point", Subject: "point", Version: 1}}})
	fake.SeedSchema("events-value", 1, 3, sr.Schema{Schema: `{"type":"record","name":"Event","fields":[{"name":"l","type":"Line"},{"name":"p","type":"Point"}]}`,
		References: []sr.SchemaReference{{Name: "Line", Subject: "line", Version: 1}, {Name: "Point", Subject: "point", Version: 1}}})
	s, err := client(t, registry.Settings{URL: fake.URL()}).Schema(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.References {
		names = append(names, r.Name)
	}
	if s.Type != registry.Avro || !strings.Contains(s.Text, `"Event"`) || !slices.Equal(names, []string{"Point", "Line"}) || s.References[0].Text != point {
		t.Errorf("got %+v", s)
	}
}

// A schema is registered once, found again, and separate under each subject.
func TestRegister(t *testing.T) {
	fake := srfake.New()
	defer fake.Close()
	var changes atomic.Int64
	fake.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/versions") {
			changes.Add(1)
		}
		return false
	})
	s := &registry.Schema{Type: registry.Avro, Text: point}
	first, second := client(t, registry.Settings{URL: fake.URL()}), client(t, registry.Settings{URL: fake.URL()})
	var ids []int
	for _, c := range []*registry.Client{first, first, second} {
		id, err := c.Register(t.Context(), "a-value", s)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if ids[0] != ids[1] || ids[1] != ids[2] || changes.Load() != 1 {
		t.Errorf("ids %v, %d registrations: want the same, and one", ids, changes.Load())
	}
	if _, err := second.Register(t.Context(), "b-value", s); err != nil || changes.Load() != 2 {
		t.Errorf("another subject: %d registrations, %v", changes.Load(), err)
	}
	back, err := second.Schema(t.Context(), ids[0])
	if err != nil || back.Text != point {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// A schema is requested once, known ones are available while the registry is not, and later
// responses do not change them.
func TestKnownSchemasOutliveTheRegistry(t *testing.T) {
	var down atomic.Bool
	answer := `{"schema":"\"int\""}`
	c, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, answer)
		answer = `{"schema":"\"string\""}`
	})
	for _, away := range []bool{false, false, true} {
		down.Store(away)
		if s, err := c.Schema(t.Context(), 1); err != nil || s.Text != `"int"` {
			t.Errorf("away %v: %+v, %v", away, s, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	var unavailable *stream.UnavailableError
	if _, err := c.Schema(t.Context(), 2); !errors.As(err, &unavailable) {
		t.Errorf("a new schema: %v, want it to be unavailable", err)
	}
	down.Store(false)
	if _, err := c.Schema(t.Context(), 2); err != nil {
		t.Errorf("once the registry is back: %v", err)
	}
}

// Concurrent callers for one schema make one request, and one of them giving up does not affect the
// others.
func TestOneRequestASchema(t *testing.T) {
	come, leave := make(chan struct{}, 100), make(chan struct{})
	c, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
		come <- struct{}{}
		select {
		case <-leave:
			fmt.Fprint(w, `{"schema":"\"int\""}`)
		case <-r.Context().Done():
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { _, err := c.Schema(ctx, 1); gone <- err }()
	<-come
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Schema(t.Context(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	<-come
	close(leave)
	wg.Wait()
	if asked.Load() != 2 {
		t.Errorf("asked %d times, want one who gave up and one for all others", asked.Load())
	}
}

// TestErrors tests which responses are temporary and which are permanent errors, and their
// messages.
func TestErrors(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); fmt.Fprint(w, body) }
	}
	for _, row := range []struct {
		name    string
		answer  http.HandlerFunc
		waits   bool
		message string
	}{
		{"unknown", status(404, `{"error_code":40403,"message":"Schema not found"}`), false, "has no schema 7: Schema not found"},
		{"another service", status(404, `<html>`), true, "is its URL right"},
		{"down", status(503, ``), true, "(503)"},
		{"a proxy before it", status(502, `<html>bad gateway</html>`), true, "bad gateway"},
		{"busy", status(429, `{"error_code":42901,"message":"slow down"}`), true, "slow down"},
		{"no user", status(401, `{"error_code":40101,"message":"who?"}`), true, "check the user"},
		{"no permission", status(403, ``), true, "check the user"},
		{"a page", status(200, `<html>hello</html>`), true, "does not give schema 7"},
		{"a number for a schema", status(200, `{"schema":5}`), true, "does not give schema 7"},
		{"no schema", status(200, `{}`), true, "without a schema"},
		{"an unknown type", status(200, `{"schema":"x","schemaType":"THRIFT"}`), false, "not supported"},
		{"too large", status(200, `{"schema":"`+strings.Repeat("a", 2000)+`"}`), false, "more than 1024 bytes"},
		{"without end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false, "sends too much"},
		{"without end, compressed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for r.Context().Err() == nil {
				if _, err := z.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false, "sends too much"},
		{"a redirect to a cloud's metadata", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://[::ffff:169.254.169.254]/latest/meta-data/", 307)
		}, true, "an address of the local link"},
		{"redirects in a ring", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, 307) }, true, "more than 3 redirects"},
		{"it hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, "does not give schema 7"},
		{"refers to itself", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"schema":"x","references":[{"name":"x","subject":"x","version":1}]}`)
		}, false, "refers to itself"},
		{"ever deeper", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"schema":"x","references":[{"name":"x","subject":"x","version":%d}]}`, len(r.URL.Path)+1)
		}, false, "refers to itself"},
		{"without end of references", endless(1), false, "more than 16 deep"},
		{"ever more references", endless(300), false, "more than 256 references"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, asked := serve(t, row.answer)
			_, err := c.Schema(t.Context(), 7)
			var unavailable *stream.UnavailableError
			if err == nil || errors.As(err, &unavailable) != row.waits || !strings.Contains(err.Error(), row.message) {
				t.Fatalf("%v (may go away: %v), want one of %q", err, errors.As(err, &unavailable), row.message)
			}
			before := asked.Load()
			if _, again := c.Schema(t.Context(), 7); again == nil || (asked.Load() > before) != row.waits {
				t.Errorf("asked %d times more, %v", asked.Load()-before, again)
			}
		})
	}
}

// endless answers the first request with a schema that refers to n others. With n = 1 every schema
// refers to another one, without end.
func endless(n int) http.HandlerFunc {
	var serial atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		var refs []string
		if serial.Load() == 0 || n == 1 {
			for range n {
				refs = append(refs, fmt.Sprintf(`{"name":"x","subject":"x","version":%d}`, serial.Add(1)))
			}
		}
		fmt.Fprintf(w, `{"schema":"x","references":[%s]}`, strings.Join(refs, ","))
	}
}

// A schema that another node of the registry has just accepted is found, and a flood of unknown
// ones is not delayed.
func TestLag(t *testing.T) {
	var times atomic.Int64
	c, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1") && times.Add(1) > 1 {
			fmt.Fprint(w, `{"schema":"\"int\""}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error_code":40403,"message":"Schema not found"}`)
	})
	if _, err := c.Schema(t.Context(), 1); err != nil {
		t.Error(err)
	}
	for id := range 20 {
		var unknown *registry.UnknownError
		if _, err := c.Schema(t.Context(), 100+id); !errors.As(err, &unknown) {
			t.Errorf("got %v", err)
		}
	}
	if n := asked.Load(); n > 2+20+2 {
		t.Errorf("asked %d times", n)
	}
}

// A request to a registry that does not answer times out, and can succeed later.
func TestSlow(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	_, err := client(t, registry.Settings{URL: s.URL, Timeout: 50 * time.Millisecond}).Schema(t.Context(), 1)
	var unavailable *stream.UnavailableError
	if !errors.As(err, &unavailable) {
		t.Errorf("%v, want it to be unavailable", err)
	}
}

// The error for a rejected schema includes advice.
func TestRefused(t *testing.T) {
	c, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/versions") {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"error_code":409,"message":"reader field y has no default"}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error_code":40401,"message":"Subject not found"}`)
	})
	for range 3 {
		_, err := c.Register(t.Context(), "out-value", &registry.Schema{Type: registry.Avro, Text: point})
		var refused *registry.RefusedError
		if !errors.As(err, &refused) || !refused.Incompatible || !strings.Contains(err.Error(), "reader field y has no default") || !strings.Contains(err.Error(), "out-value") {
			t.Errorf("got %v", err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times, want twice", asked.Load())
	}
}

// Another address of the registry is used if one fails, and credentials in a URL are used and never
// shown.
func TestSecondAddress(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"schema":"\"int\""}`)
	}))
	defer s.Close()
	with := func(address string) string { return strings.Replace(address, "http://", "http://ann:secret@", 1) }
	if _, err := client(t, registry.Settings{URL: with(gone.URL) + ", " + with(s.URL)}).Schema(t.Context(), 1); err != nil {
		t.Error(err)
	}
	_, err := client(t, registry.Settings{URL: with(gone.URL)}).Schema(t.Context(), 1)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestBadURL(t *testing.T) {
	for _, url := range []string{"", "localhost:8081", "ftp://x", "http://", "http://a:pass word@b:c", "http://a,,http://b"} {
		if _, err := registry.New(registry.Settings{URL: url}); err == nil || strings.Contains(err.Error(), "pass") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// BenchmarkRegister measures looking up a registered schema, as for every written message.
func BenchmarkRegister(b *testing.B) {
	fake := srfake.New()
	defer fake.Close()
	c, err := registry.New(registry.Settings{URL: fake.URL()})
	if err != nil {
		b.Fatal(err)
	}
	s := &registry.Schema{Type: registry.Avro, Text: strings.Replace(point, "Point", "Point"+strings.Repeat("t", 1500), 1)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Register(b.Context(), "a-value", s); err != nil {
			b.Fatal(err)
		}
	}
}

// A redirect to a name that resolves to an inner address is refused, by that address. The registry's
// own address may be anything.
func TestRedirectsToInnerNames(t *testing.T) {
	names.Set(t, map[string]string{
		"mapped.example": "::ffff:169.254.169.254", "amazon.example": "fd00:ec2::254", "nat.example": "64:ff9b::a9fe:a9fe", "here.example": "127.0.0.1",
	})
	for name, inner := range map[string]bool{"mapped.example": true, "amazon.example": true, "nat.example": true, "here.example": false} {
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if _, port, _ := net.SplitHostPort(r.Host); !strings.HasPrefix(r.Host, name) {
				http.Redirect(w, r, "http://"+net.JoinHostPort(name, port)+r.URL.Path, http.StatusTemporaryRedirect)
				return
			}
			fmt.Fprint(w, `{"schema":"\"int\""}`)
		})
		_, err := c.Schema(t.Context(), 7)
		if inner != (err != nil && strings.Contains(err.Error(), "an address of the local link")) || !inner && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
