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
