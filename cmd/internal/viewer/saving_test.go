package viewer

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strings"
	"testing"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// savedFile returns the file that a button of the dialog of pictures saves.
func savedFile(t *testing.T, b *browser.Tab, button string) []byte {
	t.Helper()
	do(b, `if (!("saved" in window)) { const make = URL.createObjectURL; URL.createObjectURL = b => { window.saved = b; return make.call(URL, b); }; }`,
		`window.saved = null`, `unfold.saving.open()`, `[...document.querySelectorAll("#save button")].find(b => b.textContent.startsWith("`+button+`")).click()`)
	b.Wait(`window.saved`)
	text := browser.Eval[string](b, `new Promise(done => { const r = new FileReader(); r.onload = () => done(r.result.split(",")[1]); r.readAsDataURL(saved); })`)
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// The arrivals of a stage are saved as an animation, which begins with the first and ends with all.
// The page then has the same contents as before.
func TestSaveAnimation(t *testing.T) {
	b := browser.Open(t, browser.Settings{Width: 900, Height: 600})
	hub := view.New(view.Settings{Title: "arrivals", Live: true})
	const begun = 1.7e12
	for i, class := range []string{"first", "second", "third"} {
		in := blobs(60, class, class, class)
		ids := make([]string, len(in.X))
		for k := range ids {
			ids[k], in.X[k] = fmt.Sprint(class, k), in.X[k]+float32(40*i)
		}
		in.ID, in.At = table.StringColumn("id", ids), begun+float64(60_000*i)
		put(t, hub, in)
	}
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	data := savedFile(t, b, "Animated PNG of the last 2 minutes")
	if n := browser.Frames(data); n != 40 {
		t.Errorf("%d pictures", n)
	}
	first, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	// The browser decodes all pictures; the last one has more points than the first.
	points := browser.Eval[[]int](b, `(async () => {
		const decoder = new ImageDecoder({data: await saved.arrayBuffer(), type: "image/png"});
		await decoder.tracks.ready;
		await decoder.completed;
		const out = [decoder.tracks.selectedTrack.frameCount];
		for (const frameIndex of [0, 20, 39]) {
			const { image } = await decoder.decode({frameIndex});
			const c = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext("2d");
			c.drawImage(image, 0, 0);
			const d = c.getImageData(0, 0, image.displayWidth - 260, image.displayHeight).data;
			let n = 0;
			for (let i = 0; i < d.length; i += 4) if (Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 40) n++;
			out.push(n);
		}
		return out;
	})()`)
	if points[0] != 40 || points[1] == 0 || points[2] < points[1]*3/2 || points[3] < points[2]*5/4 {
		t.Errorf("pictures and coloured pixels: %v", points)
	}
	if size := first.Bounds().Size(); size.X != 900 || size.Y != 600 {
		t.Errorf("the first picture is %v", size)
	}
	if paused := browser.Eval[bool](b, `unfold.timeline.paused`); paused || len(data) > 2<<20 {
		t.Errorf("%d bytes, and the page is paused: %v", len(data), paused)
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

// A picture of a comparison has both maps.
func TestSaveBothMaps(t *testing.T) {
	in := blobs(100, "a", "b", "c")
	hub, other := view.New(view.Settings{Title: "one"}), view.New(view.Settings{Title: "two"})
	put(t, hub, in)
	for i := range in.X {
		in.X[i], in.Y[i] = in.Y[i], -in.X[i]
	}
	put(t, other, in)
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Other: other})
	b := browser.Open(t, browser.Settings{})
	b.Show(url)
	b.Wait(`unfold.compare.pane?.labels.length === 3 && unfold.names.labels.length === 3`)
	drawing := string(savedFile(t, b, "SVG"))
	if dots := strings.Count(drawing, "h0"); dots != 600 || strings.Count(drawing, ">a</text>") != 3 || strings.Count(drawing, ">two</text>") != 1 || strings.Count(drawing, ">one</text>") != 1 {
		t.Errorf("the drawing has %d dots: %.2000s", dots, drawing)
	}
	img, err := png.Decode(bytes.NewReader(savedFile(t, b, "PNG, 1280 × 800")))
	if err != nil {
		t.Fatal(err)
	}
	var halves [2]int
	for y := 80; y < 800; y++ {
		for x := range 1020 {
			if r, g, b, _ := img.At(x, y).RGBA(); max(r, g, b)-min(r, g, b) > 0x3000 {
				halves[x*2/1020]++
			}
		}
	}
	if min(halves[0], halves[1]) < 1000 {
		t.Errorf("coloured pixels of both halves: %v", halves)
	}
}

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
	saved := func(button string) []byte { t.Helper(); return savedFile(t, b, button) }
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
