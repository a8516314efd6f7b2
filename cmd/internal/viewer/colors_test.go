package viewer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/ingest/table"
	"unfold/stream/view"
)

// legend returns the colours of classes by name, as the legend shows them.
func legend(b *browser.Tab) map[string]string {
	return browser.Eval[map[string]string](b, `Object.fromEntries([...document.querySelectorAll('#legend button[data-code]')].
		map(e => [e.querySelector('span').textContent, e.querySelector('i').style.background]))`)
}

// The legend has the new colours in the picture that has them, not half a second later.
func TestTheLegendFollows(t *testing.T) {
	in := around("p", 3)
	in.Columns = append(in.Columns, table.StringColumn("other", slices.Repeat([]string{"x", "y"}, len(in.X)/2)))
	b, _ := show(t, browser.Settings{}, "", in)
	b.Wait(`document.querySelectorAll('#legend button[data-code]').length === 3`)
	names := browser.Eval[string](b, `(async () => {
		const by = name => unfold.actions.colorBy(unfold.store.columnOf(name));
		const two = async () => { for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); };
		const seen = [];
		for (const name of ["other", "class", "other"]) {
			by(name);
			await two();
			seen.push([...document.querySelectorAll('#legend button[data-code] span')].map(e => e.textContent).sort().join(" "));
		}
		return seen.join("; ");
	})()`)
	if names != "x y; class 0 class 1 class 2; x y" {
		t.Errorf("the legend shows %s", names)
	}
}

// classed returns points of classes at given places, with ids that begin with a prefix.
func classed(prefix string, class []string, x, y []float32) view.Rows {
	ids, value := make([]string, len(class)), make([]float64, len(class))
	for i := range ids {
		ids[i], value[i] = fmt.Sprint(prefix, i), float64(i)
	}
	return view.Rows{X: x, Y: y, ID: table.StringColumn("id", ids), Columns: []table.Column{table.StringColumn("class", class), table.Float64Column("value", value)}}
}

// around returns n classes, one after the other on a circle, the first with most points.
func around(prefix string, n int) view.Rows {
	var class []string
	var x, y []float32
	for k := range n {
		for range n - k {
			class = append(class, fmt.Sprintf("class %d", k))
			x, y = append(x, float32(k%4)), append(y, float32(k/4))
		}
	}
	return classed(prefix, class, x, y)
}

// A class keeps its colour when points and classes are added, when points move, and when another
// column coloured the map in between. A page that is opened later gives the classes the same
// colours.
func TestColorsStay(t *testing.T) {
	for _, n := range []int{3, 6, 9, 25} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b, hub := show(t, browser.Settings{}, "", around("p", n))
			shows := func(n int) {
				b.Wait(fmt.Sprintf(`document.querySelectorAll('#legend button[data-code]').length === %d`, n))
			}
			shows(n)
			before := legend(b)
			if distinct := slices.Compact(slices.Sorted(maps.Values(before))); len(distinct) != n {
				t.Errorf("%d classes have %d colours", n, len(distinct))
			}
			kept := func(what string) {
				t.Helper()
				now := legend(b)
				for name, color := range before {
					if now[name] != color {
						t.Errorf("%s: %s was %s and is %s", what, name, color, now[name])
					}
				}
			}
			// A class that becomes the most frequent and sorts first, and an outlier far away.
			more := classed("q", slices.Repeat([]string{"a"}, 500), make([]float32, 500), make([]float32, 500))
			more.X[0], more.Y[0] = 1e4, -1e4
			put(t, hub, more)
			shows(n + 1)
			kept("with another class")
			if color := legend(b)["a"]; slices.Contains(slices.Collect(maps.Values(before)), color) {
				t.Errorf("the new class has the colour %s of another one", color)
			}
			// A page that is opened now has the same.
			before = legend(b)
			if n == 6 {
				again := browser.Open(t, browser.Settings{})
				again.Show(browser.Eval[string](b, `location.href`))
				again.Wait(fmt.Sprintf(`document.querySelectorAll('#legend button[data-code]').length === %d`, n+1))
				if now := legend(again); !maps.Equal(now, before) {
					t.Errorf("a page that is opened later shows %v instead of %v", now, before)
				}
			}
			b.Do(chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(1)`), chromedp.Evaluate[chromedp.Void](`unfold.actions.colorBy(0)`))
			shows(n + 1)
			kept("after another column")
			if n > 9 {
				return
			}
			// The same classes with other points, in another order.
			later := around("r", n)
			class := later.Columns[0].Strings()
			slices.Reverse(class)
			c, _ := show(t, browser.Settings{}, "", classed("r", class, later.X, later.Y))
			c.Wait(fmt.Sprintf(`document.querySelectorAll('#legend button[data-code]').length === %d`, n))
			delete(before, "a")
			if other := legend(c); !maps.Equal(other, before) {
				t.Errorf("another page shows %v instead of %v", other, before)
			}
		})
	}
}

// A page that showed few classes keeps their colours when it is loaded again with many, after a
// restart of its server, too. Words ask for colours by hashes, so that some ask for the same.
func TestColorsStayWhenThePageIsLoadedAgain(t *testing.T) {
	words := strings.Fields("horse cat mouse apple pear plum oak elm fir gold iron tin lead rose lily iris wren crow jay owl hawk pike carp bass cod ruby opal jade onyx silk wool hemp rye oat corn rice bean beet leek kale")
	in := func(n int) view.Rows {
		class := slices.Repeat(words[:n], 5)
		x, y := make([]float32, len(class)), make([]float32, len(class))
		for i := range class {
			x[i], y[i] = float32(i%n), float32(i/n)
		}
		return classed("p", class, x, y)
	}
	b := browser.Open(t, browser.Settings{})
	open := func(address string, n int) (url string, stop func(), colors map[string]string) {
		t.Helper()
		hub := view.New(view.Settings{Title: "words"})
		put(t, hub, in(n))
		url, stop = serve(t, address, Settings{Hub: hub})
		b.Show(url + "/#by=class")
		b.Wait(fmt.Sprintf(`document.querySelectorAll("#legend button[data-code]").length === %d`, n))
		return url, stop, legend(b)
	}
	url, stop, few := open("127.0.0.1:0", 4)
	stop()
	b.Do(chromedp.Navigate("about:blank"))
	_, _, many := open(strings.TrimPrefix(url, "http://"), len(words))
	for name, color := range few {
		if many[name] != color {
			t.Errorf("%s was %s and is %s", name, color, many[name])
		}
	}
	if distinct := slices.Compact(slices.Sorted(maps.Values(many))); len(distinct) != len(words) {
		t.Errorf("%d classes have %d colours", len(words), len(distinct))
	}
}
