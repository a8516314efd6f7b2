package viewer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/view"
)

// rings returns n x 64 pixels: rings of different sizes in pictures of 8 x 8.
func rings(n int) vec.Matrix[float32] {
	x := vec.New[float32](n, 64)
	for i := range n {
		for k := range 64 {
			r := math.Hypot(float64(k%8)-3.5, float64(k/8)-3.5)
			x.Row(i)[k] = float32(math.Exp(-(r - float64(i%4)) * (r - float64(i%4)) / 2))
		}
	}
	return x
}

// A point whose vector is a picture shows it in its card and when the pointer rests on it. A selection shows the
// pictures of all its points. Long texts are shown in full, and web addresses are links.
func TestPointsShowWhatTheyAre(t *testing.T) {
	in := blobs(40, "a", "b", "c")
	in.Vectors = rings(len(in.X))
	text, page := make([]string, len(in.X)), make([]string, len(in.X))
	for i := range text {
		text[i], page[i] = strings.Repeat(fmt.Sprint("sentence ", i, " "), 25), fmt.Sprint("https://example.org/", i)
	}
	in.Columns = append(in.Columns, table.StringColumn("text", text), table.StringColumn("page", page), table.StringColumn("bad", hostileLinks(len(text))))
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "rings", Vectors: 1 << 20})
	put(t, hub, in)
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	if n := browser.Eval[int](b, `unfold.store.columns.filter(c => c.kind === "category").length`); n < 1 {
		t.Errorf("%d categories", n)
	}
	at := browser.Eval[[]float64](b, `unfold.camera.toScreen(unfold.store.x[unfold.chosen.find("p5")], unfold.store.y[unfold.chosen.find("p5")])`)
	b.Do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	b.Wait(`document.querySelector("#tip .picture")?.width === 8`)
	do(b, `unfold.actions.pin(unfold.chosen.find("p5"))`)
	b.Wait(`document.querySelector("#detail .picture")?.height === 8`)
	// The ring of p5 has a radius of 1: it is dark there, and light in the corner.
	if got := browser.Eval[[]int](b, `(() => { const c = document.querySelector("#detail .picture").getContext("2d"); const d = c.getImageData(0, 0, 8, 8).data; return [d[4 * (4 * 8 + 4)], d[0]]; })()`); got[0] > 60 || got[1] < 200 {
		t.Errorf("the picture has %v on the ring and in the corner", got)
	}
	if got := browser.Eval[bool](b, fmt.Sprintf(`[...document.querySelectorAll("#detail dd")].some(d => d.textContent === %q && d.scrollWidth <= d.clientWidth + 1)`, text[5])); !got {
		t.Error("the card does not have the whole text")
	}
	if got := browser.Eval[string](b, `[...document.querySelectorAll("#detail a")].map(a => a.href + " " + a.rel).join()`); got != "https://example.org/5 noopener noreferrer" {
		t.Errorf("links are %q", got)
	}
	do(b, `unfold.actions.select(Uint32Array.from({length: 90}, (_, i) => i))`, `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Sheet").click()`)
	b.Wait(`document.querySelectorAll(".sheet .cell .picture").length > 20`)
	do(b, `document.querySelector(".sheet .cell").click()`)
	b.Wait(`document.querySelector("#detail h2").textContent === "p0"`)
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

func hostileLinks(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("javascript:alert(", i, ")")
	}
	return out
}

// Without pictures a contact sheet has the texts.
func TestSheetOfTexts(t *testing.T) {
	in := blobs(40, "a", "b", "c")
	text := make([]string, len(in.X))
	for i := range text {
		text[i] = fmt.Sprint("this is sentence ", i)
	}
	in.Columns = append(in.Columns, table.StringColumn("text", text))
	b, _ := show(t, browser.Settings{}, "", in)
	do(b, `unfold.actions.select(Uint32Array.from({length: 30}, (_, i) => i))`, `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Sheet").click()`)
	b.Wait(`document.querySelector(".sheet .cell .snippet")?.textContent.startsWith("this is sentence")`)
}
