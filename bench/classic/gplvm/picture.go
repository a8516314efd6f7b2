package main

import (
	"image"
	"image/color"
	"math"
	"slices"

	"unfold/bench/internal/sheet"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

const (
	side  = 480 // of a figure, in pixels
	cells = 20  // of a grid, on a side
)

// colours are those of the classes.
var colours = []color.RGBA{{0xd6, 0x27, 0x28, 0xff}, {0x1f, 0x77, 0xb4, 0xff}, {0x2c, 0xa0, 0x2c, 0xff}, {0x94, 0x67, 0xbd, 0xff}, {0xff, 0x7f, 0x0e, 0xff}}

// window is the visible square of the plane.
type window struct{ left, bottom, span float64 }

// around returns the window of places, with a margin.
func around(x vec.Matrix[float64]) window {
	const margin = 0.05 // of the span, on each side
	var low, high [2]float64
	copy(low[:], x.Row(0))
	high = low
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			low[c], high[c] = min(low[c], v), max(high[c], v)
		}
	}
	span := max(high[0]-low[0], high[1]-low[1]) * (1 + 2*margin)
	return window{(low[0] + high[0] - span) / 2, (low[1] + high[1] - span) / 2, span}
}

// place returns the middle of cell i of an n x n grid, by rows from the top.
func (f window) place(i, n int) []float64 {
	cell := f.span / float64(n)
	return []float64{f.left + (float64(i%n)+0.5)*cell, f.bottom + f.span - (float64(i/n)+0.5)*cell}
}

// shade draws places by class on the precision of predictions of d outputs, on a logarithmic scale.
// If outputs have covariances of their own, it uses the mean.
func shade(path string, a *gplvm.Active, d int, x vec.Matrix[float64], label []int) error {
	const step = 4 // pixels of a shade
	const across = side / step
	shades, f := make([]float64, across*across), around(x)
	par.Ranges(0, len(shades), across, func(_, from, to int) {
		w, mean, variance := a.NewScratch(), make([]float64, d), make([]float64, d)
		for i := from; i < to; i++ {
			a.Predict(mean, variance, f.place(i, across), w)
			for _, v := range variance {
				shades[i] -= math.Log(v) / float64(d)
			}
		}
	})
	low, high := slices.Min(shades), slices.Max(shades)
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		v := uint8(255 * (shades[i/side/step*across+i%side/step] - low) / (high - low))
		img.Set(i%side, i/side, color.Gray{v/2 + 127})
	}
	mark(img, f, x, label)
	return sheet.PNG(path, img)
}

// mark draws places by class.
func mark(img *image.RGBA, f window, x vec.Matrix[float64], label []int) {
	for i := range x.Rows {
		col, row := int((x.Row(i)[0]-f.left)/f.span*side), int((1-(x.Row(i)[1]-f.bottom)/f.span)*side)
		for p := range 9 {
			img.Set(col+p%3-1, row+p/3-1, colours[label[i]])
		}
	}
}

// decoded returns the model's decoding of the places x as pictures of size pixels. The outputs are
// the pixels in which (nil: all), others are white. tone maps outputs to grey values. Places with a
// variance above most have no picture.
func decoded(a *gplvm.Active, x vec.Matrix[float64], width, size int, which []int, most float64, tone func(v float64) float64) []sheet.Picture {
	bias := a.Bias()
	w, mean, variance := a.NewScratch(), make([]float64, len(bias)), make([]float64, len(bias))
	all := make([]sheet.Picture, x.Rows)
	for i := range all {
		all[i].Width = width
		a.Predict(mean, variance, x.Row(i), w)
		if variance[0] > most {
			continue
		}
		level := slices.Repeat([]float64{1}, size)
		for c, v := range mean {
			pixel := c
			if which != nil {
				pixel = which[c]
			}
			level[pixel] = tone(v + bias[c])
		}
		all[i].Level = level
	}
	return all
}

// ignorance returns the variance of predictions of d outputs far from all places.
func ignorance(a *gplvm.Active, d int) float64 {
	mean, variance := make([]float64, d), make([]float64, d)
	a.Predict(mean, variance, []float64{1e6, 1e6}, a.NewScratch())
	return variance[0]
}

// lattice returns the places of a grid over a window, by rows from the top.
func lattice(f window) vec.Matrix[float64] {
	x := vec.New[float64](cells*cells, 2)
	for c := range x.Rows {
		copy(x.Row(c), f.place(c, cells))
	}
	return x
}
