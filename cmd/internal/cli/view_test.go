package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"unfold/cmd/internal/viewer/browser"
	"unfold/cmd/internal/web/webtest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// greeting is the first message to a page.
type greeting struct {
	Title   string
	Live    bool
	Points  int
	Map     struct{ Version uint64 }
	Columns []struct{ Name, Kind string }
	Label   string
}

// viewed starts unfold view, reads its first message to a page, and ends it.
func viewed(t *testing.T, args ...string) (g greeting) {
	t.Helper()
	m := start(t, "view", append(args, "--listen", "127.0.0.1:0")...)
	address := m.said(`address=(\S+)`)[1]
	client, url := webtest.Client(address)
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := client.Do(req)
	if status, body := webtest.Read(t, resp, err); status != 200 || !strings.Contains(string(body), "<canvas") {
		t.Fatalf("%d %.200s", status, body)
	}
	c, _, err := websocket.Dial(t.Context(), "ws://"+address+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	_, text, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return g
}

func (g greeting) columns() string {
	var all []string
	for _, c := range g.Columns {
		all = append(all, c.Name+" "+c.Kind)
	}
	return strings.Join(all, ", ")
}

// view shows maps of this program and of others, and models.
func TestView(t *testing.T) {
	smallModel(t)
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "map.parquet", "--keep", "x")
	must(t, "-q", "fit", "small.csv", "-o", "m3.unfold", "--map", "deep.parquet", "--columns", "x,y,z", "--id", "name", "--dims", "3")
	for path, text := range map[string]string{
		"xy.csv":   "x,y,kind,n\n1,2,a,0.5\n3,4,b,1.5\n,6,c,2.5\n",
		"umap.csv": "name,UMAP1,UMAP2,when\na,1,2,2026-01-02\nb,3,4,2026-01-03\n",
		"odd.csv":  "left,up,kind\n1,2,a\n3,4,b\n",
		"v.jsonl":  `{"v": [1, 2], "t": "a"}` + "\n" + `{"v": [3, 4], "t": "b"}` + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		args    []string
		points  int
		columns string
	}{
		{"its own map", []string{"map.parquet"}, 200, "x number, sigma number, novelty_local number, novelty_global number"},
		{"its model", []string{"m.unfold"}, 100, "variance number, events category"},
		{"three dimensions", []string{"deep.parquet"}, 200, "sigma number, novelty_local number, novelty_global number"},
		{"x and y, one without a place", []string{"xy.csv"}, 2, "kind category, n number"},
		{"UMAP1 and UMAP2", []string{"umap.csv", "--id", "name"}, 2, "when time"},
		{"named places", []string{"odd.csv", "--places", "left,up"}, 2, "kind category"},
		{"a column of vectors", []string{"v.jsonl"}, 2, "t category"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := viewed(t, append(c.args, "--title", "T")...)
			if g.Points != c.points || g.Points == 0 || g.columns() != c.columns || g.Title != "T" || g.Live {
				t.Errorf("the page hears of %+v, want %d points with %s", g, c.points, c.columns)
			}
			if c.name == "its model" && g.Map.Version != 1 {
				t.Errorf("version %d", g.Map.Version)
			}
		})
	}
}

// A page of a map begins with the labels that its model was given, whatever the name of their column. The
// model is in the map's folder.
func TestViewKnowsTheLabels(t *testing.T) {
	smallModel(t)
	must(t, "-q", "fit", "small.csv", "-o", "m.unfold", "--map", "map.parquet", "--columns", "x,y", "--id", "name", "--label", "z")
	if g := viewed(t, "map.parquet"); g.Label != "z" {
		t.Errorf("the labels are in %q", g.Label)
	}
	must(t, "-q", "fit", "small.csv", "-o", "m.unfold", "--map", "map.parquet", "--columns", "x,y", "--id", "name")
	if g := viewed(t, "map.parquet"); g.Label != "" {
		t.Errorf("without labels they are in %q", g.Label)
	}
}

