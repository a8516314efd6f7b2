package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Limits of HTTP downloads, in addition to Files.Idle.
const (
	connectTime  = 15 * time.Second
	mostRedirect = 10
)

// services are addresses at which clouds give credentials to their own machines, in addition to
// link-local ones.
var services = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), // Alibaba Cloud
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle Cloud
	netip.MustParseAddr("fd00:42::42"),     // Scaleway
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon EC2
	netip.MustParseAddr("fd20:ce::254"),    // Google Cloud
}

// embedding are prefixes of IPv6 addresses that stand for an IPv4 address, with the byte at which
// that begins.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},  // NAT64 of a local network, in its usual form
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

// plain returns the IPv4 address that an IPv6 address stands for, or else the address itself.
func plain(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() || a.IsUnspecified() || a.IsLoopback() {
		return a
	}
	for _, e := range embedding {
		if e.prefix.Contains(a) {
			b := a.As16()
			return netip.AddrFrom4([4]byte(b[e.at : e.at+4]))
		}
	}
	return a
}

// inner reports whether an address is link-local, or a cloud's metadata service.
func inner(a netip.Addr) bool {
	a = plain(a)
	if a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return true
	}
	for _, s := range services {
		if a == s {
			return true
		}
	}
	return false
}

// refuse returns a control function that rejects connections to internal addresses. A name or a
// redirect may lead there by mistake or malice. It is called after name resolution.
func refuse(named netip.Addr) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("an address that cannot be read: %w", err)
		}
		if to := at.Addr(); inner(to) && plain(to) != named {
			return fmt.Errorf("it leads to %s, an address of the local link or of a cloud's own services: name that address itself if you mean it", to.WithZone(""))
		}
		return nil
	}
}

// allowed rejects the host of a redirect that is an internal address. refuse checks connections, but
// with a proxy (HTTP_PROXY) it is the proxy that connects, and it may read addresses in other forms,
// such as 2852039166 or 0xa9.0xfe.0xa9.0xfe.
func allowed(host string, named netip.Addr) error {
	to, err := netip.ParseAddr(host)
	if err == nil && inner(to) && plain(to) != named {
		return fmt.Errorf("it redirects to %s, an address of the local link or of a cloud's own services: name that address itself if you mean it", to.WithZone(""))
	}
	last := strings.TrimSuffix(host, ".")
	last = strings.ToLower(last[strings.LastIndexByte(last, '.')+1:])
	if err != nil && (strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "") {
		return fmt.Errorf("it redirects to %q, an address in an unusual form", host)
	}
	return nil
}

// client returns a client for pages of the named host.
func (f *Files) client(from *url.URL) *http.Client {
	named, _ := netip.ParseAddr(from.Hostname())
	dialer := &net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second, Control: refuse(plain(named))}
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
				return allowed(to.URL.Hostname(), plain(named))
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
