package viewer

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// The picture is saved as PNG, twice as large, and as SVG, with title, names, legend and all points, and no text of data
// can become markup.
func TestSavePicture(t *testing.T) {
	in := blobs(200, "a", "<b> & \x01", "a long name of a class that takes two lines")
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: `blobs </title><script>`})
	put(t, hub, in)
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	b.Wait(`unfold.names.labels.length === 3`)
	do(b, `(() => { const make = URL.createObjectURL; URL.createObjectURL = b => { window.saved = b; return make.call(URL, b); }; })()`)
	saved := func(button string) []byte {
		t.Helper()
		do(b, `window.saved = null`, `unfold.saving.open()`, `[...document.querySelectorAll("#save button")].find(b => b.textContent.startsWith("`+button+`")).click()`)
		b.Wait(`window.saved`)
		text := browser.Eval[string](b, `new Promise(done => { const r = new FileReader(); r.onload = () => done(r.result.split(",")[1]); r.readAsDataURL(saved); })`)
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	img, err := png.Decode(bytes.NewReader(saved("PNG, 2560")))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 2560 || size.Y != 1600 {
		t.Errorf("the picture is %v", size)
	}
	colors := 0
	for y := 90; y < 1590; y++ {
		for x := 20; x < 2000; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); max(r, g, b)-min(r, g, b) > 0x3000 {
				colors++
			}
		}
	}
	if colors < 8000 {
		t.Errorf("the picture has %d coloured pixels", colors)
	}
	d := xml.NewDecoder(bytes.NewReader(saved("SVG")))
	dots, elements, text := 0, map[string]int{}, ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "d" {
					dots += strings.Count(a.Value, "h0")
				}
			}
		case xml.CharData:
			text += string(e) + "|"
		}
	}
	if dots != 600 || elements["script"] != 0 || elements["circle"] != 3 {
		t.Errorf("the drawing has %d dots and %v", dots, elements)
	}
	for _, want := range []string{"blobs </title><script>", "<b> & \uFFFD", "a long name of a class|", "that takes two lines|"} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing lacks %q: %q", want, text)
		}
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

// Given labels take precedence over clusters for colours and names. Dates are shown without a time.
func TestLabelsFirst(t *testing.T) {
	in := blobs(20, "a", "b", "c")
	cluster, day := make([]int64, len(in.X)), make([]string, len(in.X))
	for i := range cluster {
		cluster[i], day[i] = int64(i%4), "2024-02-0"+string(rune('1'+i%9))
	}
	in.Columns = append([]table.Column{table.Int64Column("cluster", cluster), in.Columns[0].Renamed("attack")}, table.StringColumn("day", day))
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs", Label: "attack"})
	put(t, hub, in)
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	if got := browser.Eval[string](b, `unfold.store.columns[unfold.painting.column].name + " " + unfold.store.text(0, 2)`); got != "attack 2024-02-01" {
		t.Errorf("the page begins with %q", got)
	}
}