// Files that cannot be shown cause an error with advice.
func TestViewRefuses(t *testing.T) {
	smallModel(t)
	if err := os.WriteFile("odd.csv", []byte("left,up,kind\n1,2,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("empty", []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"odd.csv", exitBadInput, "name them, as --places x,y"},
		{"odd.csv --places left,down", exitBadInput, `"down"`},
		{"odd.csv --places left", exitBadInput, "a map needs two"},
		{"odd.csv --places left,up --id name", exitBadInput, `"name"`},
		{"away.csv", exitBadInput, "away.csv"},
		{"m.unfold --id name", exitUsage, "which knows its points"},
		{"odd.csv --places left,up --token-file empty", exitBadInput, "there is no token in it"},
	} {
		code, _, stderr := run(t, append([]string{"view", "--listen", "127.0.0.1:0"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("view %s: exit %d, %q; want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
}

// The page of a model shows where a record would be placed, with its neighbours.
func TestWhereWouldThisGo(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	smallModel(t)
	m := start(t, "view", "m.unfold", "--listen", "127.0.0.1:0")
	b.Show("http://" + m.said(`address=(\S+)`)[1])
	say := func(text string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog[open]") ?? document.getElementById("question").click()`),
			chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#ask textarea").value = %q`, text)),
			chromedp.Evaluate[chromedp.Void](`document.querySelector("#ask .primary").click()`))
	}
	say(`not JSON`)
	b.Wait(`document.querySelector("#ask .fault").textContent.includes("JSON")`)
	say(`{"x": 0.5, "z": 2}`)
	b.Wait(`document.querySelector("#ask .fault").textContent.includes('"y"')`)
	say(`{"name": "new", "x": 0.5, "y": 1.5, "z": 2}`)
	b.Wait(`!document.querySelector("#ask[open]") && document.querySelector("#detail h2")?.textContent === "new"`)
	if got := browser.Eval[string](b, `[...document.querySelectorAll("#detail h3")].map(e => e.textContent).join(", ") + ": " + document.querySelectorAll("#detail .near button").length`); got != "Why it is novel, Nearest by their vectors: 8" {
		t.Errorf("the panel has %s", got)
	}
	// Its values place it as well, from the dialog and from the search box.
	say("z,name,x,y\n2,values,0.5,1.5")
	b.Wait(`!document.querySelector("#ask[open]") && document.querySelector("#detail h2")?.textContent === "values"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById("search").focus()`))
	b.Wait(`unfold.asking.takes("0.5, 1.5, 2") === "record"`)
	find := func(text string) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = document.getElementById("search"); e.value = %q; e.dispatchEvent(new Event("input")); }`, text)))
	}
	find("0.5, 1.5")
	b.Wait(`document.getElementById("hits").textContent.includes("This has 2 values; the model reads 3 columns: x, y, z")`)
	find("0.5, 1.5, 2")
	b.Wait(`document.querySelector("#hits button")?.textContent === "Nearest to this record"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#hits button").click()`))
	b.Wait(`document.querySelector("#detail h2")?.textContent === "0" && unfold.chosen.asked && unfold.chosen.neighbors.length === 8`)
	// Ids that JavaScript numbers cannot represent.
	for _, id := range []string{"18446744073709551615", "-9223372036854775808", "9007199254740993", "12"} {
		say(`{"name": ` + id + `, "x": 0.5, "y": 1.5, "z": 2}`)
		b.Wait(fmt.Sprintf(`!document.querySelector("#ask[open]") && document.querySelector("#detail h2")?.textContent === %q`, id))
	}
	for _, said := range b.Said() {
		if !strings.Contains(said, "/api/place") { // the rejected request
			t.Errorf("the page complained: %s", said)
		}
	}
}

// A click on a point of a model shows why it is novel and its nearest points in vector space. For a
// map without a model, the page explains why that is unknown.
func TestWhyOnClick(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	smallModel(t)
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "map.parquet", "--keep", "x")
	m := start(t, "view", "m.unfold", "--listen", "127.0.0.1:0")
	b.Show("http://" + m.said(`address=(\S+)`)[1])
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.pin(5)`))
	b.Wait(`document.querySelectorAll("#detail .reason").length === 3`)
	if got := browser.Eval[string](b, `[...document.querySelectorAll("#detail h3")].map(e => e.textContent).join(", ")`); got != "Why it is novel, Nearest by their vectors, Nearest on the map" {
		t.Errorf("the panel has %s", got)
	}
	if got := browser.Eval[string](b, `[...document.querySelectorAll("#detail .reason span")].map(e => e.textContent).sort().join(" ")`); got != "x y z" {
		t.Errorf("the reasons are of %s", got)
	}
	if got := browser.Eval[string](b, `document.querySelector("#detail .reason em").textContent`); !regexp.MustCompile(`^[↑↓] \S+, neighbours \S+`).MatchString(got) {
		t.Errorf("a reason is %q", got)
	}
	if browser.Eval[bool](b, `[...document.querySelectorAll("#detail .near span")].some(e => e.textContent === document.querySelector("#detail h2").textContent)`) {
		t.Error("the point is among its own nearest points")
	}
	if n := browser.Eval[int](b, `unfold.drawing.marks().neighbors.length`); n < 5 {
		t.Errorf("%d neighbours are drawn", n)
	}
	if err := errors.Join(os.Mkdir("away", 0o755), os.Rename("map.parquet", "away/map.parquet")); err != nil {
		t.Fatal(err)
	}
	plain := start(t, "view", "away/map.parquet", "--listen", "127.0.0.1:0")
	b.Show("http://" + plain.said(`address=(\S+)`)[1])
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.pin(5)`))
	b.Wait(`document.querySelector("#detail .hint")?.textContent.startsWith("There is no model to ask")`)
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
}

