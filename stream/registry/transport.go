package registry

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// redirects is how many a request follows.
const redirects = 3

// errTooLarge says that an answer is larger than Settings.MaxBytes allows.
var errTooLarge = errors.New("the answer is too large")

// bounded returns an HTTP client of bounded times, sizes and redirects.
func bounded(s Settings) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = s.TLS.Clone()
	t.MaxResponseHeaderBytes = 64 << 10
	t.ResponseHeaderTimeout = s.Timeout
	// A schema is text within JSON, which may write a byte as six.
	return &http.Client{Timeout: s.Timeout, Transport: bounding{t, 6*s.MaxBytes + 64<<10}, CheckRedirect: redirect}
}

// redirect follows some redirects, none that sheds TLS or makes another act of it.
func redirect(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	switch {
	case len(via) > redirects:
		return fmt.Errorf("more than %d redirects", redirects)
	case from.URL.Scheme == "https" && to.URL.Scheme != "https":
		return fmt.Errorf("a redirect from https to %s", to.URL.Scheme)
	case from.Method != to.Method:
		return fmt.Errorf("a redirect of a %s", from.Method)
	}
	return nil
}

// bounding bounds bodies, as they are once decompressed.
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
