package viewer

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// The position of a requested record follows the maps on the page. This also holds if the server
// places on the next map before the page shows it, or on the previous one for a while.
func TestAskedFollowsTheMap(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs", Live: true, Asks: true})
	put(t, hub, blobs(50, "a", "b", "c"))
	on := func(version uint64) view.MapState { return view.MapState{ID: "m", Epoch: 1, Version: version} }
	hub.Refresh(on(1), view.Base{}, nil)
	var version, asked atomic.Uint64
	version.Store(1)
	places := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		v := version.Load()
		fmt.Fprintf(w, `{"map_id":"m","map_epoch":1,"model_version":%d,"places":[{"id":"new","x":%d,"y":0}]}`, v, 10*v)
	})
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Place: places})
	b.Show(url)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("question").click()`),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#ask textarea").value = "[0.1, 0.2]"`), chromedp.Evaluate[chromedp.Void](`document.querySelector("#ask .primary").click()`))
	is := func(x int) { t.Helper(); b.Wait(fmt.Sprintf(`unfold.chosen.asked?.[0] === %d`, x)) }
	is(10)
	move := func(x, y float32) (float32, float32) { return x + 1, y }
	hub.Refresh(on(2), view.Base{}, move) // the server still uses the first map
	b.Wait(`unfold.feed.map.version === 2`)
	is(10)
	version.Store(2)
	is(20)
	version.Store(3)
	hub.Refresh(on(3), view.Base{}, move)
	is(30)
	if got := browser.Eval[string](b, `document.querySelector("#detail h2").textContent`); got != "new" {
		t.Errorf("the panel is about %q", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#detail .close").click()`))
	b.Wait(`unfold.chosen.asked === null`)
	before := asked.Load()
	version.Store(4)
	hub.Refresh(on(4), view.Base{}, move)
	b.Wait(`unfold.feed.map.version === 4`)
	if n := asked.Load(); n != before {
		t.Errorf("it was asked for %d times after nobody wanted to know any more", n-before)
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

// Points that change their cluster change their colour without being sent again, with or without an
// id.
func TestPointsChangeTheirCluster(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs", Live: true})
	in := func(version uint64, at float64, ids bool, cluster string) view.Rows {
		out := blobs(20, "a", "b", "c")
		out.Map, out.At = view.MapState{Version: version}, at
		of := make([]int64, len(out.X))
		for i := range of {
			of[i], _ = strconv.ParseInt(cluster, 10, 64)
		}
		if !ids {
			out.ID = table.Column{}
		}
		out.Columns = []table.Column{table.Int64Column("cluster", of)}
		return out
	}
	hub.Refresh(view.MapState{Version: 1}, view.Base{}, nil)
	put(t, hub, in(1, 1e12, true, "-1"))
	put(t, hub, in(1, 1e12, false, "-1"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	counts := func(clusters map[string]int) {
		t.Helper()
		for value, n := range clusters {
			b.Wait(fmt.Sprintf(`(() => { const k = unfold.store.columns.findIndex(c => c.name === "cluster"); let n = 0; unfold.store.each(s => { if (unfold.store.text(s, k) === %q) n++; }); return n === %d; })()`, value, n))
		}
	}
	counts(map[string]int{"-1": 120})
	hub.Refresh(view.MapState{Version: 2}, view.Base{}, func(x, y float32) (float32, float32) { return x + 1, y })
	if err := hub.Renew(view.MapState{Version: 2}, "cluster", func(old view.Old) (out view.Renewed, err error) {
		for i := range old.X {
			if old.X[i] < 1 {
				out.Row = append(out.Row, i)
			}
		}
		out.Columns = []table.Column{table.Int64Column("cluster", slices.Repeat([]int64{4}, len(out.Row)))}
		return out, nil
	}); err != nil {
		t.Fatal(err)
	}
	hub.Tick()
	b.Wait(`unfold.feed.map.version === 2`)
	left := browser.Eval[int](b, `(() => { let n = 0; unfold.store.each(s => { if (unfold.store.x[s] < 1) n++; }); return n; })()`)
	counts(map[string]int{"4": left, "-1": 120 - left})
	if got := browser.Eval[string](b, `unfold.store.recent.length + " " + unfold.store.ghosts.length + " " + unfold.store.n`); got != "0 0 120" || left < 40 {
		t.Errorf("came, left and are there: %s; %d in the cluster", got, left)
	}
	put(t, hub, in(2, 2e12, true, "4"))
	b.Wait(`unfold.store.recent.length === 60`)
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

// When the page loads all points again, as after a restart of the server, the view, the selection, the chosen
// point and the shown time stay.
func TestStateStaysWhenLoadedAgain(t *testing.T) {
	in := blobs(100, "a", "b", "c")
	in.At = 1e12
	b, _ := show(t, browser.Settings{}, "", in)
	do(b, `unfold.camera.set([-9, 1, unfold.camera.home * 3]), unfold.moves.settle()`)
	do(b, `unfold.selection.inside([[-16, -6], [-4, -6], [-4, 6], [-16, 6]])`)
	do(b, `unfold.actions.pin(unfold.chosen.find("p3")), unfold.timeline.set(1e12 + 5)`)
	b.Wait(`location.hash.includes("point=p3") && location.hash.includes("within=")`)
	state := `[unfold.camera.x, unfold.camera.y, unfold.camera.zoom, unfold.selection.slots?.length ?? 0, unfold.chosen.pinned, unfold.painting.upto].map(v => v.toFixed(3)).join(" ")`
	before, hash := browser.Eval[string](b, state), browser.Eval[string](b, `location.hash`)
	steps := browser.Eval[int](b, `history.length`)
	do(b, `window.was = unfold.store.columns, unfold.again()`)
	b.Wait(`unfold.store.columns !== window.was && unfold.whole && unfold.selection.slots !== null`)
	browser.Eval[bool](b, settled)
	if got := browser.Eval[string](b, state); got != before {
		t.Errorf("the state was %s and is %s", before, got)
	}
	if got := browser.Eval[string](b, `location.hash`); got != hash {
		t.Errorf("the address was %s and is %s", hash, got)
	}
	if got := browser.Eval[int](b, `history.length`); got != steps {
		t.Errorf("%d steps of the history came up", got-steps)
	}
}

// Points that leave a stage leave the selection, too, and new points in their places do not belong to it. The card of a chosen
// point that has left stays, and says so.
func TestTheSelectedLeave(t *testing.T) {
	b, hub := show(t, browser.Settings{}, "", blobs(100, "a", "b", "c"))
	do(b, `unfold.actions.pin(unfold.chosen.find("p3"))`, `unfold.selection.take(unfold.store.named(Array.from({length: 50}, (_, i) => "p" + 3 * i)))`)
	b.Wait(`document.querySelector(".drawerhead strong").textContent === "50 points selected" && document.querySelector("#detail h2").textContent === "p3"`)
	for i := range 30 {
		hub.Remove(fmt.Sprint("p", i))
	}
	more := blobs(10, "a", "b", "c")
	ids := make([]string, len(more.X))
	for i := range ids {
		ids[i] = fmt.Sprint("q", i)
	}
	more.ID = table.StringColumn("id", ids)
	put(t, hub, more)
	b.Wait(`unfold.store.n === 300 && unfold.chosen.find("q29") >= 0`)
	b.Wait(`document.querySelector(".drawerhead strong").textContent === "40 points selected"`)
	if ids := browser.Eval[string](b, chosenIDs); strings.Contains(ids, "q") || len(strings.Split(ids, ",")) != 40 {
		t.Errorf("selected are %s", ids)
	}
	if rows := browser.Eval[string](b, `[...document.querySelectorAll("#drawer .row span:first-child")].map(e => e.textContent).join()`); strings.Contains(rows, "q") || !strings.Contains(rows, "p30") {
		t.Errorf("the table has %s", rows)
	}
	if card := browser.Eval[string](b, `unfold.chosen.pinned + " " + document.getElementById("detail").textContent`); !strings.HasPrefix(card, "-1 p3") || !strings.HasSuffix(card, "This point has left.") {
		t.Errorf("the card of a point that has left: %q", card)
	}
	for i := range 300 {
		hub.Remove(fmt.Sprint("p", i))
	}
	hub.Tick()
	b.Wait(`document.getElementById("drawer").hidden && unfold.selection.slots === null`)
	do(b, `unfold.actions.escape()`)
	b.Wait(`document.getElementById("detail").hidden`)
}
