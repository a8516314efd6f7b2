package cli

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/draw"

	"unfold/cmd/internal/viewer/browser"
)

// README's animation shows the page during the demo. With UNFOLD_PAGE_PICTURES=write the test
// records it again: make page-pictures.
func TestPageAnimation(t *testing.T) {
	path, err := filepath.Abs("../../../docs/page-live.png")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UNFOLD_PAGE_PICTURES") == "write" {
		pictures := recorded(t, 40, 400*time.Millisecond)
		var b bytes.Buffer
		if err := browser.Animate(&b, pictures, 12); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if n := browser.Frames(data); n < 30 || len(data) > 1_500_000 || first.Bounds().Dx() < 600 {
		t.Errorf("%d pictures of %v in %d bytes", n, first.Bounds(), len(data))
	}
}

// recorded returns n pictures of the demo's page at the given interval, from the first map on.
func recorded(t *testing.T, n int, every time.Duration) (pictures []image.Image) {
	t.Helper()
	t.Chdir(t.TempDir())
	b := browser.Open(t, browser.Settings{Width: 1120, Height: 700, Dark: true})
	m := start(t, "demo")
	address := m.wrote(&m.out, `its live map is at http://(\S+)`)[1]
	b.Show("http://" + strings.TrimRight(address, "/"))
	b.Wait(`unfold.store.n > 200`)
	browser.Eval[bool](b, `(unfold.actions.colorBy(unfold.store.columns.findIndex(c => c.name === "category")), true)`)
	for range n {
		begun := time.Now()
		img, err := png.Decode(bytes.NewReader(b.Picture()))
		if err != nil {
			t.Fatal(err)
		}
		small := image.NewRGBA(image.Rect(0, 0, 720, 450))
		draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
		pictures = append(pictures, small)
		if len(pictures)%6 == 0 { // the view includes new events
			browser.Eval[bool](b, `(unfold.moves.home(true), true)`)
		}
		time.Sleep(time.Until(begun.Add(every)))
	}
	return pictures
}
