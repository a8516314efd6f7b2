package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/serve"
	"unfold/cmd/internal/web/webtest"
	"unfold/internal/outputlog"
	"unfold/stream/streamtest"
)

// smallModel learns a model of small.csv, in a new workspace as the current folder.
func smallModel(t *testing.T) {
	t.Helper()
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "-o", "m.unfold", "--columns", "x,y,z", "--id", "name")
}

// begun is a running unfold serve, or a stage with the same HTTP interface.
type begun struct {
	*member
	client *http.Client
	url    string
}

// asking returns a client of a process that listens on an address.
func asking(m *member, address string) begun {
	client, url := webtest.Client(address)
	return begun{m, client, url}
}

// begin starts unfold serve.
func begin(t *testing.T, args ...string) begun {
	t.Helper()
	m := start(t, "serve", args...)
	return asking(m, m.said(`address=(\S+)`)[1])
}

// get returns the status and the body of a page; post sends JSON to /place.
func (b begun) get(t *testing.T, path string) (int, string) {
	t.Helper()
	resp, err := b.client.Get(b.url + path)
	return read(t, resp, err)
}

func (b begun) post(t *testing.T, body string) (int, string) {
	t.Helper()
	return b.ask(t, "/place", body)
}

func (b begun) ask(t *testing.T, path, body string) (int, string) {
	t.Helper()
	resp, err := b.client.Post(b.url+path, "application/json", strings.NewReader(body))
	return read(t, resp, err)
}

// place is a place in a JSON response.
type place struct {
	ID     any     `json:"id"`
	X, Y   float32 // only for two dimensions
	Sigma  float32 `json:"sigma"`
	Global float32 `json:"novelty_global"`
	Error  string  `json:"error"`
}

// serve answers on an address and on a socket until it is interrupted. It places as embed does.
func TestServe(t *testing.T) {
	smallModel(t)
	const row = `{"name": "new", "x": 0.5172839, "y": 1.5, "z": 2, "more": "x"}`
	if err := os.WriteFile("row.jsonl", []byte(row+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, line, stderr := runInput(t, "row.jsonl", "embed", "--lines", "-m", "m.unfold")
	var want place
	if err := json.Unmarshal([]byte(line), &want); code != 0 || err != nil || want.ID != "new" || want.Sigma == 0 || stderr != "" {
		t.Fatalf("embed --lines: exit %d, %q, %q, %v", code, line, stderr, err)
	}
	for name, listen := range map[string]string{"address": "127.0.0.1:0", "socket": "unix:" + filepath.Join(t.TempDir(), "s")} {
		t.Run(name, func(t *testing.T) {
			b := begin(t, "m.unfold", "--listen", listen)
			status, body := b.post(t, row)
			var got struct{ Places []place }
			if err := json.Unmarshal([]byte(body), &got); status != 200 || err != nil || len(got.Places) != 1 || got.Places[0] != want {
				t.Errorf("%d %s, want %+v", status, body, want)
			}
			for path, want := range map[string]string{"/model": `"columns":["x","y","z"]`, "/livez": "ok", "/readyz": "ready", "/openapi.json": `"3.1.0"`, "/": "/place"} {
				if status, body := b.get(t, path); status != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: %d %s, want %s", path, status, body, want)
				}
			}
			if status, body := b.post(t, `{"x": 0.5172839, "y": 1.5}`); status != 422 || !strings.Contains(body, `"column":"z"`) {
				t.Errorf("a column is missing: %d %s", status, body)
			}
			if code := b.leave(); code != 0 {
				t.Errorf("exit %d: %s", code, &b.log)
			}
			if text := b.log.String(); strings.Contains(text, "0.5172839") || strings.Count(text, "\n") != 1 {
				t.Errorf("requests are logged: %s", text)
			}
		})
	}
}

// serve uses a model that replaces the file. It rejects an invalid one and keeps the previous
// model.
func TestServeFollowsItsFile(t *testing.T) {
	smallModel(t)
	b := begin(t, "m.unfold", "--listen", "127.0.0.1:0", "--reload", "5ms")
	_, before := b.get(t, "/model")
	if err := os.WriteFile("bad", []byte("no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("bad", "m.unfold"); err != nil {
		t.Fatal(err)
	}
	streamtest.Await(t, "a word about it", func() bool { return strings.Contains(b.log.String(), "the one before stays") })
	if _, now := b.get(t, "/model"); now != before {
		t.Errorf("a bad file has replaced the model: %s", now)
	}
	must(t, "-q", "fit", "small.csv", "-o", "m.unfold", "--columns", "x,y,z", "--dims", "1")
	streamtest.Await(t, "the new model", func() bool { _, now := b.get(t, "/model"); return strings.Contains(now, `"dims":1`) })
	if code := b.leave(); code != 0 {
		t.Errorf("exit %d: %s", code, &b.log)
	}
}

// With pipes a request is answered before the next is sent, and serve ends with its input.
func TestServeStdio(t *testing.T) {
	smallModel(t)
	in, send := io.Pipe()
	receive, out := io.Pipe()
	code, stderr := make(chan int, 1), &outputlog.Journal{}
	go func() {
		code <- Run(t.Context(), System{Args: []string{"serve", "m.unfold", "--stdio", "--neighbors", "2"}, Stdin: in, Stdout: out, Stderr: stderr})
		out.Close()
	}()
	answers := bufio.NewReader(receive)
	for _, c := range []struct{ request, want string }{
		{`[{"x": 0.5, "y": 1.5, "z": 2}]`, `"neighbor":[`}, {`{"x": 0.5}`, `{"error":"row 1, column`},
	} {
		head := []byte{0, 0, 0, byte(len(c.request))}
		if _, err := send.Write(append(head, c.request...)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(answers, head); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		body := make([]byte, int(head[2])<<8|int(head[3]))
		if _, err := io.ReadFull(answers, body); err != nil || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s, %v, want %s", c.request, body, err, c.want)
		}
	}
	send.Close()
	if c := <-code; c != 0 || stderr.String() != "" {
		t.Errorf("exit %d: %s", c, stderr)
	}
}

// The default limits of the flags equal those of requests to a stage.
func TestServeLimits(t *testing.T) {
	var f struct{ limitFlags }
	parser, err := kong.New(&f, kong.Exit(func(int) { t.Fatal("no defaults") }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	got, err := f.limits()
	if want := (serve.Limits{}).Filled(); err != nil || got.Filled() != want {
		t.Errorf("%+v, %v, want %+v", got.Filled(), err, want)
	}
}
