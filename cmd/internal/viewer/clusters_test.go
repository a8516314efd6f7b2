package viewer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters/identity"
	"unfold/stream/view"
)

// groups returns clusters of a map, each with a name and a birth, and their later events.
func groups(t *testing.T, names map[identity.ID]string, events ...identity.Event) *identity.Groups {
	t.Helper()
	g := &identity.Groups{}
	type note struct {
		ID     identity.ID `json:"id"`
		Name   string      `json:"name"`
		First  time.Time   `json:"first"`
		Centre []float64   `json:"centre"`
	}
	var notes struct {
		Living []note `json:"living"`
	}
	for id := identity.ID(1); id <= 9; id++ {
		if name, lives := names[id]; lives {
			g.State.Clusters = append(g.State.Clusters, identity.Cluster{ID: id, Size: 10 * int(id)})
			notes.Living = append(notes.Living, note{id, name, time.UnixMilli(1000), []float64{float64(id), -float64(id)}})
		}
	}
	g.Events = events
	var err error
	if g.Notes, err = json.Marshal(notes); err != nil {
		t.Fatal(err)
	}
	return g
}

// A course stores the events of clusters, and the names of those that ended.
func TestCourse(t *testing.T) {
	var c Course
	at := time.UnixMilli(5000)
	first, err := c.Follow(groups(t, map[identity.ID]string{1: "a", 2: "b"}, identity.Event{Kind: identity.Born, ID: 1, Size: 10}, identity.Event{Kind: identity.Born, ID: 2, Size: 20}), vec.Matrix[float64]{}, 1, at)
	if err != nil {
		t.Fatal(err)
	}
	if want := (view.Cluster{ID: "2", Name: "b", Size: 20, X: 2, Y: -2, Since: 1000}); len(first.Living) != 2 || first.Living[1] != want {
		t.Errorf("living are %+v", first.Living)
	}
	next, err := c.Follow(groups(t, map[identity.ID]string{1: "a"}, identity.Event{Kind: identity.Merged, ID: 2, Other: 1, Before: 20}), vec.Matrix[float64]{}, 2, at)
	if err != nil {
		t.Fatal(err)
	}
	want := view.ClusterEvent{Kind: "merged", ID: "2", Name: "b", Other: "1", Before: 20, Version: 2, At: 5000}
	if len(next.Events) != 3 || next.Events[2] != want || len(next.Living) != 1 {
		t.Errorf("what became of them: %+v", next)
	}
	for v := range uint64(2 * mostEvents) {
		if next, err = c.Follow(groups(t, map[identity.ID]string{1: "a"}, identity.Event{Kind: identity.Grew, ID: 1}), vec.Matrix[float64]{}, v+3, at); err != nil {
			t.Fatal(err)
		}
	}
	if len(next.Events) != mostEvents || next.Events[mostEvents-1].Version != 2*mostEvents+2 {
		t.Errorf("%d events are kept", len(next.Events))
	}
}

