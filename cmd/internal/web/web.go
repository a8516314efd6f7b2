package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"unfold/cmd/internal/logs"
)

// Server answers on one address until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan error
}

// Handler returns the pages. Ready returns nil if the stage is ready, and what there is
// to say all the same, or the reason why it is not; metrics serves /metrics.
func Handler(ready func() (detail string, err error), metrics http.Handler) http.Handler {
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
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "unfold\n/livez\n/readyz\n/metrics")
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

// Listen begins to answer on address; port 0 takes a free one. What goes wrong with
// a request, log has as a warning.
func Listen(ctx context.Context, address string, h http.Handler, log *slog.Logger) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("http: %w; name another address, or off", err)
	}
	s := &Server{
		listener: l,
		http: &http.Server{
			Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
			ErrorLog: slog.NewLogLogger(log.With(logs.Event, logs.HTTP).Handler(), slog.LevelWarn),
		},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// Address is where the server answers, HOST:PORT.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server; requests under way have a second to finish.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
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
