package viewer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
)

// focused describes the element with the focus: its id, or the id of its panel with its text.
const focused = `(() => {
	const e = document.activeElement;
	return e.id || (e.closest("[id]")?.id ?? "") + " " + (e.getAttribute("aria-label") ?? e.title.replace(/ \(.\)$/, "") ?? "") + " " + e.textContent.slice(0, 20);
})()`

// faint reports what is wrong with the focus: its element is outside the page, covered, or looks as
// without it.
const faint = `(() => {
	const e = document.activeElement, r = e.getBoundingClientRect(), style = getComputedStyle(e);
	const at = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
	return [r.width > 0 && r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight ? "" : "outside",
		e.contains(at) ? "" : "covered", style.boxShadow !== "none" || style.outlineStyle !== "none" ? "" : "no ring"].filter(Boolean).join(", ");
})()`

// The page can be used without a pointer: Tab reaches everything and shows where it is, Enter and
// Space press, Escape closes, and the focus is never lost when a panel is drawn again or closes.
func TestKeyboardAlone(t *testing.T) {
	in := blobs(200, "a", "b", "c")
	novel := make([]float64, len(in.X))
	for i := range novel {
		novel[i] = float64(i) / float64(len(novel))
	}
	in.Columns, in.At = append(in.Columns, table.Float64Column("novelty_global", novel)), 1.7e12
	b, hub := show(t, browser.Settings{Width: 1280, Height: 900}, "", in)
	b.Wait(`document.querySelectorAll("#strange button").length > 3 && document.querySelectorAll("#legend button").length === 3`)
	if kinds := browser.Eval[string](b, `[...document.querySelectorAll("#strange em")].map(e => e.textContent).join("; ")`); !strings.Contains(kinds, " alike") || !strings.Contains(kinds, "a · ") {
		t.Errorf("the strangest points are %q, and not grouped by kind", kinds)
	}
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			b.Do(chromedp.KeyEvent(key))
		}
		browser.Eval[bool](b, `new Promise(r => setTimeout(() => requestAnimationFrame(() => r(true)), 100))`)
	}
	at := func() string { return browser.Eval[string](b, focused) }
	has := func(what, want string) {
		t.Helper()
		if got := at(); !strings.HasPrefix(got, want) {
			t.Errorf("%s the focus is at %q, want %q", what, got, want)
		}
	}
	// to presses Tab until the focus is at an element.
	to := func(want string) {
		t.Helper()
		for range 80 {
			b.Do(chromedp.KeyEvent(kb.Tab))
			if strings.HasPrefix(at(), want) {
				return
			}
		}
		t.Fatalf("Tab does not reach %q", want)
	}
	said := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`document.getElementById("said").textContent.startsWith(%q)`, want))
	}

	var reached []string
	for range 80 {
		b.Do(chromedp.KeyEvent(kb.Tab))
		name := at()
		if strings.TrimSpace(name) == "" || slices.Contains(reached, name) || browser.Eval[bool](b, `document.activeElement === document.body`) {
			break
		}
		reached = append(reached, name)
		if wrong := browser.Eval[string](b, faint); wrong != "" {
			t.Errorf("the focus at %q is %s", name, wrong)
		}
	}
	for _, want := range []string{"over", "search", "tools Select with a lasso", "tools Save a picture", "welcome Close", "by", "legend b", "filters", "strange", "timeline"} {
		if !slices.ContainsFunc(reached, func(name string) bool { return strings.HasPrefix(name, want) }) {
			t.Errorf("Tab does not reach %q, only %q", want, reached)
		}
	}

	b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("by").focus()`))
	to("legend b")
	press(" ")
	if only := browser.Eval[int](b, `unfold.painting.only.size`); only != 1 {
		t.Errorf("Space on a class highlights %d classes", only)
	}
	has("after a class is highlighted,", "legend b")
	press(kb.Enter)

	do(b, `document.getElementById("over").focus()`)
	press(kb.Enter)
	b.Wait(`!document.getElementById("detail").hidden`)
	press(kb.Escape)

	to("strange")
	before := at()
	press(kb.Enter)
	b.Wait(`!document.getElementById("detail").hidden`)
	has("with the card of a point", "detail Close")
	said("Point p")
	press(kb.Tab, kb.Enter)
	has("after a jump to a neighbour", "detail")
	press(kb.Escape)
	b.Wait(`document.getElementById("detail").hidden`)
	has("after the card", before)

	b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("over").focus()`))
	press("s")
	said(fmt.Sprint(browser.Eval[int](b, `unfold.selection.slots.length`), " points are selected"))
	to("drawer value")
	press(kb.Enter)
	has("after the table is sorted,", "drawer value")
	for range 30 { // further than the rows that are drawn
		press(kb.Tab)
		has("in the table", "drawer")
	}
	press(kb.Escape)
	b.Wait(`document.getElementById("drawer").hidden`)
	has("after a selection", "over")

	press("/")
	has("after a slash", "search")
	do(b, `document.getElementById("search").value = ""`) // unlike a person's, the test's key arrives there, too
	press("p", "1", "7")
	b.Wait(`!document.getElementById("hits").hidden`)
	said("11 found")
	press(kb.ArrowDown, kb.ArrowDown, kb.Enter)
	b.Wait(`!document.getElementById("detail").hidden`)
	press(kb.Escape)
	has("after the hits", "search")
	press(kb.Escape)
	b.Wait(`document.getElementById("detail").hidden`)

	for _, key := range []string{"?", "p"} {
		b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("over").focus()`))
		press(key)
		b.Wait(`document.querySelector("dialog[open]") !== null`)
		press(kb.Escape)
		b.Wait(`document.querySelector("dialog[open]") === null`)
		has("after the dialog of "+key, "over")
	}

	// What the stage waits for is spoken once, not with every count.
	for i := range 3 {
		if err := hub.SetStatus(map[string]any{"phase": "waiting", "detail": fmt.Sprintf("waiting for the first map: %d of 9 events are there", i), "progress": 0.1}); err != nil {
			t.Fatal(err)
		}
		b.Wait(fmt.Sprintf(`document.getElementById("banner").textContent.includes("map: %d of")`, i))
		said("waiting for the first map: 0 of")
	}
	to("banner waiting")
	press(kb.Enter)
	b.Wait(`document.getElementById("banner").classList.contains("open")`)
	if err := hub.SetStatus(map[string]any{"figures": map[string]float64{"rate": 1}}); err != nil {
		t.Fatal(err)
	}
	b.Wait(`document.getElementById("banner").hidden`)
}
