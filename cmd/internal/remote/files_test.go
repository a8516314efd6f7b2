package remote

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"unfold/ingest/table"
	"unfold/internal/testkit/names"
)

// web serves good and bad responses of web hosts.
func web(t *testing.T) string {
	t.Helper()
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/rows.csv", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x,y\n1,2\n") })
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 3<<20)) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for piece := make([]byte, 1<<20); ; {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) { <-release })
	mux.HandleFunc("/stalls", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "x,y\n")
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/rows.csv", http.StatusFound) })
	mux.HandleFunc("/there", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/rows.csv", http.StatusFound)
	})
	mux.HandleFunc("/metadata", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/hostname", http.StatusFound)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	return s.URL
}

// Downloads are limited in bytes and time, and only the named host is asked.
func TestBounds(t *testing.T) {
	base := web(t)
	for path, c := range map[string]struct {
		set  *Files
		want string // in the error; "" if the download succeeds
	}{
		"/rows.csv": {&Files{}, ""},
		"/here":     {&Files{}, ""},
		"/large":    {&Files{Most: 1 << 20}, "more than 1.0 MiB; --max-download"},
		"/endless":  {&Files{Most: 4 << 20}, "more than 4.0 MiB"},
		"/silent":   {&Files{Idle: 50 * time.Millisecond}, ""},
		"/stalls":   {&Files{Idle: 50 * time.Millisecond}, "nothing comes any more"},
		"/there":    {&Files{}, "another host"},
		"/there?":   {&Files{Elsewhere: true}, ""},
		"/metadata": {&Files{Elsewhere: true}, "169.254.169.254, an address of the local link"},
		"/round":    {&Files{}, "more than 10 times"},
		"/file":     {&Files{Elsewhere: true}, "redirects from http to file"},
	} {
		f := c.set
		local, err := f.Local(context.Background(), base+path)
		switch {
		case path == "/silent":
			if !table.IsBadInput(err) {
				t.Errorf("%s: %v", path, err)
			}
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !table.IsBadInput(err)):
			t.Errorf("%s: %v, want %q", path, err, c.want)
		case c.want == "":
			if text, err := os.ReadFile(local); err != nil || !strings.HasPrefix(string(text), "x,y") {
				t.Errorf("%s: %q, %v", path, text, err)
			}
		}
		if left, _ := os.ReadDir(f.folder); err != nil && len(left) > 0 {
			t.Errorf("%s: %d files of what was not fetched are left", path, len(left))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// With a proxy, which connects itself, no redirect leads to an internal address either, in whatever
// form. proxy answers all requests and counts those for other hosts.
func TestRedirectsThroughProxies(t *testing.T) {
	const named = "http://data.example/"
	targets := map[string]bool{
		"169.254.169.254": false, "[::ffff:a9fe:a9fe]": false, "[fe80::1]": false, "2852039166": false, "0xa9fea9fe": false, "0xa9.0xfe.0xa9.0xfe": false,
		"0251.0376.0251.0376": false, "169.254.43518": false, "169.254.169.254.": false, "elsewhere.example": true, "93.184.216.34": true,
	}
	asked := map[string]bool{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "data.example" {
			http.Redirect(w, r, "http://"+strings.TrimPrefix(r.URL.Path, "/")+"/", http.StatusFound)
			return
		}
		asked[r.Host] = true
		fmt.Fprint(w, "x,y\n1,2\n")
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := &Files{Elsewhere: true}
	for target, allowed := range targets {
		from, err := url.Parse(named + target)
		if err != nil {
			t.Fatal(err)
		}
		c := f.client(from)
		c.Transport.(*http.Transport).Proxy = http.ProxyURL(at)
		resp, err := c.Get(from.String())
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != allowed || asked[target] != allowed {
			t.Errorf("%s: %v, asked: %v", target, err, asked[target])
		}
	}
}

// innerNames resolve to inner addresses, in every form that a name can have.
var innerNames = map[string]string{
	"plain.example": "169.254.169.254", "mapped.example": "::ffff:169.254.169.254", "local.example": "fe80::1", "amazon.example": "fd00:ec2::254",
	"nat.example": "64:ff9b::a9fe:a9fe", "tunnel.example": "2002:a9fe:a9fe::1", "alibaba.example": "100.100.100.200", "nowhere.example": "0.0.0.0",
	"both.example": "169.254.169.254 fd00:ec2::254",
}

// A name that resolves to an inner address is refused by that address: as the name in the address of
// an input, after a redirect, and when it resolved to another address before.
func TestNamesOfInnerAddresses(t *testing.T) {
	table := maps.Clone(innerNames)
	table["data.example"], table["turns.example"] = "127.0.0.1", "127.0.0.1|169.254.169.254"
	names.Set(t, table)
	base, err := url.Parse(web(t))
	if err != nil {
		t.Fatal(err)
	}
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+strings.TrimPrefix(r.URL.Path, "/")+":"+base.Port()+"/rows.csv", http.StatusFound)
	}))
	defer redirecting.Close()
	from, err := url.Parse(redirecting.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := &Files{Elsewhere: true, Idle: 10 * time.Second}
	defer f.Close()
	for name := range innerNames {
		for _, address := range []string{"http://" + name + ":" + base.Port() + "/rows.csv", "http://data.example:" + from.Port() + "/" + name} {
			if _, err := f.Local(t.Context(), address); !refusedInner(err) {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
	for i, want := range []bool{true, false} {
		_, err := f.Local(t.Context(), "http://turns.example:"+base.Port()+"/rows.csv?"+fmt.Sprint(i))
		if (err == nil) != want || err != nil && !refusedInner(err) {
			t.Errorf("turn %d: %v", i, err)
		}
	}
	if _, err := f.Local(t.Context(), "http://data.example:"+from.Port()+"/data.example"); err != nil {
		t.Errorf("a redirect to an address that may be asked: %v", err)
	}
}

func refusedInner(err error) bool {
	return table.IsBadInput(err) && strings.Contains(err.Error(), "an address of the local link or of a cloud's own services")
}
