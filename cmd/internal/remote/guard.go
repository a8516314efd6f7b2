package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"unfold/internal/dialguard"
)

// Limits of HTTP downloads, in addition to Files.Idle.
const (
	connectTime  = 15 * time.Second
	mostRedirect = 10
)

// client returns a client for pages of the named host.
func (f *Files) client(from *url.URL) *http.Client {
	named, _ := netip.ParseAddr(from.Hostname())
	dialer := &net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second, Control: dialguard.Control(dialguard.Plain(named))}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: connectTime,
			ResponseHeaderTimeout: f.idle(), MaxResponseHeaderBytes: 1 << 20, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			switch {
			case len(via) >= mostRedirect:
				return fmt.Errorf("it redirects more than %d times", mostRedirect)
			case to.URL.Scheme != "https" && (to.URL.Scheme != from.Scheme || from.Scheme != "http"):
				return fmt.Errorf("it redirects from %s to %s: an answer that others may change", from.Scheme, to.URL.Scheme)
			case to.URL.Hostname() != from.Hostname() && !f.Elsewhere:
				return fmt.Errorf("it redirects to another host, %q: name the address there, or allow it with --redirects", to.URL.Host)
			case to.URL.Hostname() != from.Hostname():
				return dialguard.Redirect(to.URL.Hostname(), dialguard.Plain(named))
			}
			return nil
		},
	}
}

// errIdle reports that no more bytes arrived.
var errIdle = errors.New("nothing comes any more")

// idleTime is the default timeout for further bytes.
const idleTime = time.Minute

func (f *Files) idle() time.Duration {
	if f.Idle > 0 {
		return f.Idle
	}
	return idleTime
}

// watchdog cancels a context when it is not fed for some time.
type watchdog struct {
	timer *time.Timer
	after time.Duration
}

// watched returns a context that a watchdog cancels, and a function that ends both.
func watched(ctx context.Context, after time.Duration) (context.Context, watchdog, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := watchdog{time.AfterFunc(after, func() { cancel(fmt.Errorf("%w, for %v", errIdle, after)) }), after}
	return ctx, w, func() { w.timer.Stop(); cancel(nil) }
}

// feed restarts the timeout.
func (w watchdog) feed() { w.timer.Reset(w.after) }

// cause returns errIdle if a watchdog ended the context, otherwise err.
func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); errors.Is(c, errIdle) {
		return c
	}
	return err
}
