package sheet_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/sheet"
)

// Colours of the palette stay, and others become the nearest of it. A picture of many shades gets
// smaller.
func TestFew(t *testing.T) {
	img, rnd := image.NewRGBA(image.Rect(0, 0, 120, 90)), rand.New(rand.NewPCG(1, 2))
	for x := range 120 {
		for y := range 90 {
			shade := func() uint8 { return uint8(0x99 + rnd.IntN(40) - 20) }
			img.Set(x, y, color.RGBA{shade(), shade(), shade(), 0xff})
		}
	}
	img.Set(0, 0, color.RGBA{0x33, 0xcc, 0xff, 0xff})
	img.Set(1, 0, color.RGBA{0x35, 0xca, 0xf0, 0xff})
	dir := t.TempDir()
	few, all := filepath.Join(dir, "few.png"), filepath.Join(dir, "all.png")
	if err := sheet.Few(few, img); err != nil {
		t.Fatal(err)
	}
	if err := sheet.PNG(all, img); err != nil {
		t.Fatal(err)
	}
	got, err := sheet.Read(few)
	if err != nil {
		t.Fatal(err)
	}
	for x := range 2 {
		if r, g, b, _ := got.At(x, 0).RGBA(); r>>8 != 0x33 || g>>8 != 0xcc || b>>8 != 0xff {
			t.Errorf("pixel %d is %v", x, got.At(x, 0))
		}
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if size(few) > size(all)/2 {
		t.Errorf("%d bytes in few colours, %d in all", size(few), size(all))
	}
	if err := os.WriteFile(all, []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sheet.Read(all); err == nil || !strings.Contains(err.Error(), all) {
		t.Errorf("what is no picture: %v", err)
	}
}
