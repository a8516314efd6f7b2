package viewer

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
)

// A brush on the histogram of a column and a click on a category filter together; the counts follow, "back" and a link
// know the filters, and handles set them without a pointer.
func TestFilters(t *testing.T) {
	in := blobs(1000, "a", "b", "c")
	rank := make([]float64, len(in.X))
	for i := range rank {
		rank[i] = math.Pow(10, float64(i)/1000) // 1 to 1000, evenly on a logarithmic axis
	}
	in.Columns = append(in.Columns, table.Float64Column("rank", rank))
	b, hub := show(t, browser.Settings{}, "", in)
	b.Do(chromedp.KeyEvent("f"))
	b.Wait(`document.querySelectorAll("#filters .hist").length === 3`) // when it came, value, rank
	shown := `[...Array(unfold.store.slots).keys()].filter(unfold.painting.shown).length`
	row := `[...document.querySelectorAll(".filter")].find(f => f.textContent.startsWith("rank"))`
	do(b, row+`.scrollIntoView()`)
	b.Wait(row + `.querySelector(".ends").textContent.length > 3`)
	do(b, row+`.querySelector(".log").click()`)
	b.Wait(row + `.querySelector(".log").getAttribute("aria-pressed") === "true"`)
	// The middle third of the logarithmic axis.
	box := browser.Eval[map[string]float64](b, `(r => ({x: r.left, y: r.top + 12, w: r.width}))(`+row+`.querySelector(".hist").getBoundingClientRect())`)
	b.Do(chromedp.MouseEvent("mousePressed", box["x"]+box["w"]/3, box["y"], chromedp.Button("left"), chromedp.ClickCount(1)),
		chromedp.MouseEvent("mouseMoved", box["x"]+box["w"]/2, box["y"], chromedp.Button("left")),
		chromedp.MouseEvent("mouseMoved", box["x"]+box["w"]*2/3, box["y"], chromedp.Button("left")),
		chromedp.MouseEvent("mouseReleased", box["x"]+box["w"]*2/3, box["y"], chromedp.Button("left"), chromedp.ClickCount(1)))
	b.Wait(fmt.Sprintf(`Math.abs(%s - 1000) < 30`, shown))
	do(b, `[...document.querySelectorAll(".filter > button")].find(b => b.dataset.value === "a").click()`)
	b.Wait(fmt.Sprintf(`Math.abs(%s - 333) < 12`, shown))
	n := browser.Eval[int](b, shown)
	b.Wait(fmt.Sprintf(`document.querySelector("#filters summary").textContent.startsWith("%d of 3,000")`, n))
	b.Wait(`document.querySelectorAll("#legend button").length === 1`) // of the other classes none are left
	b.Wait(`location.hash.includes("filter=")`)
	browser.Eval[bool](b, settled)
	b.Do(chromedp.Reload())
	b.Wait(`document.body.dataset.ready === "yes"`)
	b.Wait(fmt.Sprintf(`%s === %d`, shown, n))
	// New points are filtered, too.
	more := blobs(10, "a", "b", "c")
	ids, low := make([]string, len(more.X)), make([]float64, len(more.X))
	for i := range ids {
		ids[i] = fmt.Sprint("q", i)
	}
	more.ID, more.Columns = table.StringColumn("id", ids), append(more.Columns, table.Float64Column("rank", low))
	put(t, hub, more)
	b.Wait(`unfold.store.n === 3030`)
	if got := browser.Eval[int](b, shown); got != n {
		t.Errorf("%d points are shown, want %d", got, n)
	}
	do(b, `document.querySelector("#filters details").open = true`)
	b.Wait(row + `.classList.contains("on")`)
	do(b, `(i => { i.value = "0"; i.dispatchEvent(new Event("input")); })(`+row+`.querySelector("input"))`)
	b.Wait(fmt.Sprintf(`%s > %d`, shown, n))
	do(b, `[...document.querySelectorAll("#filters .acts button")].find(b => b.textContent === "Select these").click()`)
	b.Wait(fmt.Sprintf(`unfold.selection.slots?.length === %s`, shown))
	do(b, `[...document.querySelectorAll("#filters .acts button")].find(b => b.textContent === "Show all").click()`)
	b.Wait(fmt.Sprintf(`%s === 3030`, shown))
}

