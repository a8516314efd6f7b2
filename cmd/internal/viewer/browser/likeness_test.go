package browser

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"
)

// drawn returns a picture of a panel at x, with lines of text in an ink, on a light page. Noise is
// the greatest change of a channel.
func drawn(x int, ink color.NRGBA, noise int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{250, 250, 250, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(x, 40, x+120, 240), image.NewUniform(color.NRGBA{190, 190, 200, 255}), image.Point{}, draw.Src)
	r := rand.New(rand.NewPCG(1, 1))
	for row := range 8 {
		for i := range 80 {
			if r.IntN(2) == 0 {
				draw.Draw(img, image.Rect(x+10+i, 60+20*row, x+11+i, 68+20*row), image.NewUniform(ink), image.Point{}, draw.Src)
			}
		}
	}
	for i := range img.Pix {
		if i%4 != 3 && noise > 0 {
			img.Pix[i] = uint8(min(max(int(img.Pix[i])+r.IntN(2*noise+1)-noise, 0), 255))
		}
	}
	return img
}

// Panels that have moved, and other colours and sizes, are differences. Noise, and letters that are
// drawn a little bolder or elsewhere by a fraction of a pixel, are none.
func TestCompare(t *testing.T) {
	black, grey, blue, red := color.NRGBA{30, 30, 30, 255}, color.NRGBA{50, 50, 50, 255}, color.NRGBA{0, 114, 178, 255}, color.NRGBA{213, 94, 0, 255}
	larger := image.NewNRGBA(image.Rect(0, 0, 440, 300))
	draw.Draw(larger, larger.Rect, drawn(100, black, 0), image.Point{}, draw.Src)
	for _, c := range []struct {
		name      string
		want, got image.Image
		differ    bool
	}{
		{"the same", drawn(100, black, 0), drawn(100, black, 0), false},
		{"noise", drawn(100, black, 0), drawn(100, black, 20), false},
		{"bolder letters", drawn(100, grey, 0), drawn(100, black, 0), false},
		{"a panel 12 pixels to the right", drawn(100, black, 0), drawn(112, black, 0), true},
		{"other colours of text", drawn(100, blue, 0), drawn(100, red, 0), true},
		{"another size", drawn(100, black, 0), larger, true},
	} {
		n, shown := Compare(Shrink(c.want), Shrink(c.got))
		if (n > 0) != c.differ {
			t.Errorf("%s: %d cells differ", c.name, n)
		}
		if shown.Rect.Dx() < 3*100 || shown.Rect.Dy() != 75 {
			t.Errorf("%s: the picture of both is %v", c.name, shown.Rect)
		}
	}
	// The third part of the picture for people is red where the panels differ, and nowhere else.
	_, shown := Compare(Shrink(drawn(100, black, 0)), Shrink(drawn(140, black, 0)))
	red = color.NRGBA{255, 0, 0, 255}
	if edge, page := shown.NRGBAAt(2*(100+shrinkBy)+27, 15), shown.NRGBAAt(2*(100+shrinkBy)+5, 5); edge != red || page == red {
		t.Errorf("the difference has the colours %v and %v", edge, page)
	}
}
