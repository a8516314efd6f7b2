package registry

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

// Settings are the address and credentials of a registry.
type Settings struct {
	// URL is its address, such as http://localhost:8081; several servers of one registry are
	// separated by commas and tried in turn.
	URL string
	// User and Password are credentials (HTTP basic), if User is not empty. They may also be in
	// URL.
	User, Password string
	// TLS is the configuration for https, nil for the system's certificates.
	TLS *tls.Config
	// Timeout is the timeout of each request (10s); all requests for one schema have three times as
	// long.
	Timeout time.Duration
	// MaxBytes is the maximum size of a schema with all its references (4 MiB).
	MaxBytes int64
}

// Client asks a registry. It is safe for concurrent use.
type Client struct {
	servers []server
	caller  *http.Client
	max     int64
	timeout time.Duration
	ids     cache[int, *Schema]
	guids   cache[string, *Schema]
	written cache[registration, int]
	// confirmed is when an unknown schema was last asked for again.
	confirmed atomic.Int64
}

// Close closes idle connections. The client may be used again.
func (c *Client) Close() { c.caller.CloseIdleConnections() }

// server is one of the registry's addresses.
type server struct {
	address string // without credentials
	client  *sr.Client
}

// New returns a client. It does not connect yet.
func New(s Settings) (*Client, error) {
	s.Timeout = cmp.Or(s.Timeout, 10*time.Second)
	s.MaxBytes = cmp.Or(s.MaxBytes, 4<<20)
	c := &Client{max: s.MaxBytes, timeout: 3 * s.Timeout, ids: newCache[int](weigh), guids: newCache[string](weigh),
		written: newCache[registration](func(int) int { return 4096 })}
	var urls []*url.URL
	var hosts []string
	for _, text := range strings.Split(s.URL, ",") {
		u, err := address(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		urls, hosts = append(urls, u), append(hosts, u.Host)
	}
	c.caller = bounded(s, hosts)
	for _, u := range urls {
		user, password := s.User, s.Password
		if u.User != nil {
			user = u.User.Username()
			password, _ = u.User.Password()
			// Errors show the address.
			u.User = nil
		}
		options := []sr.ClientOpt{sr.URLs(u.String()), sr.HTTPClient(c.caller), sr.UserAgent("unfold")}
		if user != "" {
			options = append(options, sr.BasicAuth(user, password))
		}
		client, err := sr.NewClient(options...)
		if err != nil {
			return nil, fmt.Errorf("schema registry %s: %w", u, err)
		}
		c.servers = append(c.servers, server{u.String(), client})
	}
	return c, nil
}

// address checks a URL. Errors do not repeat a URL, which may contain a password.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return nil, errors.New("schema registry: no URL: write one as http://localhost:8081")
	case err != nil:
		return nil, errors.New("schema registry: its URL cannot be read: write one as http://localhost:8081")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("schema registry: %q is no address: write one as http://localhost:8081", u.Redacted())
	}
	return u, nil
}
