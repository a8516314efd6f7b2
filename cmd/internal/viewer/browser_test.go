package viewer

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// hostile are texts that would do harm if interpreted as markup, a formula or a file name, or that
// break the layout.
var hostile = []string{
	`<img src=x onerror="document.title='taken'">`, `"><script>document.title='taken'</script>`, `javascript:alert(1)`, `=HYPERLINK("http://evil")`,
	"a,b\r\nc;\"d\"", "\u202Eright to left\u202C", "emoji 👩‍👩‍👧‍👦 漢字", "${1+1}{{2}}", strings.Repeat("long ", 60), "__proto__",
}

// blobs returns three clouds of n points each: classes a, b and c at (-10, 0), (10, 0) and (0, 15).
func blobs(n int, names ...string) view.Rows {
	at := [][2]float64{{-10, 0}, {10, 0}, {0, 15}}
	r := rand.New(rand.NewPCG(1, 2))
	var in view.Rows
	var ids, class []string
	var value []float64
	for i := range 3 * n {
		k := i % 3
		in.X = append(in.X, float32(at[k][0]+r.NormFloat64()))
		in.Y = append(in.Y, float32(at[k][1]+r.NormFloat64()))
		ids = append(ids, fmt.Sprintf("p%d", i))
		class = append(class, names[k])
		value = append(value, float64(i)+0.5)
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.StringColumn("class", class), table.Float64Column("value", value)}
	return in
}

// show opens a browser on a hub of blobs.
func show(t *testing.T, s browser.Settings, query string, in view.Rows) (*browser.Tab, *view.Hub) {
	t.Helper()
	b := browser.Open(t, s)
	hub := view.New(view.Settings{Title: "blobs", Live: true})
	put(t, hub, in)
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url + "/" + query)
	t.Cleanup(func() {
		if said := b.Said(); len(said) > 0 {
			t.Errorf("the page complained: %q", said)
		}
	})
	return b, hub
}

func put(t *testing.T, hub *view.Hub, in view.Rows) {
	t.Helper()
	if err := hub.Put(in); err != nil {
		t.Fatal(err)
	}
	hub.Tick()
}

// picture decodes a picture of the page.
func picture(t *testing.T, b *browser.Tab) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b.Picture()))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// colored counts the pixels of the map, outside the panels, that clearly have a colour.
func colored(img image.Image) (n int) {
	for y := 90; y < 730; y++ {
		for x := 20; x < 960; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if hi, lo := max(r, g, b), min(r, g, b); hi-lo > 0x3000 {
				n++
			}
		}
	}
	return n
}

const settled = `new Promise(r => setTimeout(r, 900)).then(() => true)`

// Points are added, changed and removed on the page as in the hub, also in its pixels, with WebGL
// and without.
func TestPointsComeAndGo(t *testing.T) {
	for name, c := range map[string]struct {
		s     browser.Settings
		query string
		want  string
	}{
		"without WebGL":  {browser.Settings{}, "", "software"},
		"emulated WebGL": {browser.Settings{WebGL: true}, "", "software"},
		"WebGL":          {browser.Settings{WebGL: true}, "?renderer=webgl2", "webgl2"},
	} {
		t.Run(name, func(t *testing.T) {
			b, hub := show(t, c.s, c.query, blobs(100, "a", "b", "c"))
			if got := browser.Eval[string](b, "unfold.renderer.name"); got != c.want {
				t.Fatalf("drawn by %s, want %s", got, c.want)
			}
			b.Wait(`document.getElementById("count").textContent.startsWith("300 points")`)
			browser.Eval[bool](b, settled)
			before := colored(picture(t, b))
			more := blobs(150, "d", "e", "f")
			ids := make([]string, len(more.X))
			for i := range ids {
				more.X[i], ids[i] = more.X[i]+4, fmt.Sprintf("q%d", i)
			}
			more.ID = table.StringColumn("id", ids)
			put(t, hub, more)
			b.Wait(`document.getElementById("count").textContent.startsWith("750 points")`)
			b.Wait(`document.querySelectorAll("#legend button").length === 6`)
			browser.Eval[bool](b, `new Promise(r => setTimeout(r, 3600)).then(() => true)`) // new points glow
			with := colored(picture(t, b))
			hub.Remove(ids...)
			hub.Tick()
			b.Wait(`document.getElementById("count").textContent.startsWith("300 points")`)
			browser.Eval[bool](b, settled)
			after := colored(picture(t, b))
			if before < 2000 || float64(with) < 1.6*float64(before) || math.Abs(float64(after-before)) > 0.1*float64(before) {
				t.Errorf("coloured pixels: %d, with more points %d, without them %d", before, with, after)
			}
			hub.Refresh(view.MapState{Version: 7}, view.Base{}, func(x, y float32) (float32, float32) { return x + 1000, y })
			b.Wait(`document.getElementById("count").textContent.endsWith("version 7")`)
			browser.Eval[bool](b, `new Promise(r => setTimeout(r, 1500)).then(() => true)`)
			if n := colored(picture(t, b)); n > before/50 {
				t.Errorf("%d coloured pixels after all points have moved away", n)
			}
		})
	}
}

