package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
)

// Steps that start while one page replaces another run on the next page, or end with the first.
func TestStepsAcrossPages(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><script>globalThis.page = %q</script>`, r.URL.Path, r.URL.Path)
	}))
	defer server.Close()
	b := Open(t, Settings{})
	b.Do(chromedp.Navigate(server.URL + "/0"))
	for i := range 20 {
		next := fmt.Sprintf("/%d", i+1)
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.href = %q; for (let i = 0; i < 1e6; i++);`, next)))
		// On the page that is left this promise never resolves.
		got := Eval[string](b, fmt.Sprintf(`new Promise(done => setInterval(() => globalThis.page === %q && done(page), 5))`, next))
		if got != next {
			t.Fatalf("page %q, want %q", got, next)
		}
	}
}
