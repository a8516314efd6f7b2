package sheet

import (
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
	// Class is the number of each point's colour; those of Ramp are from Step.
	Class []int32
	// Dot is how many pixels wide a point is, 0 means 1. Later points cover earlier ones.
	Dot int
	// Marked are points that are drawn last, larger and with a black edge.
	Marked []int
}

const (
	// Side is that of a panel, Gap what is between panels, in pixels.
	Side = 240
	Gap  = 4
	// far is the share of a map's points, at each end of an axis, by which its panel does not go.
	far    = 0.001
	margin = 0.05 // of the span, on each side
)

// Classes are the colours that the program has for ten classes.
var Classes = color.Palette{
	rgb(0x332288), rgb(0xddcc77), rgb(0x117733), rgb(0xcc6677), rgb(0x88ccee), rgb(0x882255), rgb(0x44aa99), rgb(0x999933), rgb(0xaa4499), rgb(0x222222),
}

// Ramp are colours for numbers, from the least to the greatest.
var Ramp = ramp(rgb(0x332288), rgb(0x44aa99), rgb(0xddcc77), rgb(0xcc3311))

const shades = 16 // of Ramp, between two of its corners

// The first colours of a picture of panels; those of the points follow.
const (
	ground = iota
	line
	mark
	firstClass
)

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// ramp goes straight from each corner to the next.
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

// Step returns the numbers in Ramp of values, evenly from the least to the greatest.
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

// Panels draws maps side by side as a PNG, so many in a row, in colours.
func Panels(path string, across int, colours color.Palette, maps []Panel) error {
	rows := (len(maps) + across - 1) / across
	all := append(color.Palette{ground: color.White, line: color.Gray{0xc8}, mark: color.Black}, colours...)
	img := image.NewPaletted(image.Rect(0, 0, across*(Side+Gap)+Gap, rows*(Side+Gap)+Gap), all)
	for i := range img.Pix {
		img.Pix[i] = line
	}
	for m, p := range maps {
		left, top := Gap+m%across*(Side+Gap), Gap+m/across*(Side+Gap)
		p.draw(img.SubImage(image.Rect(left, top, left+Side, top+Side)).(*image.Paletted))
	}
	return PNG(path, img)
}

// draw fills a square picture with the map, of equal axes; points beyond it are at its edge.
func (p Panel) draw(img *image.Paletted) {
	at := img.Rect.Min
	for y := range Side {
		for x := range Side {
			img.SetColorIndex(at.X+x, at.Y+y, ground)
		}
	}
	middle, span := p.frame()
	pixel := func(v, middle float64) int {
		return int(min(max((v-middle)/span+0.5, 0), 1) * (Side - 1))
	}
	dot := func(i, width int, colour uint8) {
		x, y := pixel(float64(p.X.Row(i)[0]), middle[0]), Side-1-pixel(float64(p.X.Row(i)[1]), middle[1])
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
}

// frame is the middle of what a panel shows and how much that is.
func (p Panel) frame() (middle [2]float64, span float64) {
	span = math.SmallestNonzeroFloat64
	for c := range middle {
		v := make([]float64, p.X.Rows)
		for i := range v {
			v[i] = float64(p.X.Row(i)[c])
		}
		slices.Sort(v)
		low, high := quantile.Of(v, far), quantile.Of(v, 1-far)
		middle[c], span = (low+high)/2, max(span, (high-low)*(1+2*margin))
	}
	return middle, span
}
