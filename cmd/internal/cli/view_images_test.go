package cli

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
)

// imageFile returns the path of a file that pyarrow wrote: a struct of bytes and a path, as data
// sets on Hugging Face have it. Row 10 has a drawing with a script instead of a picture, row 11
// nothing.
func imageFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Pictures in a column of bytes are served with their media type; other bytes are not served.
func TestPicturesOfAMap(t *testing.T) {
	for _, name := range []string{"images.parquet", "images.arrow"} {
		v := start(t, "view", imageFile(t, name), "--listen", "127.0.0.1:0")
		url := "http://" + v.said(`address=(\S+)`)[1]
		get := func(path string) (int, http.Header, []byte) {
			resp, err := http.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, resp.Header, body
		}
		for id, kind := range map[string]string{"a0": "image/jpeg", "a1": "image/png"} {
			status, head, body := get("/api/pictures/" + id)
			_, format, err := image.DecodeConfig(bytes.NewReader(body))
			if err != nil || "image/"+format != kind || status != 200 || head.Get("Content-Type") != kind || head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%s: the picture of %s is %d %v, %s, %v", name, id, status, head, format, err)
			}
		}
		if status, _, _ := get("/api/pictures/.."); status != http.StatusNotFound {
			t.Errorf("%s: a path to elsewhere is %d", name, status)
		}
		for _, id := range []string{"a10", "a11", "a12", ""} {
			if status, _, body := get("/api/pictures/" + id); status != http.StatusNoContent || len(body) > 0 {
				t.Errorf("%s: the picture of %q is %d %q", name, id, status, body)
			}
		}
		if _, _, body := get("/api/points/a1"); !strings.Contains(string(body), `"image.path":"1.png"`) || strings.Contains(string(body), "image.bytes") || strings.Contains(string(body), "PNG") {
			t.Errorf("%s: the point is %s", name, body)
		}
	}
}

// The card of a point and the contact sheet show its picture, from the file or, if that is allowed,
// from elsewhere.
func TestPicturesOnThePage(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	v := start(t, "view", imageFile(t, "images.parquet"), "--listen", "127.0.0.1:0")
	b.Show("http://" + v.said(`address=(\S+)`)[1])
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.fly(1)`))
	b.Wait(`document.querySelector("#detail img")?.naturalWidth === 40`)
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.select(Uint32Array.from([0, 1, 2, 10]))`))
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#drawer button")].find(b => b.textContent === "Sheet").click()`))
	b.Wait(`document.querySelectorAll(".cell").length === 4 && [...document.querySelectorAll(".cell img")].map(i => i.naturalWidth).join() === "40,40,40"`)
	if alt := browser.Eval[string](b, `document.querySelector(".cell img").alt`); alt != "The picture of a0" {
		t.Errorf("the picture is called %q", alt)
	}
}

// Pictures of other servers are shown only from named origins.
func TestPicturesFromElsewhere(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	asked := make(chan string, 100)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path + r.Header.Get("Referer")
		w.Header().Set("Content-Type", "image/gif")
		io.WriteString(w, "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	}))
	defer elsewhere.Close()
	t.Chdir(t.TempDir())
	write(t, "map.csv", "id,x,y,link\na,0,0,"+elsewhere.URL+"/a.gif\nb,1,1,http://localhost:1/b.gif\n")
	open := func(args ...string) {
		v := start(t, "view", append([]string{"map.csv", "--listen", "127.0.0.1:0"}, args...)...)
		b.Show("http://" + v.said(`address=(\S+)`)[1])
		b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.fly(unfold.chosen.find("a"))`))
	}
	open()
	b.Wait(`document.querySelector("#detail a")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{ const i = new Image(); i.src = document.querySelector("#detail a").href; document.body.append(i); i.onerror = () => globalThis.blocked = true; }`))
	b.Wait(`globalThis.blocked && !document.querySelector("#detail img")`)
	if said := b.Said(); len(asked) > 0 || len(said) == 0 || !strings.Contains(said[0], "Content Security Policy") {
		t.Errorf("%d requests, %q", len(asked), said)
	}
	open("--images-from", elsewhere.URL)
	b.Wait(`document.querySelector("#detail img")?.naturalWidth === 1`)
	if path := <-asked; path != "/a.gif" {
		t.Errorf("the other server was asked for %q", path)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.fly(unfold.chosen.find("b"))`))
	b.Wait(`document.querySelector("#detail h2").textContent === "b" && !document.querySelector("#detail img")`)
	for _, bad := range []string{"example.org", "https://*.example.org", "https://example.org/x", "data:", "https://a;script-src", "'unsafe-inline'"} {
		if code, _, stderr := run(t, "view", "map.csv", "--images-from", bad); code != exitUsage || !strings.Contains(stderr, "origin") {
			t.Errorf("--images-from %s: exit %d, %s", bad, code, stderr)
		}
	}
}
