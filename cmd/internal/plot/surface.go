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

// surface is the canvas of a picture.
type surface interface {
	// canvas is for text and lines.
	canvas() vgdraw.Canvas
	// points draws the dots, clipped to the viewport's panel.
	points(dots []dot, f viewport)
	// shine draws the shading below the dots, one pixel for each glowCell points.
	shine(img *image.NRGBA, f viewport)
	writeTo(w io.Writer) error
}

// vectorLimit is the maximum number of points that an SVG or a PDF has as separate circles; viewers
// cope badly with larger files.
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

func (p *pngSurface) points(dots []dot, f viewport) {
	whole := p.img.Image()
	box := pixels(f.panel, whole.Bounds().Dy())
	draw.Draw(whole, box, splatted(dots, f, box.Dx(), box.Dy()), image.Point{}, draw.Over)
}

func (p *pngSurface) shine(img *image.NRGBA, f viewport) {
	whole := p.img.Image()
	box := pixels(glowBox(f.panel, img), whole.Bounds().Dy())
	within := box.Intersect(pixels(f.panel, whole.Bounds().Dy()))
	draw.Draw(whole, within, enlarged(img, box.Dx(), box.Dy()), within.Min.Sub(box.Min), draw.Over)
}

func (p *pngSurface) writeTo(w io.Writer) error { return png.Encode(w, p.img.Image()) }

// vectorSurface is a page of vector shapes: an SVG or a PDF.
type vectorSurface struct {
	page vg.CanvasWriterTo
	on   vgdraw.Canvas
	// disc fills a circle in the page's colour.
	disc func(at vg.Point, r vg.Length)
	// finish corrects the written file for viewers.
	finish func([]byte) []byte
}

func newSVG(s Settings) surface {
	page := vgsvg.New(points(s.Width), points(s.Height))
	disc := func(at vg.Point, r vg.Length) { page.Fill(circle(at, r)) }
	return newVector(page, s, disc, forViewers)
}

func newPDF(s Settings) surface {
	page := pdf.New(points(s.Width), points(s.Height))
	return newVector(page, s, page.Disc, func(raw []byte) []byte { return raw })
}

func newVector(page vg.CanvasWriterTo, s Settings, disc func(vg.Point, vg.Length), finish func([]byte) []byte) surface {
	on := vgdraw.New(page)
	// Without its own ground a picture would be illegible in a dark viewer.
	w, h := points(s.Width), points(s.Height)
	on.FillPolygon(themeOf(s).ground, []vg.Point{{}, {X: w}, {X: w, Y: h}, {Y: h}})
	return &vectorSurface{page, on, disc, finish}
}

func (p *vectorSurface) canvas() vgdraw.Canvas { return p.on }

func (p *vectorSurface) points(dots []dot, f viewport) {
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
			p.disc(d.at, d.r)
		}
	}
}

func (p *vectorSurface) shine(img *image.NRGBA, f viewport) {
	p.page.DrawImage(glowBox(f.panel, img), img)
}

func (p *vectorSurface) writeTo(w io.Writer) error {
	var buf bytes.Buffer
	if _, err := p.page.WriteTo(&buf); err != nil {
		return err
	}
	_, err := w.Write(p.finish(buf.Bytes()))
	return err
}

// forViewers corrects the output of the SVG canvas.
func forViewers(svg []byte) []byte {
	// A viewer without this font should use a similar one, not its default.
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	// The canvas labels PNG images as JPEG; viewers that trust the label show none.
	return bytes.ReplaceAll(svg, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
}

// points converts pixels to points (1/72 inch).
func points(pixels int) vg.Length { return vg.Length(float64(pixels) / perDot) }

// pixels returns a rectangle of the canvas in pixels, y downwards.
func pixels(r vg.Rectangle, height int) image.Rectangle {
	px := func(l vg.Length) int { return int(math.Round(float64(l) * perDot)) }
	return image.Rect(px(r.Min.X), height-px(r.Max.Y), px(r.Max.X), height-px(r.Min.Y))
}
