package viewer

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// The requests of a comparison: what there is to compare with, the other map, an earlier version, the ways of classes.
func TestCompareRequests(t *testing.T) {
	hub, other := view.New(view.Settings{Title: "blobs"}), view.New(view.Settings{Title: "others"})
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 3}, view.Base{}, nil)
	put(t, hub, blobs(4, "a", "b", "c"))
	put(t, other, blobs(5, "a", "b", "c"))
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 4}, view.Base{}, func(x, y float32) (float32, float32) { return x + 1, y })
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Other: other})
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"/api/compare", 200, `{"other":"others","versions":[{"map":{"id":"m","epoch":1,"version":3},"at":`},
		{"/api/compare/5", 404, "no such map"},
		{"/api/compare/what", 404, "no such map"},
		{"/api/ways?column=class", 200, `"ways":[{"value":"a","places":[[`},
		{"/api/ways?column=none", 200, `{"versions":[],"ways":[]}`},
	} {
		if status, _, body := ask(t, url+c.path, nil); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %q, want %d %q", c.path, status, body, c.status, c.want)
		}
	}
	for path, rows := range map[string]int{"/api/compare/other": 15, "/api/compare/3": 12} {
		for range 2 { // the second time it is kept
			status, head, body := ask(t, url+path, nil)
			all, err := new(arrowfmt.Decoder).Decode([]byte(body), table.Origin{})
			if status != 200 || head.Get("Content-Type") != "application/vnd.apache.arrow.stream" || err != nil || all.Len() != rows {
				t.Errorf("%s: %d %v, %d bytes, %v", path, status, head, len(body), err)
			}
		}
	}
	apart := view.New(view.Settings{})
	url, _ = serve(t, "127.0.0.1:0", Settings{Hub: apart, Other: other})
	if status, _, body := ask(t, url+"/api/compare/other", nil); status != 409 || !strings.Contains(body, "0 points in common") {
		t.Errorf("maps without a common point: %d %q", status, body)
	}
}

// Two maps are shown side by side. They share colours, the pointer, chosen points and selections.
// Points are coloured by changed neighbours, and a link shows the same.
func TestTwoMaps(t *testing.T) {
	for _, size := range [][2]int{{1280, 800}, {390, 844}} {
		b := browser.Open(t, browser.Settings{Width: size[0], Height: size[1]})
		hub, other := view.New(view.Settings{Title: "blobs"}), view.New(view.Settings{Title: "others"})
		in, moved := blobs(50, "a", "b", "c"), blobs(60, "a", "b", "c")
		moved.X[7], moved.Y[7] = moved.X[6], moved.Y[6] // p7 is in another group there
		put(t, hub, in)
		put(t, other, moved)
		url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Other: other})
		b.Show(url)
		b.Wait(`unfold.compare.pane !== null && !document.getElementById("pane").hidden`)
		if text := browser.Eval[string](b, `document.getElementById("panehead").textContent`); !strings.Contains(text, "others") || !strings.Contains(text, "% of 15 neighbours kept") {
			t.Errorf("the caption is %q", text)
		}
		// Both maps have a part of the page of their own.
		if !browser.Eval[bool](b, `(() => {
			const [a, b] = ["over", "over2"].map(id => document.getElementById(id).getBoundingClientRect());
			return a.width > 150 && a.height > 150 && b.width > 150 && b.height > 150 && (a.right <= b.left + 1 || a.bottom <= b.top + 1);
		})()`) {
			t.Error("the maps overlap")
		}
		slot := func(id string) string { return `unfold.chosen.find("` + id + `")` }
		at := browser.Eval[[]float64](b, `(() => { const p = unfold.compare.pane, r = p.rowOf(`+slot("p7")+`), [x, y] = p.camera.toScreen(p.store.x[r], p.store.y[r]); return [x + p.camera.left, y + p.camera.top]; })()`)
		b.Do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
		b.Wait(`["p6", "p7"].includes(unfold.store.id(unfold.chosen.hovered)) && !document.getElementById("tip").hidden`)
		b.Do(chromedp.MouseClickXY(at[0], at[1]))
		b.Wait(`["p6", "p7"].includes(unfold.store.id(unfold.chosen.pinned))`)
		// p7 has other neighbours. The column can colour, filter and sort like any other.
		if share := browser.Eval[float64](b, `unfold.store.number(`+slot("p7")+`, unfold.store.columnOf("neighbours changed"))`); share != 1 {
			t.Errorf("%g of the neighbours of p7 changed", share)
		}
		do(b, `document.querySelector("#panehead button").click()`)
		b.Wait(`document.getElementById("by").selectedOptions[0].textContent === "neighbours changed"`)
		// The drawer hides a selection on neither map.
		do(b, `unfold.actions.pin(-1)`, `unfold.moves.home(false)`)
		do(b, `unfold.selection.take(unfold.store.named(Array.from({length: 50}, (_, i) => "p" + 3 * i)))`)
		browser.Eval[bool](b, settled)
		if low := browser.Eval[[]float64](b, `(() => {
			const slots = [...unfold.selection.slots], { pane } = unfold.compare;
			const lowest = (store, camera, at) => at.reduce((sum, s) => sum + camera.toScreen(store.x[s], store.y[s])[1], 0) / at.length + camera.top;
			return [lowest(unfold.store, unfold.camera, slots), lowest(pane.store, pane.camera, slots.map(s => pane.rowOf(s)).filter(r => r >= 0)), document.getElementById("drawer").getBoundingClientRect().top];
		})()`); max(low[0], low[1]) >= low[2] {
			t.Errorf("the middles of the selections are at %.0f and %.0f, the drawer begins at %.0f", low[0], low[1], low[2])
		}
		do(b, `unfold.actions.select(null)`, `unfold.actions.home(0)`)
		browser.Eval[bool](b, settled)
		// A rectangle around everything of the other map selects the points on both.
		do(b, `unfold.actions.pin(-1)`)
		b.Do(chromedp.KeyEvent("r"))
		box := browser.Eval[[]float64](b, `(() => { const r = document.getElementById("over2").getBoundingClientRect(), h = document.getElementById("panehead").getBoundingClientRect(); return [r.left + 3, h.bottom + 2, innerWidth > 760 ? document.querySelector("aside").getBoundingClientRect().left - 2 : r.right - 3, innerWidth > 760 ? r.bottom - 60 : document.querySelector("aside").getBoundingClientRect().top - 2]; })()`)
		b.Do(chromedp.MouseEvent("mousePressed", box[0], box[1], chromedp.Button("left"), chromedp.ClickCount(1)),
			chromedp.MouseEvent("mouseMoved", (box[0]+box[2])/2, box[1]+9, chromedp.Button("left")),
			chromedp.MouseEvent("mouseMoved", box[2], box[3], chromedp.Button("left")),
			chromedp.MouseEvent("mouseReleased", box[2], box[3], chromedp.Button("left"), chromedp.ClickCount(1)))
		b.Wait(`unfold.drawer.count > 100 && unfold.drawer.count <= 150`)
		browser.Eval[bool](b, settled)
		b.Wait(`location.hash.includes("compare=other") && location.hash.includes("by=neighbours")`)
		b.Do(chromedp.Reload())
		b.Wait(`document.body.dataset.ready === "yes"`)
		b.Wait(`unfold.compare.pane !== null && document.getElementById("by").selectedOptions[0].textContent === "neighbours changed"`)
		do(b, `unfold.compare.close()`)
		b.Wait(`!unfold.store.columns.some(c => c.name === "neighbours changed") && unfold.camera.width === innerWidth`)
		if said := b.Said(); len(said) > 0 {
			t.Errorf("the page complained: %q", said)
		}
	}
}

