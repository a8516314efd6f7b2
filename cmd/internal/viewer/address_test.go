package viewer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
)

// do runs statements in the page.
func do(b *browser.Tab, statements ...string) {
	for _, s := range statements {
		b.Do(chromedp.Evaluate[chromedp.Void](s))
	}
}

// chosenIDs returns the ids of the selected points, sorted, as one text.
const chosenIDs = `[...(unfold.selection.slots ?? [])].map(s => unfold.store.id(s)).sort().join()`

// A link selects exactly the same points, however they were selected; "back" and "forward" undo and repeat steps, and a
// link that is pasted into an open page is followed.
func TestLinkShowsTheSame(t *testing.T) {
	b, _ := show(t, browser.Settings{}, "", blobs(300, "a", "b", "c"))
	reopened := func(what string) {
		t.Helper()
		browser.Eval[bool](b, settled)
		want := browser.Eval[string](b, chosenIDs)
		b.Do(chromedp.Reload())
		b.Wait(`document.body.dataset.ready === "yes"`)
		b.Wait(`unfold.selection.slots !== null`)
		if got := browser.Eval[string](b, chosenIDs); got != want || want == "" {
			t.Errorf("%s: the link selects %d points instead of %d", what, strings.Count(got, ",")+1, strings.Count(want, ",")+1)
		}
	}
	// A ragged lasso through the middle of a cloud, of more corners than a short link would keep.
	do(b, `(() => {
		const [cx, cy] = unfold.camera.toScreen(-10, 0);
		const r = i => 14 + 12 * ((i * 7919) % 100) / 100;
		unfold.selection.drawn(Array.from({length: 300}, (_, i) => [cx + r(i) * Math.cos(i * Math.PI / 150), cy + r(i) * Math.sin(i * Math.PI / 150)]));
	})()`)
	reopened("a lasso")
	do(b, `unfold.actions.select(Uint32Array.from([5, 77, 300]))`)
	reopened("single points")
	do(b, `unfold.search.find("7").then(() => unfold.selection.take(Uint32Array.from(unfold.search.hits), {find: "7"}))`)
	reopened("a search")

	title := `document.getElementById("detail").hidden ? "" : document.querySelector("#detail h2").textContent`
	shows := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`(%s) === %q`, title, want))
	}
	step := func(id string) {
		do(b, fmt.Sprintf(`unfold.actions.fly(unfold.chosen.find(%q))`, id))
		b.Wait(fmt.Sprintf(`location.hash.includes("point=%s")`, id))
	}
	step("p1")
	step("p2")
	do(b, `history.back()`)
	shows("p1")
	do(b, `history.forward()`)
	shows("p2")
	do(b, `location.hash = "#by=value&point=p7&x=-10&y=0&zoom=6"`)
	shows("p7")
	if got := browser.Eval[string](b, `[unfold.store.columns[unfold.painting.column].name, Math.round(unfold.camera.x), Math.round(unfold.camera.zoom), unfold.selection.slots].join()`); got != "value,-10,6," {
		t.Errorf("a pasted link shows %s", got)
	}
	do(b, `history.back()`)
	shows("p2")
}

// Exported numbers equal the input: 64-bit integers, single precision, times with zones.
func TestExportedNumbersAreExact(t *testing.T) {
	in := blobs(10, "a", "b", "c")
	n := len(in.X)
	big, short, when := make([]int64, n), make([]float32, n), make([]string, n)
	for i := range n {
		big[i], short[i], when[i] = 1<<60+int64(i), float32(i)/10, fmt.Sprintf("2024-01-%02dT10:00:00.5+02:00", i+1)
	}
	in.X[1], in.Y[1] = -0.1, 0.3
	in.Columns = []table.Column{table.Int64Column("big", big), table.Float32Column("short", short), table.StringColumn("when", when)}
	b, _ := show(t, browser.Settings{}, "", in)
	do(b, `unfold.actions.select(Uint32Array.from([1]))`, `(() => { const make = URL.createObjectURL; URL.createObjectURL = b => { window.saved = b; return make.call(URL, b); }; })()`,
		`[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "CSV").click()`)
	if got, want := browser.Eval[string](b, `saved.text()`), "id,x,y,big,short,when\r\np1,-0.1,0.3,1152921504606846977,0.1,2024-01-02T10:00:00.5+02:00\r\n"; got != want {
		t.Errorf("CSV is %q, want %q", got, want)
	}
	do(b, `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Arrow").click()`)
	if got := browser.Eval[string](b, `(async () => { const b = new DataView(await saved.arrayBuffer()); for (let i = 0; i + 8 <= b.byteLength; i++) if (b.getBigInt64(i, true) === 1152921504606846977n) return "found"; return "lost"; })()`); got != "found" {
		t.Errorf("the number of 64 bits is %s in the Arrow file", got)
	}
}

// Rows without a place are counted. Points far from all others are announced, and reached by one key.
func TestNothingVanishes(t *testing.T) {
	in := blobs(1000, "a", "b", "c")
	in.X[0], in.Y[1] = float32(math.NaN()), float32(math.Inf(-1))
	in.X[2], in.Y[3] = 1e4, -1e4
	b, _ := show(t, browser.Settings{}, "", in)
	b.Wait(`document.getElementById("count").textContent === "2,998 points · 2 without a place"`)
	b.Wait(`document.getElementById("far").textContent === "2 outside the view"`)
	if n := browser.Eval[int](b, `document.querySelectorAll("#far[hidden]").length`); n != 0 {
		t.Error("far points are not announced")
	}
	do(b, `document.getElementById("far").click()`)
	b.Wait(`document.getElementById("far").hidden`)
	inView := `[2, 3].filter(s => { const id = unfold.chosen.find("p" + s), [x, y] = unfold.camera.toScreen(unfold.store.x[id], unfold.store.y[id]); return x > 0 && y > 76 && x < 994 && y < 800; }).length`
	if n := browser.Eval[int](b, inView); n != 2 {
		t.Errorf("%d of 2 far points are in view", n)
	}
	b.Do(chromedp.KeyEvent("9"))
	b.Wait(`!document.getElementById("far").hidden`)
}
