package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// An animation is a PNG of the first picture, and has the right number of frames.
func TestAnimate(t *testing.T) {
	var pictures []image.Image
	for k := range 3 {
		p := image.NewRGBA(image.Rect(0, 0, 40, 30))
		for y := range 30 {
			for x := range 40 {
				p.Set(x, y, color.RGBA{255, 255, 255, 255})
			}
		}
		p.Set(5+k, 7, color.RGBA{255, 0, 0, 255})
		pictures = append(pictures, p)
	}
	var b bytes.Buffer
	if err := Animate(&b, pictures, 10); err != nil {
		t.Fatal(err)
	}
	if n := Frames(b.Bytes()); n != 3 {
		t.Errorf("%d pictures", n)
	}
	first, err := png.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, _, _ := first.At(5, 7).RGBA(); r != 0xffff || g != 0 || first.Bounds() != pictures[0].Bounds() {
		t.Errorf("the first picture is %v with %v", first.Bounds(), first.At(5, 7))
	}
	if n := bytes.Count(b.Bytes(), []byte("fdAT")); n != 2 {
		t.Errorf("%d parts of further pictures", n)
	}
	if Frames([]byte("no picture at all")) != 0 || Animate(&b, nil, 1) == nil {
		t.Error("nothing is taken for an animation")
	}
}
