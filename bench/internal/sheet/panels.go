package sheet

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// Panel is a map in the plane, or another cloud of points.
type Panel struct {
	X vec.Matrix[float32] // n x 2
	// Class is the number of each point's colour. For colours of Ramp it comes from Step.
	Class []int32
	// Dot is the width of a point in pixels; 0 means 1. Later points cover earlier ones.
	Dot int
	// Marked are points that are drawn last, larger and with a black edge.
	Marked []int
	// Window is the visible part of the plane. Zero means all points except a few outliers, which
	// are drawn at the edge. With a window, points beyond it are omitted.
	Window Window
	// Boxes are parts of the plane that are outlined.
	Boxes []Window
}

// Window is a square of the plane.
type Window struct {
	Middle [2]float64
	Span   float64 // length of a side
}

// Figure is the arrangement of panels. The zero value is a column of panels without colours.
type Figure struct {
	Across  int // panels per row; 0 means 1
	Side    int // side of a panel in pixels; 0 means Side
	Colours color.Palette
}

const (
	// Side is the side of a panel, Gap the distance between panels, in pixels.
	Side = 240
	Gap  = 4
	// far is the share of points at each end of an axis that a panel ignores for its window.
	far    = 0.001
	margin = 0.05 // of the span, on each side
)

// Classes are the program's colours for ten classes.
var Classes = color.Palette{
	rgb(0x332288), rgb(0xddcc77), rgb(0x117733), rgb(0xcc6677), rgb(0x88ccee), rgb(0x882255), rgb(0x44aa99), rgb(0x999933), rgb(0xaa4499), rgb(0x222222),
}

// Ramp are colours for numbers, in ascending order.
var Ramp = ramp(rgb(0x332288), rgb(0x44aa99), rgb(0xddcc77), rgb(0xcc3311))

const shades = 16 // colours between two corners of Ramp

// The first colours of a picture of panels. Those of the points follow.
const (
	ground = iota
	line
	mark
	firstClass
)

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// ramp interpolates linearly between corners.
func ramp(corners ...color.RGBA) (p color.Palette) {
	between := func(a, b uint8, t int) uint8 { return uint8((int(a)*(shades-t) + int(b)*t) / shades) }
	for c := range len(corners) - 1 {
		a, b := corners[c], corners[c+1]
		for t := range shades {
			p = append(p, color.RGBA{between(a.R, b.R, t), between(a.G, b.G, t), between(a.B, b.B, t), 0xff})
		}
	}
	return append(p, corners[len(corners)-1])
}

// Step maps values linearly to indices into Ramp.
func Step(values []float64) []int32 {
	low, high := slices.Min(values), slices.Max(values)
	class := make([]int32, len(values))
	for i, v := range values {
		if high > low {
			class[i] = int32((v - low) / (high - low) * float64(len(Ramp)-1))
		}
	}
	return class
}

// Panels draws maps side by side as a PNG.
func Panels(path string, f Figure, maps []Panel) error {
	across, side := max(f.Across, 1), cmp.Or(f.Side, Side)
	rows := (len(maps) + across - 1) / across
	all := append(color.Palette{ground: color.White, line: color.Gray{0xc8}, mark: color.Black}, f.Colours...)
	img := image.NewPaletted(image.Rect(0, 0, across*(side+Gap)+Gap, rows*(side+Gap)+Gap), all)
	for i := range img.Pix {
		img.Pix[i] = line
	}
	for m, p := range maps {
		left, top := Gap+m%across*(side+Gap), Gap+m/across*(side+Gap)
		p.draw(img.SubImage(image.Rect(left, top, left+side, top+side)).(*image.Paletted))
	}
	return PNG(path, img)
}

// draw fills a square picture with the map, with equal axes.
func (p Panel) draw(img *image.Paletted) {
	at, side := img.Rect.Min, img.Rect.Dx()
	for y := range side {
		for x := range side {
			img.SetColorIndex(at.X+x, at.Y+y, ground)
		}
	}
	f := p.Window
	if f.Span == 0 {
		f = Around(p.X)
	}
	dot := func(i, width int, colour uint8) {
		a, b := f.at(p.X.Row(i))
		if p.Window.Span > 0 && (min(a, b) < 0 || max(a, b) > 1) {
			return
		}
		x, y := pixel(a, side), side-1-pixel(b, side)
		for k := range width * width {
			img.SetColorIndex(at.X+x+k%width-width/2, at.Y+y+k/width-width/2, colour)
		}
	}
	width, count := max(p.Dot, 1), len(img.Palette)-firstClass
	for i, class := range p.Class {
		dot(i, width, uint8(firstClass+int(class)%count))
	}
	for _, i := range p.Marked {
		dot(i, 3*width, mark)
		dot(i, 2*width, uint8(firstClass+int(p.Class[i])%count))
	}
	for _, b := range p.Boxes {
		f.outline(img, b)
	}
}

// outline draws the edge of b.
func (f Window) outline(img *image.Paletted, b Window) {
	at, side := img.Rect.Min, img.Rect.Dx()
	var low, high [2]int // left and top, right and bottom
	for c, v := range b.Middle {
		u := (v - f.Middle[c]) / f.Span
		low[c], high[c] = pixel(u-b.Span/f.Span/2+0.5, side), pixel(u+b.Span/f.Span/2+0.5, side)
	}
	low[1], high[1] = side-1-high[1], side-1-low[1]
	for x := low[0]; x <= high[0]; x++ {
		img.SetColorIndex(at.X+x, at.Y+low[1], mark)
		img.SetColorIndex(at.X+x, at.Y+high[1], mark)
	}
	for y := low[1]; y <= high[1]; y++ {
		img.SetColorIndex(at.X+low[0], at.Y+y, mark)
		img.SetColorIndex(at.X+high[0], at.Y+y, mark)
	}
}

// at returns the position of a point relative to f, from 0 at the left and the bottom to 1.
func (f Window) at(x []float32) (across, up float64) {
	return (float64(x[0])-f.Middle[0])/f.Span + 0.5, (float64(x[1])-f.Middle[1])/f.Span + 0.5
}

// pixel maps a position from 0 to 1 to a pixel. Positions beyond are at the edge.
func pixel(v float64, side int) int { return int(min(max(v, 0), 1) * float64(side-1)) }

// Around returns the window of all points except a few outliers, with a margin.
func Around(x vec.Matrix[float32]) Window { return AroundMost(x, far) }

// AroundMost is Around without the given share of the points at each end of an axis.
func AroundMost(x vec.Matrix[float32], without float64) (f Window) {
	f.Span = math.SmallestNonzeroFloat64
	for c := range f.Middle {
		v := make([]float64, x.Rows)
		for i := range v {
			v[i] = float64(x.Row(i)[c])
		}
		slices.Sort(v)
		low, high := quantile.Of(v, without), quantile.Of(v, 1-without)
		f.Middle[c], f.Span = (low+high)/2, max(f.Span, (high-low)*(1+2*margin))
	}
	return f
}
