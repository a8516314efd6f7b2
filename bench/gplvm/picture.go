package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"

	"unfold/models/gplvm"
	"unfold/sparse/vec"
)

const (
	side  = 480 // of a figure, in pixels
	reach = 2.6 // of the map, on either side of 0
	cells = 14  // of a grid, on a side
)

// colours are those of the classes.
var colours = []color.RGBA{{0xd6, 0x27, 0x28, 0xff}, {0x1f, 0x77, 0xb4, 0xff}, {0x2c, 0xa0, 0x2c, 0xff}, {0x94, 0x67, 0xbd, 0xff}, {0xff, 0x7f, 0x0e, 0xff}}

// at returns the map's coordinate of a pixel.
func at(pixel, of int) float64 { return reach * (2*(float64(pixel)+0.5)/float64(of) - 1) }

// shade draws places by class on the precision of predictions of d outputs, on a
// logarithmic scale.
func shade(path string, a *gplvm.Active, d int, x vec.Matrix[float64], label []int) error {
	const step = 4 // pixels of a shade
	shades := make([]float64, side/step*side/step)
	low, high := math.Inf(1), math.Inf(-1)
	w, mean, variance := a.NewScratch(), make([]float64, d), make([]float64, d)
	for i := range shades {
		a.Predict(mean, variance, []float64{at(i%(side/step), side/step), -at(i/(side/step), side/step)}, w)
		shades[i] = -math.Log(variance[0])
		low, high = min(low, shades[i]), max(high, shades[i])
	}
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		v := uint8(255 * (shades[i/side/step*(side/step)+i%side/step] - low) / (high - low))
		img.Set(i%side, i/side, color.Gray{v/2 + 127})
	}
	for i := range x.Rows {
		col, row := int((x.Row(i)[0]/reach+1)/2*side), int((1-x.Row(i)[1]/reach)/2*side)
		for p := range 9 {
			img.Set(col+p%3-1, row+p/3-1, colours[label[i]])
		}
	}
	return write(path, img)
}

// pixels are those on a side of a digit; white ones are -1.
const pixels = 16

// grid draws the mean images of a grid over the map. The outputs are those pixels in
// which; others are white.
func grid(path string, a *gplvm.Active, bias []float64, which []int) error {
	img := image.NewGray(image.Rect(0, 0, cells*pixels, cells*pixels))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	w, mean, variance := a.NewScratch(), make([]float64, len(bias)), make([]float64, len(bias))
	for c := range cells * cells {
		a.Predict(mean, variance, []float64{at(c%cells, cells), -at(c/cells, cells)}, w)
		for i, v := range mean {
			grey := min(max((v+bias[i]+1)/2, 0), 1)
			pixel := which[i]
			img.SetGray(c%cells*pixels+pixel%pixels, c/cells*pixels+pixel/pixels, color.Gray{uint8(255 * (1 - grey))})
		}
	}
	return write(path, img)
}

func write(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = png.Encode(f, img)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