// A live map is compared with its earlier version, and shows the ways of its classes. A point that leaves while both are shown
// has no partner any more.
func TestEarlierVersions(t *testing.T) {
	b, hub := show(t, browser.Settings{}, "", view.Rows{})
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 1}, view.Base{}, nil)
	put(t, hub, blobs(100, "a", "b", "c"))
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 2}, view.Base{}, func(x, y float32) (float32, float32) { return x + 3, y - x/2 })
	hub.Tick()
	b.Wait(`unfold.store.n === 300`)
	b.Do(chromedp.KeyEvent("b"))
	b.Wait(`document.getElementById("choose").open`)
	do(b, `[...document.querySelectorAll("#choose button")].find(b => b.textContent.startsWith("version 1, until")).click()`)
	b.Wait(`unfold.compare.pane !== null`)
	// Both show the same part, and move together.
	b.Do(chromedp.KeyEvent("+"))
	b.Wait(`unfold.compare.pane.camera.scale === unfold.camera.scale && unfold.camera.zoom > 1.2`)
	row := `unfold.compare.pane.rowOf(unfold.chosen.find("p9"))`
	if moved := browser.Eval[float64](b, `unfold.store.x[unfold.chosen.find("p9")] - unfold.compare.pane.store.x[`+row+`]`); moved < 2.99 || moved > 3.01 {
		t.Errorf("p9 moved by %g", moved)
	}
	slot := browser.Eval[int](b, `unfold.chosen.find("p9")`)
	hub.Remove("p9")
	hub.Tick()
	b.Wait(`unfold.store.n === 299`)
	if browser.Eval[int](b, `unfold.compare.pane.rowOf(`+strconv.Itoa(slot)+`)`) != -1 {
		t.Error("p9 has left, and has a partner")
	}
	b.Do(chromedp.KeyEvent("b"))
	b.Wait(`unfold.compare.pane === null`)
	b.Do(chromedp.KeyEvent("t"))
	b.Wait(`unfold.ways.visible.length === 3 && unfold.ways.visible.every(w => w.places.length === 2)`)
	hub.Refresh(view.MapState{ID: "m", Epoch: 1, Version: 3}, view.Base{}, func(x, y float32) (float32, float32) { return x, y + 2 })
	b.Wait(`unfold.ways.visible.every(w => w.places.length === 3)`)
}
