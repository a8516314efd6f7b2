package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// under requests a page under a host name, with a token unless it is empty, and returns the status.
func (b begun) under(t *testing.T, host, token, path string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := b.client.Do(req)
	status, _ := read(t, resp, err)
	return status
}

// A server on a public address requires a token or --public. It rejects requests under foreign host
// names.
func TestListenBeyondThisMachine(t *testing.T) {
	smallModel(t)
	write(t, "token", "secret\n")
	for _, verb := range []string{"view", "serve"} {
		page := map[string]string{"view": "/api/map", "serve": "/model"}[verb]
		if code, _, stderr := run(t, verb, "m.unfold", "--listen", "0.0.0.0:0"); code != exitUsage || !strings.Contains(stderr, "--token-file") || !strings.Contains(stderr, "--public") {
			t.Errorf("%s: exit %d, %q", verb, code, stderr)
		}
		for name, c := range map[string]struct {
			args             []string
			plain, token     int
			elsewhere, named int
		}{
			"this machine": {nil, 200, 200, 421, 421},
			"token":        {[]string{"--listen", "0.0.0.0:0", "--token-file", "token"}, 401, 200, 401, 401},
			"public":       {[]string{"--listen", "0.0.0.0:0", "--public"}, 200, 200, 200, 200},
			"names":        {[]string{"--listen", "0.0.0.0:0", "--public", "--hosts", "map.example,other"}, 200, 200, 421, 200},
		} {
			t.Run(verb+" "+name, func(t *testing.T) {
				m := start(t, verb, append([]string{"m.unfold", "--listen", "127.0.0.1:0"}, c.args...)...)
				b := asking(m, m.said(`address=(\S+)`)[1])
				for _, q := range []struct {
					what, host, token string
					want              int
				}{{"an address", "10.0.0.1:8070", "", c.plain}, {"a token", "localhost", "secret", c.token}, {"another name", "evil.example", "", c.elsewhere}, {"a name", "map.example:80", "", c.named}} {
					if got := b.under(t, q.host, q.token, page); got != q.want {
						t.Errorf("by %s: %d, want %d", q.what, got, q.want)
					}
				}
				if got := b.under(t, "evil.example", "", "/livez"); got != 200 {
					t.Errorf("a probe by another name: %d", got)
				}
			})
		}
	}
}

// A stage can have an address for probes alone, with or without its other address. Clients that
// scrape metrics may use an IP address or a configured host name.
func TestProbeOfAStage(t *testing.T) {
	_, configuration := broker(t, "events", "places", "dead")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "http: 127.0.0.1:0\n", "http: off\nprobe: 127.0.0.1:0\nhttp_hosts: [unfold]\n", 1))
	m := join(t, "-c", configuration)
	b := asking(m, m.said(`answering probes on http://(\S+)`)[1])
	for path, want := range map[string]int{"/livez": 200, "/readyz": 503, "/metrics": 200, "/api/map": 404, "/model": 404} {
		for _, host := range []string{"10.1.2.3:8081", "unfold:8081"} {
			if got := b.under(t, host, "", path); got != want {
				t.Errorf("%s of %s: %d, want %d", path, host, got, want)
			}
		}
	}
	if got := b.under(t, "evil.example", "", "/metrics"); got != 421 {
		t.Errorf("metrics by another name: %d", got)
	}
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// view and serve can have an address for probes alone, without pages, places or a token.
func TestProbeOfServers(t *testing.T) {
	smallModel(t)
	write(t, "token", "secret\n")
	for _, verb := range []string{"view", "serve"} {
		m := start(t, verb, "m.unfold", "--listen", "127.0.0.1:0", "--token-file", "token", "--probe", "127.0.0.1:0", "--hosts", "unfold")
		b := asking(m, m.said(`answering probes on http://(\S+)`)[1])
		for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 404, "/api/map": 404, "/model": 404, "/place": 404} {
			if got := b.under(t, "unfold:8081", "", path); got != want {
				t.Errorf("%s: %s is %d, want %d", verb, path, got, want)
			}
		}
		if code := m.leave(); code != 0 {
			t.Errorf("%s: exit code %d", verb, code)
		}
		if code, _, stderr := run(t, verb, "m.unfold", "--listen", "127.0.0.1:0", "--probe", "nowhere"); code != exitFailed || !strings.Contains(stderr, "--probe") {
			t.Errorf("%s: exit %d, %s", verb, code, stderr)
		}
	}
}