// Both renderers draw the same picture, except for the edges of dots.
func TestRenderersAgree(t *testing.T) {
	var pictures []image.Image
	for _, query := range []string{"?renderer=software", "?renderer=webgl2"} {
		b, _ := show(t, browser.Settings{WebGL: true}, query, blobs(2000, "a", "b", "c"))
		browser.Eval[bool](b, settled)
		pictures = append(pictures, picture(t, b))
	}
	sum, n := 0.0, 0
	for y := 90; y < 780; y++ {
		for x := 20; x < 960; x++ {
			r1, g1, b1, _ := pictures[0].At(x, y).RGBA()
			r2, g2, b2, _ := pictures[1].At(x, y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 {
				n++
			}
			sum += math.Abs(float64(r1)-float64(r2)) + math.Abs(float64(g1)-float64(g2)) + math.Abs(float64(b1)-float64(b2))
		}
	}
	if mean := sum / (3 * 0xffff * 690 * 940); mean > 0.01 {
		t.Errorf("the pictures differ by %.4f on average, in %d pixels", mean, n)
	}
}

// Clicking a class shows it alone. A lasso around a cloud selects exactly its points, and so does
// the exported file.
func TestLegendAndLasso(t *testing.T) {
	b, _ := show(t, browser.Settings{}, "", blobs(200, "a", "b", "c"))
	b.Wait(`document.querySelectorAll("#legend button").length === 3`)
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#legend button")].find(b => b.title === "b").click()`))
	browser.Eval[bool](b, settled)
	b.Wait(`location.hash.includes("only=b")`)
	if got := browser.Eval[int](b, `(() => { let n = 0; unfold.store.each(s => { if (unfold.painting.shown(s)) n++; }); return n; })()`); got != 200 {
		t.Errorf("%d points are shown of class b, want 200", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#legend button")].at(-1).click()`)) // show all
	b.Do(chromedp.Evaluate[chromedp.Void](`(() => { const make = URL.createObjectURL; URL.createObjectURL = b => { window.saved = b; return make.call(URL, b); }; })()`))

	// The lasso surrounds the cloud of a, at (-10, 0), with a radius of 6 units.
	const corners = 24
	type xy struct{ X, Y float64 }
	at := func(i int) xy {
		phi := 2 * math.Pi * float64(i) / corners
		p := browser.Eval[[]float64](b, fmt.Sprintf("unfold.camera.toScreen(%v, %v)", -10+6*math.Cos(phi), 6*math.Sin(phi)))
		return xy{p[0], p[1]}
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-tool=lasso]").click()`))
	p := at(0)
	b.Do(chromedp.MouseEvent("mousePressed", p.X, p.Y, chromedp.Button("left"), chromedp.ClickCount(1)))
	for i := 1; i < corners; i++ {
		p = at(i)
		b.Do(chromedp.MouseEvent("mouseMoved", p.X, p.Y, chromedp.Button("left")))
	}
	b.Do(chromedp.MouseEvent("mouseReleased", p.X, p.Y, chromedp.Button("left"), chromedp.ClickCount(1)))
	b.Wait(`document.querySelector(".drawerhead strong")?.textContent === "200 points selected"`)
	if text := browser.Eval[string](b, `document.querySelector(".apart p").textContent`); text != "classa: 100% of these, 0% of the rest" {
		t.Errorf("what sets them apart: %q", text)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "CSV").click()`))
	lines := strings.Split(strings.TrimSpace(browser.Eval[string](b, `saved.text()`)), "\r\n")
	if len(lines) != 201 || lines[0] != "id,x,y,class,value" {
		t.Fatalf("%d lines, the first %q", len(lines), lines[0])
	}
	for _, line := range lines[1:] {
		var id int
		if _, err := fmt.Sscanf(line, "p%d,", &id); err != nil || id%3 != 0 || !strings.HasSuffix(line, fmt.Sprintf(",a,%d.5", id)) {
			t.Errorf("a row of the selection is %q, %v", line, err)
		}
	}
	b.Do(chromedp.KeyEvent("\x1b")) // Escape
	b.Wait(`document.getElementById("drawer").hidden`)
}

// The points whose class is least certain are listed, and a click shows one.
func TestAskALabel(t *testing.T) {
	in := blobs(20, "a", "b", "c")
	probability, entropy := make([]float32, 60), make([]float32, 60)
	for i := range entropy {
		probability[i], entropy[i] = .9, float32(i%50)/100
	}
	probability[41], entropy[41] = .5, .7
	in.Columns = append(in.Columns, table.Float32Column("class_probability", probability), table.Float32Column("class_entropy", entropy))
	b, _ := show(t, browser.Settings{}, "", in)
	b.Wait(`document.querySelectorAll("#uncertain button").length === 8`)
	first := `document.querySelector("#uncertain button")`
	if got := browser.Eval[string](b, first+`.textContent + ", " + `+first+`.title`); got != "p41c, c 0.5" {
		t.Errorf("the least certain point is %q", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](first + `.click()`))
	b.Wait(`document.querySelector("#detail h2")?.textContent.includes("p41")`)
}

// Text from events is always shown as text: classes, ids, column names, titles, file names.
func TestHostileTextStaysText(t *testing.T) {
	in := blobs(5, "a", "b", "c")
	var ids, class []string
	for i := range in.X {
		ids = append(ids, hostile[i%len(hostile)]+fmt.Sprint(i))
		class = append(class, hostile[i%len(hostile)])
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = nil
	for i, name := range hostile {
		in.Columns = append(in.Columns, table.StringColumn(name, slices.Concat(class[i:], class[:i])))
	}
	b, _ := show(t, browser.Settings{}, "", in)
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.pin(0)`), chromedp.Evaluate[chromedp.Void](`unfold.actions.select(Uint32Array.from([0,1,2,3,4,5,6,7,8,9]))`),
		chromedp.Evaluate[chromedp.Void](`(() => { const i = document.getElementById("search"); i.value = "i"; i.dispatchEvent(new Event("input")); })()`))
	b.Do(chromedp.MouseEvent("mouseMoved", 400, 400))
	b.Wait(`!document.getElementById("hits").hidden`)
	browser.Eval[bool](b, settled)
	if got := browser.Eval[string](b, `document.title`); got != "blobs – unfold" {
		t.Errorf("a text was taken for code: the title is %q", got)
	}
	// The page has one script in its body, the first messages in base64.
	if n := browser.Eval[int](b, `document.querySelectorAll("img, body script:not(#first), iframe, [onerror]").length`); n != 0 {
		t.Errorf("%d elements were made of texts", n)
	}
	options := browser.Eval[[]string](b, `[...document.querySelectorAll("#by option")].map(o => o.textContent)`)
	legend := browser.Eval[[]string](b, `[...document.querySelectorAll("#legend button")].map(o => o.title)`)
	for _, text := range hostile {
		short := text
		if !slices.Contains(options, short) || !slices.Contains(legend, short) {
			t.Errorf("%q is not shown as it is: columns %q, classes %q", text, options, legend)
		}
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`(() => { const make = URL.createObjectURL; URL.createObjectURL = b => { window.saved = b; return make.call(URL, b); }; })()`),
		chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "CSV").click()`))
	if csv := browser.Eval[string](b, `saved.text()`); strings.Contains(csv, "\n=") || strings.Contains(csv, ",=") || !strings.Contains(csv, `"'=HYPERLINK(""http://evil"")`) {
		t.Errorf("a spreadsheet could take a text for a formula: %.300q", csv)
	}
}

