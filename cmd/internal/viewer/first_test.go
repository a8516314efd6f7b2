package viewer

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
	page "unfold/web"
)

// The page has the first messages of the state, unless they are large.
func TestFirstMessages(t *testing.T) {
	wide := blobs(200, "a", "b", "c")
	texts := make([]string, len(wide.X))
	for i := range texts {
		texts[i] = fmt.Sprintf("%0390d", i)
	}
	wide.Columns = append(wide.Columns, table.StringColumn("text", texts))
	for name, c := range map[string]struct {
		in    *view.Rows
		wants bool
	}{"no points": {}, "points": {new(blobs(20, "a", "b", "</script>")), true}, "many values": {&wide, false}} {
		hub := view.New(view.Settings{Title: "t"})
		if c.in != nil {
			put(t, hub, *c.in)
		}
		url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
		status, head, body := ask(t, url+"/", map[string]string{"Accept": "text/html", "Accept-Encoding": "gzip"})
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil || status != 200 || !bytes.HasSuffix(page, []byte("</body>\n</html>\n")) {
			t.Fatalf("%s: %d %v %q", name, status, err, page)
		}
		found := regexp.MustCompile(`<script type="application/octet-stream" id="first">([A-Za-z0-9+/=]*)</script>`).FindSubmatch(page)
		if (found != nil) != c.wants {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		if found == nil {
			continue
		}
		packed, err := base64.StdEncoding.DecodeString(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		if z, err = gzip.NewReader(bytes.NewReader(packed)); err != nil {
			t.Fatal(err)
		}
		messages, err := io.ReadAll(z)
		if err != nil || !bytes.Contains(messages[:40], []byte(`{"type":"hello"`)) || bytes.Contains(messages, []byte(whole)) || !bytes.Contains(messages, []byte("ARROW1")) && !bytes.Contains(messages, []byte("p59")) {
			t.Errorf("%s: %v, %q", name, err, messages)
		}
		if head.Get("Cache-Control") != "no-store" || head.Get("ETag") != "" || head.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v", name, head)
		}
	}
}

// Browsers read the page's files as they were built, whatever the encoding.
func TestEncodedFilesAreWhole(t *testing.T) {
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: view.New(view.Settings{})})
	b := browser.Open(t, browser.Settings{})
	b.Show(url)
	for _, name := range []string{"app.js", "early.js"} {
		got := browser.Eval[struct {
			Text, Encoding string
		}](b, fmt.Sprintf(`fetch(%q).then(async r => ({encoding: r.headers.get("Content-Encoding"), text: await r.text()}))`, name))
		want, err := fs.ReadFile(page.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != string(want) || got.Encoding == "" {
			t.Errorf("%s has %d bytes in the encoding %q, and %d as it was built", name, len(got.Text), got.Encoding, len(want))
		}
	}
}

// Browsers keep a script as long as its address has its version, and ask whether an address
// without it, or with another, still has the same.
func TestScriptsAreKept(t *testing.T) {
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: view.New(view.Settings{})})
	_, _, body := ask(t, url+"/", map[string]string{"Accept": "text/html"})
	found := regexp.MustCompile(`src="((?:app|early)\.js)(\?[0-9a-f]{16})"`).FindAllStringSubmatch(body, -1)
	if len(found) != 2 {
		t.Fatalf("the page has %q", found)
	}
	for _, script := range found {
		for query, want := range map[string]string{script[2]: "private, max-age=31536000, immutable", "": "no-cache", "?0123456789abcdef": "no-cache", "?": "no-cache"} {
			status, head, text := ask(t, url+"/"+script[1]+query, nil)
			file, err := fs.ReadFile(page.Files(), script[1])
			if status != 200 || err != nil || text != string(file) || head.Get("Cache-Control") != want {
				t.Errorf("%s%s: %d, %d bytes, %v, %v", script[1], query, status, len(text), head, err)
			}
		}
	}
}
