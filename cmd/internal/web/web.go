package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"unfold/cmd/internal/logs"
)

// Server answers on one address until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan error
	// name is the first of the names in Access.Hosts.
	name string
}

// Handler returns the pages. ready returns nil and details if the stage is ready, or the reason why
// not; metrics serves /metrics, nil for none. The page / lists these and more, which other handlers
// serve.
func Handler(ready func() (detail string, err error), metrics http.Handler, more ...string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		detail, err := ready()
		switch {
		case err != nil:
			answer(w, http.StatusServiceUnavailable, "not ready: "+err.Error())
		case detail != "":
			answer(w, http.StatusOK, "ready: "+detail)
		default:
			answer(w, http.StatusOK, "ready")
		}
	})
	index := append([]string{"unfold", "/livez", "/readyz"}, more...)
	if metrics != nil {
		mux.Handle("GET /metrics", metrics)
		index = append(index, "/metrics")
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, strings.Join(index, "\n"))
	})
	return mux
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// Settings of a server.
type Settings struct {
	// Address is HOST:PORT, where port 0 selects a free one, or unix:PATH.
	Address string
	Access  Access
	// Body bounds the bytes of a request's body, 8 MiB for 0.
	Body int64
	// Log logs failed requests as warnings; nil disables it.
	Log *slog.Logger
}

// Listen starts to serve. All pages are behind one guard, configured by Settings.Access.
func Listen(ctx context.Context, set Settings, h http.Handler) (*Server, error) {
	set.Body = cmp.Or(set.Body, 8<<20)
	if set.Log == nil {
		set.Log = slog.New(slog.DiscardHandler)
	}
	l, err := listen(ctx, set.Address)
	if err != nil {
		return nil, fmt.Errorf("http: %w; name another address, or off", err)
	}
	all := newConns(l)
	s := &Server{
		listener: l,
		http:     patient(newGuard(&set, h), set.Log),
		done:     make(chan error, 1),
	}
	if len(set.Access.Hosts) > 0 {
		s.name = nameOf(set.Access.Hosts[0])
	}
	s.http.ConnState, s.http.ConnContext = all.state, all.context
	go func() { s.done <- s.http.Serve(all) }()
	return s, nil
}

// ErrOurs is matched by the error of Free if a process of this program listens there.
var ErrOurs = errors.New("unfold answers there already")

// Free checks whether Listen could listen on an address now. It closes the address again.
func Free(ctx context.Context, address string) error {
	path, unix := strings.CutPrefix(address, unixPrefix)
	if unix {
		if c, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
			return errors.Join(fmt.Errorf("another process answers on the socket %s", path), c.Close())
		}
		_, err := os.Stat(filepath.Dir(path))
		return err
	}
	l, err := listen(ctx, address)
	if err == nil {
		return l.Close()
	}
	if errors.Is(err, syscall.EADDRINUSE) && ours(ctx, address) {
		return fmt.Errorf("%w: %w", ErrOurs, err)
	}
	return fmt.Errorf("%w; name another address, or off", err)
}

// mostMetrics bounds the bytes read from the metrics page to recognise this program.
const mostMetrics = 1 << 20

// ours reports whether a stage of this program listens on the address.
func ours(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, mostMetrics))
	return err == nil && strings.Contains(string(text), "\nunfold_")
}

// patient returns a server with timeouts for slow clients.
func patient(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
		ErrorLog: slog.NewLogLogger(log.With(logs.Event, logs.HTTP).Handler(), slog.LevelWarn),
	}
}

// listen opens an address. A socket left behind by a crashed process is replaced; only its owner
// can connect to a socket.
func listen(ctx context.Context, address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, unixPrefix)
	if !unix {
		return new(net.ListenConfig).Listen(ctx, "tcp", address)
	}
	l, err := privateSocket(ctx, path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	if c, answered := new(net.Dialer).DialContext(ctx, "unix", path); answered == nil {
		return nil, errors.Join(err, c.Close())
	}
	if info, there := os.Lstat(path); there != nil || info.Mode().Type() != os.ModeSocket {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return privateSocket(ctx, path)
}

// Address returns the server's address, HOST:PORT or unix:PATH.
func (s *Server) Address() string {
	if a := s.listener.Addr(); a.Network() == "unix" {
		return unixPrefix + a.String()
	}
	return s.listener.Addr().String()
}

// URL returns the server's URL for clients. For a server that listens on all interfaces it has a
// configured name or, without one, an address of this machine.
func (s *Server) URL() string {
	a := s.Address()
	if strings.HasPrefix(a, unixPrefix) {
		return a
	}
	host, port, err := net.SplitHostPort(a)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		a = net.JoinHostPort(cmp.Or(s.name, ownAddress(), "localhost"), port)
	}
	return "http://" + a
}

// Close stops the server; requests in progress have a second to finish.
func (s *Server) Close() error { return s.Stop(time.Second) }

// Stop stops the server; requests in progress may finish within the given time.
func (s *Server) Stop(within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
