package plot

import (
	"image"
	"math"
)

// splat draws dots to an image of the panel at the resolution of a PNG.
func splat(dots []dot, f viewport) *image.RGBA {
	size := f.panel.Size()
	return splatted(dots, f, int(math.Round(float64(size.X)*perDot)), int(math.Round(float64(size.Y)*perDot)))
}

// splatted draws dots to a transparent image of the panel, w x h pixels, with edges smoothed over
// one pixel. Colours are blended as browsers blend SVG, so that both formats look alike.
func splatted(dots []dot, f viewport, w, h int) *image.RGBA {
	// Premultiplied red, green, blue, opacity in 0..1.
	buf := make([]float32, 4*w*h)
	for _, d := range dots {
		cx := float64(d.at.X-f.panel.Min.X) * perDot
		cy := float64(h) - float64(d.at.Y-f.panel.Min.Y)*perDot
		r := float64(d.r) * perDot
		alpha := float64(d.color.A) / 255
		red, green, blue := float32(d.color.R)/255, float32(d.color.G)/255, float32(d.color.B)/255
		for y := max(0, int(cy-r-1)); y <= min(h-1, int(cy+r+1)); y++ {
			for x := max(0, int(cx-r-1)); x <= min(w-1, int(cx+r+1)); x++ {
				dist := math.Hypot(float64(x)+0.5-cx, float64(y)+0.5-cy)
				cover := math.Min(math.Max(r+0.5-dist, 0), 1)
				if d.hollow {
					cover *= math.Min(math.Max(dist-(r-hollowLine*perDot)+0.5, 0), 1)
				}
				if cover == 0 {
					continue
				}
				a := float32(alpha * cover)
				px := buf[4*(y*w+x) : 4*(y*w+x)+4 : 4*(y*w+x)+4]
				px[0] += a * (red - px[0])
				px[1] += a * (green - px[1])
				px[2] += a * (blue - px[2])
				px[3] += a * (1 - px[3])
			}
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i, v := range buf {
		img.Pix[i] = uint8(v*255 + 0.5)
	}
	return img
}

// hollowLine is the width of a hollow dot's ring in points.
const hollowLine = 0.8
