package browser

import (
	"image"
	"image/color"
	"image/draw"
)

// Pictures of a page differ between machines at the edges of letters. So they are compared, and
// kept, with a quarter of their width and height.
const shrinkBy = 4

// Two cells differ if a channel differs by more than tolerance. Pictures differ if more than
// mostApart cells do that lie together in a patch.
const (
	tolerance = 28
	mostApart = 10
)

// levels is the number of levels of a channel of a shrunk picture. With few of them files are small.
const levels = 32

// Shrink returns a picture in a quarter of its size. Each of its pixels is the mean of a square.
func Shrink(img image.Image) *image.NRGBA {
	in := image.NewNRGBA(img.Bounds())
	draw.Draw(in, in.Rect, img, in.Rect.Min, draw.Src)
	out := image.NewNRGBA(image.Rect(0, 0, in.Rect.Dx()/shrinkBy, in.Rect.Dy()/shrinkBy))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [3]int
			for v := range shrinkBy {
				row := in.Pix[in.PixOffset(in.Rect.Min.X+x*shrinkBy, in.Rect.Min.Y+y*shrinkBy+v):]
				for u := range shrinkBy {
					for c := range sum {
						sum[c] += int(row[4*u+c])
					}
				}
			}
			at := out.PixOffset(x, y)
			for c, s := range sum {
				step := (s*(levels-1) + 255*shrinkBy*shrinkBy/2) / (255 * shrinkBy * shrinkBy)
				out.Pix[at+c] = uint8(step * 255 / (levels - 1))
			}
			out.Pix[at+3] = 255
		}
	}
	return out
}

// Compare compares shrunk pictures. It returns the number of cells in the patches that differ
// clearly, 0 if the pictures are alike, and a picture for people: both, and red where they differ.
func Compare(want, got image.Image) (apart int, shown *image.NRGBA) {
	a, b := nrgba(want), nrgba(got)
	w, h := max(a.Rect.Dx(), b.Rect.Dx()), max(a.Rect.Dy(), b.Rect.Dy())
	differs := make([]bool, w*h)
	for y := range h {
		for x := range w {
			at := image.Pt(x, y)
			differs[y*w+x] = !at.In(a.Rect) || !at.In(b.Rect) || far(a.NRGBAAt(x, y), b.NRGBAAt(x, y))
		}
	}
	apart = patches(differs, w)
	shown = image.NewNRGBA(image.Rect(0, 0, 3*w+2*shrinkBy, h))
	draw.Draw(shown, a.Rect, a, image.Point{}, draw.Src)
	draw.Draw(shown, b.Rect.Add(image.Pt(w+shrinkBy, 0)), b, image.Point{}, draw.Src)
	for i, is := range differs {
		x, y := i%w, i/w
		c := b.NRGBAAt(x, y)
		grey := uint8((int(c.R) + int(c.G) + int(c.B)) / 6)
		c = color.NRGBA{64 + grey, 64 + grey, 64 + grey, 255}
		if is {
			c = color.NRGBA{255, 0, 0, 255}
		}
		shown.SetNRGBA(2*(w+shrinkBy)+x, y, c)
	}
	return apart, shown
}

// nrgba returns a picture as NRGBA, from (0, 0) on.
func nrgba(img image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// far reports whether two colours differ clearly.
func far(a, b color.NRGBA) bool {
	apart := func(x, y uint8) bool { return max(x, y)-min(x, y) > tolerance }
	return apart(a.R, b.R) || apart(a.G, b.G) || apart(a.B, b.B)
}

// patches returns the number of cells in patches of more than mostApart cells. A patch is connected
// by edges or corners.
func patches(differs []bool, w int) (n int) {
	h := len(differs) / max(w, 1)
	seen := make([]bool, len(differs))
	for first, is := range differs {
		if !is || seen[first] {
			continue
		}
		seen[first] = true
		patch := []int{first}
		for i := 0; i < len(patch); i++ {
			x, y := patch[i]%w, patch[i]/w
			for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
				for u := max(x-1, 0); u <= min(x+1, w-1); u++ {
					if at := v*w + u; differs[at] && !seen[at] {
						seen[at] = true
						patch = append(patch, at)
					}
				}
			}
		}
		if len(patch) > mostApart {
			n += len(patch)
		}
	}
	return n
}
