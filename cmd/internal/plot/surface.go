package plot

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"unfold/cmd/internal/pdf"
)

// surface is what a picture is drawn on.
type surface interface {
	// canvas is for text and lines.
	canvas() vgdraw.Canvas
	// points draws the dots, clipped to the frame's panel.
	points(dots []dot, f frame)
	// shine draws what lies below them, one pixel for each glowCell points.
	shine(img *image.NRGBA, f frame)
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
	img := vgimg.NewWith(vgimg.UseWH(points(s.Width), points(s.Height)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(themeOf(s).ground))
	return &pngSurface{img: img, on: vgdraw.New(img)}
}

func (p *pngSurface) canvas() vgdraw.Canvas { return p.on }

func (p *pngSurface) points(dots []dot, f frame) {
	whole := p.img.Image()
	box := pixels(f.panel, whole.Bounds().Dy())
	draw.Draw(whole, box, splatted(dots, f, box.Dx(), box.Dy()), image.Point{}, draw.Over)
}

func (p *pngSurface) shine(img *image.NRGBA, f frame) {
	whole := p.img.Image()
	box := pixels(glowBox(f.panel, img), whole.Bounds().Dy())
	within := box.Intersect(pixels(f.panel, whole.Bounds().Dy()))
	draw.Draw(whole, within, enlarged(img, box.Dx(), box.Dy()), within.Min.Sub(box.Min), draw.Over)
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
	on.FillPolygon(themeOf(s).ground, []vg.Point{{}, {X: w}, {X: w, Y: h}, {Y: h}})
	return &svgSurface{svg: svg, on: on}
}

func (p *svgSurface) canvas() vgdraw.Canvas { return p.on }

func (p *svgSurface) points(dots []dot, f frame) {
	if len(dots) > vectorLimit {
		p.svg.DrawImage(f.panel, splat(dots, f))
		return
	}
	for _, d := range dots {
		p.svg.SetColor(d.color)
		if d.hollow {
			p.svg.SetLineWidth(hollowLine)
			p.svg.Stroke(circle(d.at, d.r-hollowLine/2))
		} else {
			p.svg.Fill(circle(d.at, d.r))
		}
	}
}

func (p *svgSurface) shine(img *image.NRGBA, f frame) { p.svg.DrawImage(glowBox(f.panel, img), img) }

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

// pdfSurface draws a page: points as discs, or as one image where an SVG would, too.
type pdfSurface struct {
	page *pdf.Canvas
	on   vgdraw.Canvas
}

func newPDF(s Settings) surface {
	w, h := points(s.Width), points(s.Height)
	page := pdf.New(w, h)
	on := vgdraw.New(page)
	on.FillPolygon(themeOf(s).ground, []vg.Point{{}, {X: w}, {X: w, Y: h}, {Y: h}})
	return &pdfSurface{page: page, on: on}
}

func (p *pdfSurface) canvas() vgdraw.Canvas { return p.on }

func (p *pdfSurface) points(dots []dot, f frame) {
	if len(dots) > vectorLimit {
		p.page.DrawImage(f.panel, splat(dots, f))
		return
	}
	for _, d := range dots {
		p.page.SetColor(d.color)
		if d.hollow {
			p.page.SetLineWidth(hollowLine)
			p.page.Stroke(circle(d.at, d.r-hollowLine/2))
		} else {
			p.page.Disc(d.at, d.r)
		}
	}
}

func (p *pdfSurface) shine(img *image.NRGBA, f frame) { p.page.DrawImage(glowBox(f.panel, img), img) }

func (p *pdfSurface) writeTo(w io.Writer) error {
	_, err := p.page.WriteTo(w)
	return err
}

// points converts pixels to points (1/72 inch).
func points(pixels int) vg.Length { return vg.Length(float64(pixels) / perDot) }

// pixels returns a rectangle of the canvas in pixels, y downwards.
func pixels(r vg.Rectangle, height int) image.Rectangle {
	px := func(l vg.Length) int { return int(math.Round(float64(l) * perDot)) }
	return image.Rect(px(r.Min.X), height-px(r.Max.Y), px(r.Max.X), height-px(r.Min.Y))
}
