package viewer

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/internal/testkit/tier"
	"unfold/stream/view"
)

var update = flag.Bool("update", false, "take the pictures in testdata/screens again")

// screens are the states of the page whose pictures are compared: the server to open and the steps
// after all points have arrived.
var screens = []struct {
	name, server, hash string
	steps              func(b *browser.Tab)
}{
	{"waiting", "waiting", "", func(b *browser.Tab) { b.Wait(`!document.getElementById("banner").hidden`) }},
	{"classes", "map", "#by=class", func(*browser.Tab) {}},
	{"clusters", "map", "#by=cluster", func(b *browser.Tab) {
		b.Do(chromedp.KeyEvent("k"))
	}},
	{"selection", "map", "#by=class", func(b *browser.Tab) {
		do(b, `unfold.actions.pin(unfold.chosen.find("p8"))`, `unfold.selection.take(unfold.store.named(Array.from({length: 120}, (_, i) => "p" + 8 * i)))`)
		b.Wait(`document.querySelector(".apart p") !== null`)
	}},
	{"filters", "map", "#by=rank", func(b *browser.Tab) {
		b.Do(chromedp.KeyEvent("f"))
		b.Wait(`document.querySelectorAll("#filters .hist").length > 1`)
		// Rows are drawn, and grow, when they come into view.
		browser.Eval[bool](b, `(async () => {
			const box = document.getElementById("filters");
			for (let same = 0, before = ""; same < 5; ) {
				box.scrollTop = 1e6;
				await new Promise(r => setTimeout(r, 80));
				const now = box.scrollTop + " " + box.scrollHeight + " " + box.textContent;
				same = now === before ? same + 1 : 0;
				before = now;
			}
			return true;
		})()`)
	}},
	{"compared", "two", "", func(b *browser.Tab) { b.Wait(`unfold.compare.pane !== null`) }},
	{"search", "map", "#by=class", func(b *browser.Tab) {
		do(b, `(i => { i.focus(); i.value = "sentence 7"; i.dispatchEvent(new Event("input")); })(document.getElementById("search"))`)
		b.Wait(`!document.getElementById("hits").hidden && document.querySelectorAll("#hits button").length > 3`)
	}},
	{"stale", "hanging", "#by=class", nil},
}

// screenRows returns the points of the pictures: eight groups on a ring, moved by some distance.
func screenRows(apart float64) view.Rows {
	const n, groups = 1600, 8
	r := rand.New(rand.NewPCG(8, 8))
	in := view.Rows{X: make([]float32, n), Y: make([]float32, n)}
	ids, class, cluster, note := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	rank, novelty := make([]float64, n), make([]float32, n)
	for i := range n {
		k := i % groups
		phi := 2 * math.Pi * float64(k) / groups
		x, y := r.NormFloat64(), r.NormFloat64()
		in.X[i], in.Y[i] = float32((9+apart)*math.Cos(phi)+x), float32((6+apart/3)*math.Sin(phi)+0.8*y)
		ids[i], class[i], note[i] = fmt.Sprintf("p%d", i), fmt.Sprintf("class %d", k), fmt.Sprintf("sentence %d of the text, which is long enough to be wrapped", i)
		cluster[i] = fmt.Sprint(k/2 + 1)
		rank[i], novelty[i] = math.Exp(x)+float64(k), float32(math.Min(math.Hypot(x, y)/4, 1))
	}
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.StringColumn("class", class), table.StringColumn("cluster", cluster), table.Float64Column("rank", rank), table.Float32Column("novelty_global", novelty), table.StringColumn("note", note)}
	return in
}

// screenServers serves the maps of the pictures and returns their addresses.
func screenServers(t *testing.T) map[string]string {
	t.Helper()
	hub := view.New(view.Settings{Title: "connections", Point: "connection"})
	put(t, hub, screenRows(0))
	var named []view.Cluster
	for i, name := range []string{"rank low", "note short", "rank high, novelty high", "neither of these"} {
		named = append(named, view.Cluster{ID: fmt.Sprint(i + 1), Name: name, Size: 400})
	}
	hub.SetClusters(view.Clusters{Column: "cluster", Living: named})
	other, live, waiting := view.New(view.Settings{Title: "another map"}), view.New(view.Settings{Title: "connections", Live: true, Point: "connection"}), view.New(view.Settings{Title: "connections", Live: true, Point: "connection"})
	put(t, other, screenRows(3))
	put(t, live, screenRows(0))
	if err := waiting.SetStatus(map[string]any{"phase": "waiting", "detail": "waiting for the first map: 400 of 1000 events are there", "progress": 0.4}); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, s := range map[string]Settings{"map": {Hub: hub}, "two": {Hub: hub, Other: other}, "live": {Hub: live}, "waiting": {Hub: waiting}} {
		out[name], _ = serve(t, "127.0.0.1:0", s)
	}
	return out
}

// rested waits until the page has drawn nothing for a while.
const rested = `(async () => {
	for (let before = -1; before !== unfold.frames.drawn; ) {
		before = unfold.frames.drawn;
		await new Promise(r => setTimeout(r, 350));
	}
	return true;
})()`

