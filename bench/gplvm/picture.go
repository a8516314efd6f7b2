package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"slices"

	"unfold/models/gplvm"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

const (
	side  = 480 // of a figure, in pixels
	cells = 14  // of a grid, on a side
)

// colours are those of the classes.
var colours = []color.RGBA{{0xd6, 0x27, 0x28, 0xff}, {0x1f, 0x77, 0xb4, 0xff}, {0x2c, 0xa0, 0x2c, 0xff}, {0x94, 0x67, 0xbd, 0xff}, {0xff, 0x7f, 0x0e, 0xff}}

// extent is how far places reach from 0, and a little more.
func extent(x vec.Matrix[float64]) (reach float64) {
	for _, v := range x.Data {
		reach = max(reach, 1.05*math.Abs(v))
	}
	return reach
}

// at returns the coordinate of a pixel on a map of some reach.
func at(pixel, of int, reach float64) float64 {
	return reach * (2*(float64(pixel)+0.5)/float64(of) - 1)
}

// shade draws places by class on the precision of predictions of d outputs, on a
// logarithmic scale.
func shade(path string, a *gplvm.Active, d int, x vec.Matrix[float64], label []int) error {
	const step = 4 // pixels of a shade
	const across = side / step
	shades, reach := make([]float64, across*across), extent(x)
	par.Ranges(0, len(shades), across, func(_, from, to int) {
		w, mean, variance := a.NewScratch(), make([]float64, d), make([]float64, d)
		for i := from; i < to; i++ {
			a.Predict(mean, variance, []float64{at(i%across, across, reach), -at(i/across, across, reach)}, w)
			shades[i] = -math.Log(variance[0])
		}
	})
	low, high := slices.Min(shades), slices.Max(shades)
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		v := uint8(255 * (shades[i/side/step*across+i%side/step] - low) / (high - low))
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

// grey is a picture of a sheet: grey values from 0, black, to 1, by rows. NaN is red.
type grey struct {
	width int
	level []float64
}

// sheet draws pictures of one size side by side, so many in a row, each pixel of them so
// many wide.
func sheet(path string, across, zoom int, all []grey) error {
	w := all[0].width
	h := len(all[0].level) / w
	const gap = 1
	img := image.NewRGBA(image.Rect(0, 0, across*(w*zoom+gap)-gap, (len(all)+across-1)/across*(h*zoom+gap)-gap))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for i, p := range all {
		left, top := i%across*(w*zoom+gap), i/across*(h*zoom+gap)
		for pixel, v := range p.level {
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
	return write(path, img)
}

// decoded returns what a model says lies at the places x: grey values of pictures of
// size pixels, of which the outputs are those in which (nil: all) and the others white;
// tone turns outputs into grey values.
func decoded(a *gplvm.Active, x vec.Matrix[float64], width, size int, which []int, tone func(v float64) float64) []grey {
	bias := a.Bias()
	w, mean, variance := a.NewScratch(), make([]float64, len(bias)), make([]float64, len(bias))
	all := make([]grey, x.Rows)
	for i := range all {
		a.Predict(mean, variance, x.Row(i), w)
		level := slices.Repeat([]float64{1}, size)
		for c, v := range mean {
			pixel := c
			if which != nil {
				pixel = which[c]
			}
			level[pixel] = tone(v + bias[c])
		}
		all[i] = grey{width, level}
	}
	return all
}

// lattice returns the places of a grid over the map, by rows from the top.
func lattice(reach float64) vec.Matrix[float64] {
	x := vec.New[float64](cells*cells, 2)
	for c := range x.Rows {
		x.Row(c)[0], x.Row(c)[1] = at(c%cells, cells, reach), -at(c/cells, cells, reach)
	}
	return x
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
