package registry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
)

// redirects is the maximum number of redirects.
const redirects = 3

// errTooLarge reports that a response exceeds Settings.MaxBytes.
var errTooLarge = errors.New("the answer is too large")

// bounded returns an HTTP client with limited times, sizes and redirects.
func bounded(s Settings) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = s.TLS.Clone()
	t.MaxResponseHeaderBytes = 64 << 10
	t.ResponseHeaderTimeout = s.Timeout
	// A schema is text in JSON, which may encode a byte as six.
	return &http.Client{Timeout: s.Timeout, Transport: bounding{t, 6*s.MaxBytes + 64<<10}, CheckRedirect: redirect}
}

// redirect follows some redirects, except those that drop TLS, change the method, or lead to an
// address of the local link, where clouds have their metadata services.
func redirect(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > redirects:
		return fmt.Errorf("more than %d redirects", redirects)
	case from.URL.Scheme == "https" && to.URL.Scheme != "https":
		return fmt.Errorf("a redirect from https to %s", to.URL.Scheme)
	case linkLocal(to.URL.Hostname()) && from.URL.Host != to.URL.Host:
		return fmt.Errorf("a redirect to %s, an address of the local link", to.URL.Hostname())
	case from.Method != to.Method:
		return fmt.Errorf("a redirect of a %s", from.Method)
	}
	return nil
}

// linkLocal reports whether a host is an address of the local link.
func linkLocal(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLinkLocalUnicast()
}

// bounding limits the decompressed size of bodies.
type bounding struct {
	http.RoundTripper
	max int64
}

func (b bounding) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &body{answer.Body, b.max}
	}
	return answer, err
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