// Below the slider is a histogram of arrivals. It shows those that the filters leave, and those until the chosen time.
func TestTimesHaveAHistogram(t *testing.T) {
	early := blobs(200, "a", "b", "c")
	early.At = 1e12
	b, hub := show(t, browser.Settings{}, "", early)
	late := blobs(100, "a", "b", "d")
	ids := make([]string, len(late.X))
	for i := range ids {
		ids[i] = fmt.Sprint("late", i)
	}
	late.ID, late.At = table.StringColumn("id", ids), 1e12+60_000
	put(t, hub, late)
	b.Wait(`unfold.store.n === 900`)
	// bars are the heights of the coloured parts of the first and the last bar, as shares of the canvas.
	bars := func() (first, last float64) {
		t.Helper()
		browser.Eval[bool](b, settled)
		both := browser.Eval[[]float64](b, `(() => {
			const c = document.querySelector(".times canvas"), accent = getComputedStyle(document.documentElement).getPropertyValue("--accent");
			const [r, g, blue] = accent.match(/[0-9a-f]{2}/g).map(h => parseInt(h, 16));
			const copy = document.createElement("canvas"), bar = c.width / 60;
			[copy.width, copy.height] = [c.width, c.height];
			const context = copy.getContext("2d", { willReadFrequently: true });
			context.drawImage(c, 0, 0);
			return [bar * 0.3, c.width - bar * 0.7].map(x => {
				const p = context.getImageData(Math.round(x), 0, 1, c.height).data;
				let n = 0;
				for (let i = 0; i < p.length; i += 4) n += Math.abs(p[i] - r) + Math.abs(p[i + 1] - g) + Math.abs(p[i + 2] - blue) < 30;
				return n / c.height;
			});
		})()`)
		return both[0], both[1]
	}
	do(b, `unfold.timeline.follow()`)
	if first, last := bars(); first < 0.9 || math.Abs(last-math.Sqrt(0.5)) > 0.1 {
		t.Errorf("600 early and 300 late arrivals have bars of %.2f and %.2f", first, last)
	}
	do(b, `unfold.filters.restore([{name: "class", values: ["d"]}], true)`)
	if first, last := bars(); first > 0 || last < 0.9 {
		t.Errorf("of class d, which came late, are bars of %.2f and %.2f", first, last)
	}
	do(b, `unfold.filters.restore([], true), unfold.timeline.set(1e12 + 20000)`)
	if first, last := bars(); first < 0.9 || last > 0 {
		t.Errorf("until the first minute's third are bars of %.2f and %.2f", first, last)
	}
}

// The next selection is compared with the held one. Columns whose difference chance explains are not listed.
func TestTwoSelections(t *testing.T) {
	in := blobs(300, "a", "b", "c")
	noise := make([]float64, len(in.X))
	for i := range noise {
		noise[i] = math.Mod(float64(i)*0.6180339887, 1)
	}
	in.Columns = append(in.Columns, table.Float64Column("noise", noise))
	b, _ := show(t, browser.Settings{}, "", in)
	of := func(class string) {
		do(b, fmt.Sprintf(`unfold.actions.select(Uint32Array.from([...Array(900).keys()].filter(s => unfold.store.text(s, 0) === %q)))`, class))
	}
	list := `[...document.querySelectorAll(".apart p")].map(p => p.textContent).join("; ")`
	of("a")
	if got := browser.Eval[string](b, list); got != "classa: 100% of these, 0% of the rest" {
		t.Errorf("a is set apart by %q", got)
	}
	do(b, `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Hold").click()`)
	of("b")
	if got := browser.Eval[string](b, `document.querySelector(".apart h2").textContent + ": " + `+list); got != "What sets them apart from the 300 held points: classb: 100% of these, 0% of the held" {
		t.Errorf("b is compared with a as %q", got)
	}
	do(b, `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Release").click()`)
	if got := browser.Eval[string](b, list); got != "classb: 100% of these, 0% of the rest" {
		t.Errorf("then b is set apart by %q", got)
	}
	do(b, `unfold.actions.select(Uint32Array.from([0, 151, 302, 600, 751, 899]))`)
	if got := browser.Eval[string](b, list); got != "No column differs more than it would by chance." {
		t.Errorf("six points are set apart by %q", got)
	}
}