// Clusters have their names on the map, even if it is coloured by another column, and are listed
// with their events. Clicking one moves the view to it. Noise has no name.
func TestClustersOnThePage(t *testing.T) {
	in := blobs(100, "1", "2", "-1")
	class := in.Columns[0].Strings()
	in.Columns[0] = table.StringColumn("cluster", class)
	b, hub := show(t, browser.Settings{}, "", in)
	known := view.Clusters{Column: "cluster", Living: []view.Cluster{
		{ID: "1", Name: "bytes high", Size: 100, X: -10, Since: 1.7e12}, {ID: "2", Name: hostile[0], Size: 100, X: 10, Since: 1.7e12},
	}, Events: []view.ClusterEvent{{Kind: "born", ID: "1", Name: "bytes high", Size: 100, Version: 1, At: 1.7e12}, {Kind: "merged", ID: "7", Name: "old", Other: "2", Version: 1, At: 1.7e12}}}
	hub.SetClusters(known)
	labels := func() string {
		return browser.Eval[string](b, `unfold.names.labels.map(l => l.text).sort().join("|")`)
	}
	b.Wait(`document.querySelector("#clusters h2")?.textContent === "2 clusters · 1 new, 1 ended"`)
	b.Wait(`unfold.names.labels.length === 2 && unfold.names.labels.some(l => l.text === "bytes high")`)
	if got := browser.Eval[string](b, `[...document.querySelectorAll("#legend button")].map(b => b.title).sort().join("|")`); got != "(none)|cluster 1: bytes high|cluster 2: "+hostile[0] {
		t.Errorf("the legend has %q", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(1)`))
	browser.Eval[bool](b, settled)
	if got := labels(); got != hostile[0]+"|bytes high" {
		t.Errorf("by another column the names are %q", got)
	}
	b.Do(chromedp.KeyEvent("k"))
	b.Wait(`document.querySelectorAll(".clusterlist button").length === 2 && document.querySelectorAll(".course button").length === 2`)
	if got := browser.Eval[string](b, `document.querySelector(".course button").textContent`); got != "22:13:20"+"cluster 7: old went into cluster 2" {
		t.Errorf("the newest event is %q", got)
	}
	// The list has the keyboard's focus, and the colours of the map.
	dots := func() string {
		return browser.Eval[string](b, `[...new Set([...document.querySelectorAll(".clusterlist i")].map(i => i.style.background))].join("|")`)
	}
	if got := dots(); strings.Contains(got, "|") {
		t.Errorf("by another column, the list has the colours %s", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(0)`))
	b.Wait(`[...document.querySelectorAll(".clusterlist button")].every(b => { const of = [...document.querySelectorAll("#legend button")].find(l => l.title === b.querySelector("span").textContent); return of && of.querySelector("i").style.background === b.querySelector("i").style.background; })`)
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(1)`))
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".clusterlist button")].find(b => b.textContent.includes("bytes")).click()`))
	browser.Eval[bool](b, settled)
	if at := browser.Eval[[]float64](b, `[...unfold.camera.toScreen(-10, 0), unfold.camera.zoom]`); at[0] < 200 || at[0] > 900 || at[1] < 200 || at[1] > 700 || at[2] < 1.5 {
		t.Errorf("after a click the cluster is at %v", at)
	}
	if n := browser.Eval[int](b, `document.querySelectorAll("img").length`); n != 0 {
		t.Error("a name became an element")
	}
	// At every zoom level no name overlaps another.
	for zoom := range 6 {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`unfold.camera.set([0, 4, unfold.camera.home * 2 ** (%d - 2)]), unfold.moves.settle()`, zoom)))
		browser.Eval[bool](b, settled)
		if over := browser.Eval[bool](b, `(() => {
			const boxes = unfold.names.labels.map(l => { const [x, y] = unfold.camera.toScreen(l.x, l.y), w = Math.max(...l.lines.map(t => unfold.overlay.measure(t, l.size))) / 2, h = l.size * (0.5 + 0.575 * (l.lines.length - 1)); return [x + l.dx - w, y + l.dy - h, x + l.dx + w, y + l.dy + h]; });
			return boxes.some((a, i) => boxes.some((b, j) => i < j && a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]));
		})()`); over {
			t.Errorf("names overlap at zoom %d", zoom)
		}
	}
}

// A link restores the selection and the time; the keyboard selects the points in view.
func TestSelectionInAddress(t *testing.T) {
	b, _ := show(t, browser.Settings{}, "", blobs(50, "a", "b", "c"))
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.selection.inside([[-16, -6], [-4, -6], [-4, 6], [-16, 6]])`))
	b.Wait(`location.hash.includes("within=")`)
	b.Do(chromedp.Reload())
	b.Wait(`document.body.dataset.ready === "yes"`)
	b.Wait(`document.querySelector(".drawerhead strong")?.textContent === "50 points selected"`)
	b.Do(chromedp.KeyEvent("\x1b"))
	b.Wait(`!location.hash.includes("within=")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.moves.home(false)`), chromedp.KeyEvent("s"))
	b.Wait(`document.querySelector(".drawerhead strong")?.textContent === "150 points selected"`)
}
