package viewer

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// The page begins with a sentence that explains a point. After the sentence is closed it does not appear again.
func TestWelcome(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs", Point: "connection"})
	put(t, hub, blobs(50, "a", "b", "c"))
	url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub})
	b.Show(url)
	if got, want := browser.Eval[string](b, `document.querySelector("#welcome span").textContent`), "Each dot is one connection. Near means alike. Click one to see its values."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	do(b, `document.querySelector("#welcome button").click()`)
	b.Show(url)
	if !browser.Eval[bool](b, `document.getElementById("welcome").hidden`) {
		t.Error("the sentence came again")
	}
}

// On a telephone, and on a page that is magnified twice, all panels can be reached, none covers another or leaves the
// page, and the points are in the free area.
func TestNarrowPages(t *testing.T) {
	for _, size := range [][2]int{{390, 844}, {320, 568}, {640, 400}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			in := blobs(200, "a", "b", "c")
			novel := make([]float64, len(in.X))
			for i := range novel {
				novel[i] = float64(i) / 1000
			}
			in.Columns, in.At = append(in.Columns, table.Float64Column("novelty_global", novel)), 1.7e12
			b, hub := show(t, browser.Settings{Width: size[0], Height: size[1]}, "", in)
			b.Wait(`document.querySelectorAll("#legend button").length === 3`)
			b.Wait(`[...document.querySelectorAll("#tabs button")].map(b => b.textContent).join().includes("Strangest")`)
			do(b, `document.querySelector("#welcome button").click()`, `unfold.moves.home(false)`)
			overlap := `(() => {
				const boxes = ["header", "aside", "footer"].map(e => document.querySelector(e).getBoundingClientRect()), out = [];
				boxes.forEach((a, i) => {
					if (a.left < 0 || a.top < 0 || a.right > innerWidth || a.bottom > innerHeight || a.width < 100) out.push("panel " + i + " is at " + JSON.stringify(a));
					boxes.slice(i + 1).forEach((b, j) => { if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) out.push("panels " + i + " and " + (i + 1 + j) + " overlap"); });
				});
				const front = [...document.querySelectorAll("aside > section")].find(e => e.offsetHeight > 0).getBoundingClientRect();
				if (front.bottom > boxes[1].bottom + 1) out.push("the panel in front is longer than its sheet by " + (front.bottom - boxes[1].bottom));
				let hidden = 0;
				unfold.store.each(s => {
					const [x, y] = unfold.camera.toScreen(unfold.store.x[s], unfold.store.y[s]);
					if (boxes.some(b => x > b.left && x < b.right && y > b.top && y < b.bottom)) hidden++;
				});
				if (hidden > 6) out.push(hidden + " points are behind panels");
				return out.join("; ");
			})()`
			if got := browser.Eval[string](b, overlap); got != "" {
				t.Error(got)
			}
			if err := hub.SetStatus(map[string]any{"phase": "halted", "detail": "the brokers broker-1, broker-2 and broker-3 have not answered for a long time"}); err != nil {
				t.Fatal(err)
			}
			b.Wait(`!document.getElementById("banner").hidden`)
			browser.Eval[bool](b, settled) // the header grows by the chip, and the banner follows it
			if covered := browser.Eval[string](b, `(() => {
				const a = document.getElementById("banner").getBoundingClientRect();
				return ["header", "aside", "footer"].filter(e => {
					const b = document.querySelector(e).getBoundingClientRect();
					return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
				}).join() + (a.left < 0 || a.right > innerWidth ? " it leaves the page" : "");
			})()`); covered != "" {
				t.Errorf("the banner covers the panels %s", covered)
			}
			seen := func(section string) bool {
				return browser.Eval[bool](b, fmt.Sprintf(`(() => { const r = document.getElementById(%q).getBoundingClientRect(); return r.width > 100 && r.height > 40; })()`, section))
			}
			if !seen("colors") || seen("strange") {
				t.Error("the sheet does not begin with the legend alone")
			}
			do(b, `[...document.querySelectorAll("#tabs button")].find(b => b.textContent === "Strangest").click()`)
			if !seen("strange") || seen("colors") {
				t.Error("the tab of the strangest points does not show them")
			}
			// The tab of the filters draws them, and keys bring panels to the front. So pages that are magnified can be used by the keyboard.
			do(b, `[...document.querySelectorAll("#tabs button")].find(b => b.textContent === "Filters").click()`)
			b.Wait(`document.querySelector("#filters .ends")?.textContent.length > 3`)
			b.Do(chromedp.KeyEvent("c"))
			if !seen("colors") || !browser.Eval[bool](b, `document.activeElement.id === "by"`) {
				t.Error("c does not lead to the colours")
			}
			do(b, `document.getElementById("over").focus()`)
			b.Do(chromedp.KeyEvent("f"))
			if !seen("filters") || !browser.Eval[bool](b, `document.getElementById("filters").contains(document.activeElement)`) {
				t.Error("f does not lead to the filters")
			}
			do(b, `[...document.querySelectorAll("#tabs button")].find(b => b.textContent === "Strangest").click()`, `document.querySelector("#strange .near button").click()`)
			b.Wait(`!document.getElementById("detail").hidden`)
			b.Wait(`document.getElementById("detail").getBoundingClientRect().height > 40`)
			do(b, `document.querySelector("footer button").click()`)
			b.Wait(`unfold.painting.upto < Infinity`)
		})
	}
}

// The time of a paused page has room beside the other parts of the timeline.
func TestThePausedTimeIsLegible(t *testing.T) {
	for _, width := range []int{1280, 640, 390} {
		in := blobs(50, "a", "b", "c")
		in.At = 1.7e12
		b, hub := show(t, browser.Settings{Width: width, Height: 800}, "", in)
		figures := map[string]float64{}
		for _, name := range []string{"rate", "lag", "latency_ms", "novel", "novelty_50", "novelty_99", "maps", "drift", "dead_letters"} {
			figures[name] = 1.5
		}
		if err := hub.SetStatus(map[string]any{"figures": figures}); err != nil {
			t.Fatal(err)
		}
		b.Wait(`document.querySelectorAll(".sparks figure").length === 9`)
		do(b, `unfold.timeline.follow(), unfold.timeline.toggle()`)
		b.Wait(`document.querySelector("#timeline time").textContent === "2023-11-14 22:13:20"`)
		boxes := browser.Eval[[]float64](b, `(() => {
			const time = document.querySelector("#timeline time"), range = document.createRange();
			range.selectNodeContents(time);
			return [range.getBoundingClientRect().right, time.nextElementSibling.getBoundingClientRect().left, document.querySelector("#timeline").getBoundingClientRect().right, time.nextElementSibling.getBoundingClientRect().right, document.querySelector(".times").offsetWidth];
		})()`)
		if boxes[0] > boxes[1] || boxes[3] > boxes[2] || boxes[2] > float64(width) || boxes[4] < 60 {
			t.Errorf("%d pixels: the time ends at %.0f and the button is from %.0f to %.0f, in a panel until %.0f; the slider has %.0f", width, boxes[0], boxes[1], boxes[3], boxes[2], boxes[4])
		}
	}
}
