package viewer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
	"unfold/cmd/internal/web"
	"unfold/stream/view"
)

// A link with the token on another site's page, as in a notebook, opens the page. Its cookie is
// sent with the following request, and the page can request everything it shows.
func TestLinkWithToken(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	hub := view.New(view.Settings{Title: "blobs"})
	put(t, hub, blobs(20, "a", "b", "c"))
	url, _ := serveTo(t, "127.0.0.1:0", Settings{Hub: hub}, web.Access{Token: "secret"})
	notebook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a id="link" href="%s/?token=secret">the page of the map</a>`, url)
	}))
	defer notebook.Close()
	b.Do(chromedp.Navigate(strings.Replace(notebook.URL, "127.0.0.1", "localhost", 1)), chromedp.Click("#link"))
	b.Wait(`document.getElementById("count")?.textContent.startsWith("60 points")`)
	if at := browser.Eval[string](b, `location.href`); strings.Contains(at, "secret") {
		t.Errorf("the page is at %s", at)
	}
}

// inView returns the number of points in the page's view.
const inView = `(() => { let n = 0; unfold.store.each(s => { const [x, y] = unfold.camera.toScreen(unfold.store.x[s], unfold.store.y[s]); if (x > 0 && y > 0 && x < innerWidth && y < innerHeight) n++; }); return n; })()`

// A link to a place without points, as a point's that has left, shows all points instead of none.
func TestALinkToNowhere(t *testing.T) {
	for _, hash := range []string{"#x=1e6&y=0&zoom=1", "#x=1e300&y=1e300&zoom=1e300", "#x=0&y=-500&zoom=100000"} {
		b, _ := show(t, browser.Settings{}, hash, blobs(20, "a", "b", "c"))
		b.Wait(inView + ` === 60`)
	}
	b, _ := show(t, browser.Settings{}, "#x=-10&y=0&zoom=3", blobs(20, "a", "b", "c"))
	if n := browser.Eval[int](b, inView); n > 40 || n < 10 {
		t.Errorf("a link to one of three clouds of 20 points shows %d", n)
	}
}

// One far point of a small map does not make a dot of all others. It is counted, and a click shows it.
func TestOneFarPointOfFew(t *testing.T) {
	in := blobs(20, "a", "b", "c")
	in.X[7] = 1e9
	b, _ := show(t, browser.Settings{}, "", in)
	b.Wait(inView + ` === 59 && document.getElementById("far").textContent === "1 outside the view"`)
	if wide := browser.Eval[float64](b, `unfold.camera.toScreen(10, 0)[0] - unfold.camera.toScreen(-10, 0)[0]`); wide < 300 {
		t.Errorf("two clouds of points are %g pixels apart", wide)
	}
	do(b, `document.getElementById("far").click()`)
	b.Wait(inView + ` === 60`)
}

// A map that a refresh has moved out of the view, or from which the user has moved away, is not just empty: the page says how
// many points there are elsewhere.
func TestNothingInView(t *testing.T) {
	b, hub := show(t, browser.Settings{}, "#x=-10&y=0&zoom=3", blobs(20, "a", "b", "c"))
	browser.Eval[bool](b, settled)
	if !browser.Eval[bool](b, `document.getElementById("far").hidden`) {
		t.Error("a view of some points has a button for the others")
	}
	hub.Refresh(view.MapState{Version: 2}, view.Base{}, func(x, y float32) (float32, float32) { return x + 1000, y })
	b.Wait(inView + ` === 0 && document.getElementById("far").textContent === "60 outside the view" && !document.getElementById("far").hidden`)
	do(b, `document.getElementById("far").click()`)
	b.Wait(inView + ` === 60 && document.getElementById("far").hidden`)
}
