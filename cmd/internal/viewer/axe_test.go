package viewer

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/internal/testkit/tier"
	"unfold/stream/view"
)

// axePath is the checker of Deque's axe-core, which cd web && npm ci installs.
const axePath = "../../../web/node_modules/axe-core/axe.min.js"

// violations hides the maps, because contrast with pictures cannot be determined. So it measures
// the panels over an empty map. It runs axe-core in the page and returns what is serious or
// critical, as "rule: selectors".
const violations = `document.querySelectorAll("main canvas").forEach(c => c.style.display = "none"), axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.filter(v => ["serious", "critical"].includes(v.impact))
	.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " (" + (n.any[0]?.message ?? n.all[0]?.message ?? "") + ")").join("; ")).join("\n")).finally(() => document.querySelectorAll("main canvas").forEach(c => c.style.display = ""))`

// In every state axe-core finds nothing serious: wide and narrow, light and dark, with the panels open, a selection, each
// dialog, two maps and a scale of numbers.
func TestAccessible(t *testing.T) {
	tier.Full(t, "it opens a browser")
	axe, err := os.ReadFile(axePath)
	if err != nil {
		tier.Missing(t, "axe-core is not installed (cd web && npm ci)")
	}
	for _, s := range []browser.Settings{{Width: 1440, Height: 900}, {Width: 1440, Height: 900, Dark: true}, {Width: 390, Height: 844}, {Width: 390, Height: 844, Dark: true}} {
		t.Run(fmt.Sprintf("%dx%d dark %t", s.Width, s.Height, s.Dark), func(t *testing.T) {
			b := browser.Open(t, s)
			in := blobs(200, "a", "b", "c")
			novel := make([]float64, len(in.X))
			notes := make([]string, len(in.X))
			for i := range novel {
				novel[i], notes[i] = float64(i)/float64(len(novel)), fmt.Sprintf("a sentence about event %d, which is long enough to be wrapped", i)
			}
			in.Columns, in.At = append(in.Columns, table.Float64Column("novelty_global", novel), table.StringColumn("note", notes)), 1.7e12
			hub := view.New(view.Settings{Title: "blobs", Live: true, Asks: true, Point: "event"})
			put(t, hub, in)
			hub.SetClusters(view.Clusters{Column: "class", Living: []view.Cluster{{ID: "a", Name: "value low", Size: 200}, {ID: "z", Size: 3, Missing: true}}, Events: []view.ClusterEvent{{Kind: "born", ID: "a", Size: 200, Version: 1, At: 1.7e12}}})
			url, _ := serve(t, "127.0.0.1:0", Settings{Hub: hub, Other: hub})
			b.Show(url)
			b.Do(chromedp.Evaluate[chromedp.Void](string(axe) + ";0"))
			check := func(state string, steps ...string) {
				t.Helper()
				do(b, steps...)
				browser.Eval[bool](b, settled)
				if found := browser.Eval[string](b, violations); found != "" {
					t.Errorf("%s:\n%s", state, found)
				}
			}
			tab := func(name string) string {
				return fmt.Sprintf(`[...document.querySelectorAll("#tabs button")].find(b => b.textContent === %q)?.click()`, name)
			}
			check("at first")
			check("a highlighted class", `document.querySelector("#legend button").click()`)
			check("all classes, and filters", `document.querySelector("#legend button:last-child").click()`, tab("Filters"), `document.querySelector("#filters details").open = true`)
			check("clusters", tab("Clusters"), `document.querySelector("#clusters details").open = true`)
			check("strangest", tab("Strangest"))
			check("a chosen point", `unfold.actions.pin(unfold.chosen.find("p7"))`)
			check("a selection", `unfold.actions.pin(-1)`, `unfold.actions.select(Uint32Array.from({length: 99}, (_, i) => i))`)
			check("its sheet", `[...document.querySelectorAll(".drawerhead button")].find(b => b.textContent === "Sheet")?.click()`)
			check("a scale of numbers", `unfold.actions.select(null)`, `unfold.actions.colorBy(unfold.store.columnOf("value"))`)
			check("a search", `document.getElementById("search").value = "p1"`, `unfold.search.find("p1").then(() => 0)`)
			check("two maps", `unfold.search.clear()`, `unfold.compare.open("other").then(() => 0)`)
			for _, key := range []string{"?", "w", "p"} {
				b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("over").focus()`), chromedp.KeyEvent(key))
				check("the dialog of " + key)
				do(b, `document.querySelector("dialog[open]").close()`)
			}
			check("a lost connection", `unfold.feed.connected(false, 500)`)
			check("a fault of the stage", `unfold.pulse.take({phase: "halted", detail: "no broker answers", figures: {rate: 5, lag: 2}})`)
			if said := strings.Join(b.Said(), "\n"); strings.Contains(said, "Error") {
				t.Errorf("the page complained: %s", said)
			}
		})
	}
}