// The page begins with the labels of a map that has some, and names clusters by their distinguishing columns.
func TestViewNamesClusters(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	t.Chdir(t.TempDir())
	var text strings.Builder
	text.WriteString("x,y,cluster,bytes,label\n")
	for i := range 300 {
		k := i % 3
		fmt.Fprintf(&text, "%d.%d,%d.5,%d,%d,%s\n", 10*k, i%10, i%7, k-1, i%50+1000*(k/2), []string{"a", "b", ""}[k])
	}
	write(t, "map.csv", text.String())
	m := start(t, "view", "map.csv", "--listen", "127.0.0.1:0")
	b.Show("http://" + m.said(`address=(\S+)`)[1])
	b.Wait(`document.querySelector("#clusters h2")?.textContent === "2 clusters"`)
	names := `unfold.names.labels.map(l => l.text).sort().join("|")`
	b.Wait(`unfold.names.labels.length === 2`)
	if got := browser.Eval[string](b, names); got != "a|b" {
		t.Errorf("the labels are %q", got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(unfold.store.columns.findIndex(c => c.name === "cluster"))`))
	b.Wait(`unfold.names.labels.length === 2 && ` + names + ` !== "a|b"`)
	if got := browser.Eval[string](b, names); got != "b|bytes high" {
		t.Errorf("the clusters are named %q", got)
	}
}

// The exported file shows the same without a server, and loads nothing from the network.
func TestExport(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	smallModel(t)
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "map.parquet", "--keep", "x")
	if said := must(t, "export", "map.parquet", "-o", "map.html"); said != "map.html: 200 points, for any browser\n" {
		t.Errorf("said %q", said)
	}
	path, err := filepath.Abs("map.html")
	if err != nil {
		t.Fatal(err)
	}
	b.Show("file://" + path)
	b.Wait(`document.getElementById("count").textContent === "200 points"`)
	if n := browser.Eval[int](b, `performance.getEntriesByType("resource").length`); n != 0 {
		t.Errorf("the file loads %d others", n)
	}
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
	for args, want := range map[string]string{"map.parquet -o map.pdf": "is no .html", "map.html -o map.html": "it would be replaced"} {
		if code, _, stderr := run(t, append([]string{"export"}, strings.Fields(args)...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("export %s: exit %d, %q", args, code, stderr)
		}
	}
}

// With --compare a map is shown beside another, matched by ids or, without ids, by rows; maps without common points are refused.
func TestViewCompares(t *testing.T) {
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{
		"a.csv":     "id,x,y\na,1,2\nb,3,4\nc,5,9\nd,0,1\n",
		"b.csv":     "id,UMAP1,UMAP2\nd,1,2\nc,3,4\nb,5,9\nz,0,1\n",
		"rows.csv":  "x,y\n1,2\n3,4\n5,9\n",
		"rows2.csv": "x,y\n1,3\n3,4\n2,9\n7,7\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2]string{{"a.csv", "b.csv"}, {"rows.csv", "rows2.csv"}} {
		m := start(t, "view", c[0], "--compare", c[1], "--listen", "127.0.0.1:0")
		client, url := webtest.Client(m.said(`address=(\S+)`)[1])
		resp, err := client.Get(url + "/api/compare/other")
		status, body := webtest.Read(t, resp, err)
		both, err := new(arrowfmt.Decoder).Decode(body, table.Origin{})
		if status != 200 || err != nil || both.Len() != 4 {
			t.Fatalf("%v: %d, %v", c, status, err)
		}
		slots, _ := both.Column("slot")
		common := 0
		for i := range both.Len() {
			if slots.Text(i) != strconv.Itoa(view.NoSlot) {
				common++
			}
		}
		if common != 3 {
			t.Errorf("%v: %d points in common, want 3", c, common)
		}
	}
	for args, want := range map[string]string{
		"a.csv --compare rows.csv": "have 0 ids in common; a comparison needs 3", "a.csv --compare away.csv": "away.csv", "- --compare -": "standard input is the map",
	} {
		if code, _, stderr := run(t, append([]string{"view", "--listen", "127.0.0.1:0"}, strings.Fields(args)...)...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("view %s: exit %d, %q", args, code, stderr)
		}
	}
}