// The page looks as in the pictures of testdata/screens, in eight states, light and dark, wide and
// narrow. After a change that is wanted, -update takes them again.
func TestScreens(t *testing.T) {
	tier.Full(t, "it opens a browser")
	servers := screenServers(t)
	for _, s := range []browser.Settings{{Width: 1280, Height: 800}, {Width: 1280, Height: 800, Dark: true}, {Width: 390, Height: 844}, {Width: 390, Height: 844, Dark: true}} {
		kind := map[bool]string{false: "light", true: "dark"}[s.Dark] + map[bool]string{false: "-wide", true: "-narrow"}[s.Width < 500]
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := browser.Open(t, s)
			b.Fix()
			for _, screen := range screens {
				if screen.server == "hanging" {
					p := proxy(t, servers["live"])
					b.Show(p.address + "/" + screen.hash)
					p.hangs.Store(true)
					b.Wait(chip + `.textContent.startsWith('silent since')`)
				} else {
					b.Do(chromedp.Navigate("about:blank"))
					b.Show(servers[screen.server] + "/" + screen.hash)
					screen.steps(b)
				}
				// The first frame leaves no room for panels that come later, and points may still be on their way.
				browser.Eval[bool](b, rested)
				do(b, `unfold.moves.home(false)`)
				browser.Eval[bool](b, rested)
				compareScreen(t, screen.name+"-"+kind, picture(t, b))
			}
			for _, said := range b.Said() {
				t.Errorf("the page complained: %q", said)
			}
		})
	}
}

// The comparison notices a panel in another place, other colours, and a name over points. It does
// not notice other edges of letters, nor a number that counts on.
func TestScreensNotice(t *testing.T) {
	url := screenServers(t)["map"]
	b := browser.Open(t, browser.Settings{})
	b.Fix()
	b.Show(url + "/#by=class")
	browser.Eval[bool](b, rested)
	before := browser.Shrink(picture(t, b))
	style := func(text string) string {
		return fmt.Sprintf(`document.adoptedStyleSheets = [document.adoptedStyleSheets[0], (s => (s.replaceSync(%q), s))(new CSSStyleSheet())]`, text)
	}
	for _, c := range []struct {
		name, change, back string
		seen               bool
	}{
		{"a panel 12 pixels to the left", style(`aside { transform: translateX(-12px); }`), style(""), true},
		{"a panel over the header", style(`aside { width: 500px !important; }`), style(""), true},
		{"red is blue, and blue is red", `(d => { globalThis.kept = CanvasRenderingContext2D.prototype.putImageData; CanvasRenderingContext2D.prototype.putImageData = function (img, ...at) {
			for (let i = 0; i < img.data.length; i += 4) { const r = img.data[i]; img.data[i] = img.data[i + 2]; img.data[i + 2] = r; } return d.call(this, img, ...at); }; })(CanvasRenderingContext2D.prototype.putImageData), unfold.ask({base: true})`,
			`CanvasRenderingContext2D.prototype.putImageData = kept, unfold.ask({base: true})`, true},
		{"a name 30 pixels lower", `unfold.names.labels[0].dy += 30, unfold.ask({over: true})`, `unfold.names.labels[0].dy -= 30, unfold.ask({over: true})`, true},
		{"text of another size", style(`body { font-size: 14px !important; }`), style(""), true},
		{"other edges of letters", style(`* { text-rendering: geometricPrecision !important; -webkit-font-smoothing: none !important; letter-spacing: .01px !important; }`), style(""), false},
		{"a number", `document.getElementById("count").textContent = "1,601 points"`, `document.getElementById("count").textContent = "1,600 points"`, false},
	} {
		do(b, c.change)
		browser.Eval[bool](b, rested)
		if apart, shown := browser.Compare(before, browser.Shrink(picture(t, b))); (apart > 0) != c.seen {
			writePNG(t, filepath.Join(t.ArtifactDir(), "difference.png"), shown)
			t.Errorf("%s: %d cells differ", c.name, apart)
		} else {
			t.Logf("%s: %d cells differ", c.name, apart)
		}
		do(b, c.back)
		browser.Eval[bool](b, rested)
	}
	if apart, _ := browser.Compare(before, browser.Shrink(picture(t, b))); apart > 0 {
		t.Errorf("%d cells differ after all changes are taken back", apart)
	}
}

// compareScreen compares a picture of the page with the one in testdata/screens.
func compareScreen(t *testing.T, name string, taken image.Image) {
	t.Helper()
	got := browser.Shrink(taken)
	path := filepath.Join("testdata", "screens", name+".png")
	if *update {
		writePNG(t, path, got)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v: -update takes it", err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if apart, shown := browser.Compare(want, got); apart > 0 {
		path := filepath.Join("..", "..", "..", "out", "screens", name+".png")
		writePNG(t, path, shown)
		t.Errorf("%s: %d cells of 4 x 4 pixels differ from %s. %s has both and the difference; if that is wanted, take the pictures again by -update", name, apart, filepath.Join("testdata", "screens", name+".png"), path)
	}
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
