package cli

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"unfold/cmd/internal/viewer/browser"
)

// The page looks like the pictures in docs, up to differences of fonts and processors. With
// UNFOLD_PAGE_PICTURES=write the test takes them again: make page-pictures.
func TestPagePictures(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		s    browser.Settings
		do   string
	}{
		{"page-light.png", browser.Settings{}, `unfold.actions.outline(); unfold.actions.pin(unfold.chosen.pick(620, 350))`},
		{"page-dark.png", browser.Settings{Dark: true}, `unfold.actions.colorBy(unfold.store.columns.findIndex(c => c.name === "novelty_global")); unfold.actions.select(Uint32Array.from({length: unfold.store.slots}, (_, s) => s).filter(s => unfold.store.x[s] < -25 && unfold.store.y[s] < -5))`},
	} {
		t.Run(c.file, func(t *testing.T) {
			b := browser.Open(t, c.s)
			// A stored map, which does not change with the models.
			m := start(t, "view", filepath.Join("testdata", "digits-map.parquet"), "--listen", "127.0.0.1:0", "--title", "Handwritten digits")
			b.Show("http://" + m.said(`address=(\S+)`)[1])
			b.Wait(`document.querySelectorAll("#legend button").length === 10`)
			b.Do(chromedp.Evaluate[chromedp.Void](c.do))
			browser.Eval[bool](b, `new Promise(r => setTimeout(r, 1500)).then(() => true)`)
			got := b.Picture()
			path := filepath.Join(root, "docs", c.file)
			if os.Getenv("UNFOLD_PAGE_PICTURES") == "write" {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := pixelsApart(t, got, want); d > 0.03 {
				t.Errorf("the page is not what %s shows: pixels differ by %.3f on average", c.file, d)
			}
		})
	}
}

// pixelsApart returns the mean difference of the pixels of two pictures, 0..1.
func pixelsApart(t *testing.T, a, b []byte) float64 {
	t.Helper()
	var pictures [2]image.Image
	for i, raw := range [][]byte{a, b} {
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		pictures[i] = img
	}
	size := pictures[0].Bounds()
	if size != pictures[1].Bounds() {
		t.Fatalf("the pictures are %v and %v", size, pictures[1].Bounds())
	}
	sum := 0.0
	for y := range size.Dy() {
		for x := range size.Dx() {
			r1, g1, b1, _ := pictures[0].At(x, y).RGBA()
			r2, g2, b2, _ := pictures[1].At(x, y).RGBA()
			sum += math.Abs(float64(r1)-float64(r2)) + math.Abs(float64(g1)-float64(g2)) + math.Abs(float64(b1)-float64(b2))
		}
	}
	return sum / (3 * 0xffff * float64(size.Dx()*size.Dy()))
}
