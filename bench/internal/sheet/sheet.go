// Package sheet draws small grey pictures side by side, as figures of digits and faces show them.
package sheet

import (
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"

	"unfold/internal/atomicfile"
)

// between is the colour between pictures of a sheet.
var between = color.RGBA{0xc4, 0xcc, 0xd4, 0xff}

// Picture is a picture of a sheet: grey values from 0, black, to 1, by rows. NaN is red. A picture
// without values is omitted.
type Picture struct {
	Width int
	Level []float64
}

// Write draws pictures of one size as a PNG, with across pictures per row and zoom pixels per
// value.
func Write(path string, across, zoom int, all []Picture) error {
	w, h := all[0].Width, 0
	for _, p := range all {
		h = max(h, len(p.Level)/w)
	}
	const gap = 3
	img := image.NewRGBA(image.Rect(0, 0, gap+across*(w*zoom+gap), gap+(len(all)+across-1)/across*(h*zoom+gap)))
	draw.Draw(img, img.Bounds(), image.NewUniform(between), image.Point{}, draw.Src)
	for i, p := range all {
		left, top := gap+i%across*(w*zoom+gap), gap+i/across*(h*zoom+gap)
		for pixel, v := range p.Level {
			shown := color.RGBA{0xd6, 0x27, 0x28, 0xff}
			if !math.IsNaN(v) {
				g := uint8(255 * min(max(v, 0), 1))
				shown = color.RGBA{g, g, g, 0xff}
			}
			for z := range zoom * zoom {
				img.Set(left+pixel%w*zoom+z%zoom, top+pixel/w*zoom+z/zoom, shown)
			}
		}
	}
	return PNG(path, img)
}

// Read reads a PNG.
func Read(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return img, nil
}

// Few writes a picture with 216 colours, each pixel in the nearest. That takes a fraction of the
// bytes of a smooth PNG.
func Few(path string, img image.Image) error {
	few := image.NewPaletted(img.Bounds(), palette.WebSafe)
	draw.Draw(few, few.Rect, img, few.Rect.Min, draw.Src)
	return PNG(path, few)
}

// PNG writes a picture atomically.
func PNG(path string, img image.Image) error {
	return atomicfile.Write(path, func(w io.Writer) error { return png.Encode(w, img) })
}