// The page reports that the server is unreachable, and reloads the state when it is back.
func TestReconnects(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "before", Live: true})
	put(t, hub, blobs(10, "a", "b", "c"))
	url, stop := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	stop()
	b.Wait(`document.getElementById("link").classList.contains("away")`)
	again := view.New(view.Settings{Title: "after", Live: true})
	put(t, again, blobs(20, "a", "b", "c"))
	serve(t, strings.TrimPrefix(url, "http://"), Settings{Hub: again})
	b.Wait(`document.getElementById("title").textContent === "after" && document.getElementById("count").textContent === "60 points" && !document.getElementById("link").classList.contains("away")`)
	for _, said := range b.Said() {
		if !strings.Contains(said, "WebSocket") && !strings.Contains(said, "ERR_CONNECTION_REFUSED") {
			t.Errorf("the page complained: %q", said)
		}
	}
}

// The address contains the state of the view, and a link restores it.
func TestStateInAddress(t *testing.T) {
	b, _ := show(t, browser.Settings{}, "", blobs(50, "a", "b", "c"))
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(1)`), chromedp.Evaluate[chromedp.Void](`unfold.actions.fly(4)`))
	b.Wait(`location.hash.includes("by=value") && location.hash.includes("point=p4")`)
	browser.Eval[bool](b, settled)
	camera := `[unfold.camera.x, unfold.camera.y, unfold.camera.zoom].map(v => Math.round(v * 1e3))`
	want := browser.Eval[[]int](b, camera)
	b.Do(chromedp.Reload())
	b.Wait(`document.body.dataset.ready === "yes"`)
	if got := browser.Eval[[]int](b, camera); !slices.Equal(got, want) {
		t.Errorf("the view is %v, was %v", got, want)
	}
	if got := browser.Eval[string](b, `document.querySelector("#detail h2").textContent + " " + unfold.store.columns[unfold.painting.column].name`); got != "p4 value" {
		t.Errorf("shown is %q", got)
	}
}
