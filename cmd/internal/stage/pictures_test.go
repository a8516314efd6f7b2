package stage

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/viewer"
)

// The page of a stage may load pictures from the origins of page.images_from, and from no others.
func TestPicturesOfAStage(t *testing.T) {
	for _, origins := range [][]string{nil, {"https://a.example", "https://b.example:8443"}} {
		c := config.Defaults()
		c.Page.Image, c.Page.ImagesFrom = "20x28", origins
		d := newDisplay(c, func() (string, error) { return "", nil })
		h, err := viewer.New(viewer.Settings{Hub: d.hub})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		got := httptest.NewRecorder()
		ask := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		ask.Header.Set("Accept", "text/html")
		h.Over(http.NotFoundHandler()).ServeHTTP(got, ask)
		_, rules, _ := strings.Cut(got.Header().Get("Content-Security-Policy"), "img-src ")
		rule, _, _ := strings.Cut(rules, ";")
		for _, origin := range []string{"https://a.example", "https://b.example:8443"} {
			if strings.Contains(rule, origin) != (origins != nil) {
				t.Errorf("page.images_from %v: pictures from %s", origins, rule)
			}
		}
	}
}
