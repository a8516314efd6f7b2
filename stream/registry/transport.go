package registry

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"

	"unfold/internal/dialguard"
)

// redirects is the maximum number of redirects.
const redirects = 3

// errTooLarge reports that a response exceeds Settings.MaxBytes.
var errTooLarge = errors.New("the answer is too large")

// bounded returns an HTTP client with limited times, sizes and redirects. hosts are the registry's
// own, as in URLs.
func bounded(s Settings, hosts []string) *http.Client {
	own := http.DefaultTransport.(*http.Transport).Clone()
	own.TLSClientConfig = s.TLS.Clone()
	own.MaxResponseHeaderBytes = 64 << 10
	own.ResponseHeaderTimeout = s.Timeout
	elsewhere := own.Clone()
	elsewhere.DialContext = (&net.Dialer{Timeout: s.Timeout, Control: dialguard.Control(netip.Addr{})}).DialContext
	// A schema is text in JSON, which may encode a byte as six.
	return &http.Client{Timeout: s.Timeout, Transport: &bounding{own, elsewhere, hosts, 6*s.MaxBytes + 64<<10}, CheckRedirect: redirect}
}

// redirect follows some redirects, except those that drop TLS, change the method, or lead to an inner
// address.
func redirect(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > redirects:
		return fmt.Errorf("more than %d redirects", redirects)
	case from.URL.Scheme == "https" && to.URL.Scheme != "https":
		return fmt.Errorf("a redirect from https to %s", to.URL.Scheme)
	case from.URL.Host != to.URL.Host && dialguard.Redirect(to.URL.Hostname(), netip.Addr{}) != nil:
		return dialguard.Redirect(to.URL.Hostname(), netip.Addr{})
	case from.Method != to.Method:
		return fmt.Errorf("a redirect of a %s", from.Method)
	}
	return nil
}

// bounding limits the decompressed size of bodies. Redirects to other hosts than the registry's own
// must not connect to inner addresses, such as those of clouds' metadata services.
type bounding struct {
	own, elsewhere *http.Transport
	hosts          []string
	max            int64
}

func (b *bounding) RoundTrip(r *http.Request) (*http.Response, error) {
	t := b.own
	if !slices.Contains(b.hosts, r.URL.Host) {
		t = b.elsewhere
	}
	answer, err := t.RoundTrip(r)
	if err == nil {
		answer.Body = &body{answer.Body, b.max}
	}
	return answer, err
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (b *bounding) CloseIdleConnections() {
	b.own.CloseIdleConnections()
	b.elsewhere.CloseIdleConnections()
}

type body struct {
	io.ReadCloser
	left int64
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
