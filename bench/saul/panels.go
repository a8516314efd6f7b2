package main

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"

	"unfold/bench/internal/sheet"
	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// panel is a map in the plane with a class for each point.
type panel struct {
	x     vec.Matrix[float32]
	class []int32
}

const (
	side = 240 // of a panel, in pixels
	gap  = 4   // between panels
	// far is the share of a map's points, at each end of an axis, by which its panel does not go.
	far    = 0.001
	margin = 0.05 // of the span, on each side
)

// ground, line and the colours of classes, those that the program has for ten.
var colours = color.Palette{
	color.White, color.Gray{0xc8}, rgb(0x332288), rgb(0xddcc77), rgb(0x117733), rgb(0xcc6677), rgb(0x88ccee), rgb(0x882255),
	rgb(0x44aa99), rgb(0x999933), rgb(0xaa4499), rgb(0x222222),
}

const (
	ground = iota
	line
	firstClass
)

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// panel reads the map NAME of labelled points.
func (b *bench) panel(ctx context.Context, name string) (p panel, err error) {
	m, err := b.places(ctx, name)
	if err != nil {
		return p, err
	}
	p.x = m.Embedding
	p.class, err = labels(m)
	return p, err
}

// panels draws maps side by side as a figure, so many in a row, a pixel a point.
func (b *bench) panels(figure string, across int, maps []panel) error {
	rows := (len(maps) + across - 1) / across
	img := image.NewPaletted(image.Rect(0, 0, across*(side+gap)+gap, rows*(side+gap)+gap), colours)
	for i := range img.Pix {
		img.Pix[i] = line
	}
	for m, p := range maps {
		left, top := gap+m%across*(side+gap), gap+m/across*(side+gap)
		p.draw(img.SubImage(image.Rect(left, top, left+side, top+side)).(*image.Paletted))
	}
	return sheet.PNG(b.figure(figure), img)
}

// draw fills a square picture with the map, of equal axes; points beyond it are at its edge.
func (p panel) draw(img *image.Paletted) {
	at := img.Rect.Min
	for y := range side {
		for x := range side {
			img.SetColorIndex(at.X+x, at.Y+y, ground)
		}
	}
	var middle [2]float64
	span := math.SmallestNonzeroFloat64
	for c := range middle {
		v := make([]float64, p.x.Rows)
		for i := range v {
			v[i] = float64(p.x.Row(i)[c])
		}
		slices.Sort(v)
		low, high := quantile.Of(v, far), quantile.Of(v, 1-far)
		middle[c], span = (low+high)/2, max(span, (high-low)*(1+2*margin))
	}
	pixel := func(v, middle float64) int {
		return int(min(max((v-middle)/span+0.5, 0), 1) * (side - 1))
	}
	for i, class := range p.class {
		x, y := pixel(float64(p.x.Row(i)[0]), middle[0]), side-1-pixel(float64(p.x.Row(i)[1]), middle[1])
		img.SetColorIndex(at.X+x, at.Y+y, uint8(firstClass+int(class)%(len(colours)-firstClass)))
	}
}
