package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// surface is what a picture is drawn on.
type surface interface {
	// canvas is for text and lines.
	canvas() vgdraw.Canvas
	// points draws the dots, clipped to the frame's panel.
	points(dots []dot, f frame)
	writeTo(w io.Writer) error
}

// vectorLimit is the number of points up to which an SVG holds each as a circle
// of its own; more would make a file that no viewer likes.
const vectorLimit = 20000

type pngSurface struct {
	img *vgimg.Canvas
	on  vgdraw.Canvas
}

func newPNG(s Settings) surface {
	img := vgimg.NewWith(vgimg.UseWH(points(s.Width), points(s.Height)), vgimg.UseDPI(dpi))
	return &pngSurface{img: img, on: vgdraw.New(img)}
}

func (p *pngSurface) canvas() vgdraw.Canvas { return p.on }

func (p *pngSurface) points(dots []dot, f frame) {
	whole := p.img.Image()
	box := pixels(f.panel, whole.Bounds().Dy())
	draw.Draw(whole, box, splat(dots, f, box.Dx(), box.Dy()), image.Point{}, draw.Over)
}

func (p *pngSurface) writeTo(w io.Writer) error { return png.Encode(w, p.img.Image()) }

type svgSurface struct {
	svg *vgsvg.Canvas
	on  vgdraw.Canvas
}

func newSVG(s Settings) surface {
	w, h := points(s.Width), points(s.Height)
	svg := vgsvg.New(w, h)
	on := vgdraw.New(svg)
	// Without a ground of its own it would be illegible in a dark viewer.
	on.FillPolygon(color.White, []vg.Point{{}, {X: w}, {X: w, Y: h}, {Y: h}})
	return &svgSurface{svg: svg, on: on}
}

func (p *svgSurface) canvas() vgdraw.Canvas { return p.on }

func (p *svgSurface) points(dots []dot, f frame) {
	if len(dots) > vectorLimit {
		size := f.panel.Size()
		w, h := int(math.Round(float64(size.X)*perDot)), int(math.Round(float64(size.Y)*perDot))
		p.svg.DrawImage(f.panel, splat(dots, f, w, h))
		return
	}
	for _, d := range dots {
		p.svg.SetColor(d.color)
		r := d.r
		if d.hollow {
			r -= hollowLine / 2
		}
		var circle vg.Path
		circle.Move(vg.Point{X: d.at.X + r, Y: d.at.Y})
		circle.Arc(d.at, r, 0, 2*math.Pi)
		circle.Close()
		if d.hollow {
			p.svg.SetLineWidth(hollowLine)
			p.svg.Stroke(circle)
		} else {
			p.svg.Fill(circle)
		}
	}
}

func (p *svgSurface) writeTo(w io.Writer) error {
	var buf bytes.Buffer
	if _, err := p.svg.WriteTo(&buf); err != nil {
		return err
	}
	// A viewer without this font should take a like one, not its default.
	out := bytes.ReplaceAll(buf.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	// The canvas names an image in PNG a JPEG; viewers that believe it show none.
	out = bytes.ReplaceAll(out, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
	_, err := w.Write(out)
	return err
}

// points converts pixels to points (1/72 inch).
func points(pixels int) vg.Length { return vg.Length(float64(pixels) / perDot) }

// pixels returns a rectangle of the canvas in pixels, y downwards.
func pixels(r vg.Rectangle, height int) image.Rectangle {
	px := func(l vg.Length) int { return int(math.Round(float64(l) * perDot)) }
	return image.Rect(px(r.Min.X), height-px(r.Max.Y), px(r.Max.X), height-px(r.Min.Y))
}
