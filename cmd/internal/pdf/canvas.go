package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Canvas is a page to draw on; New makes one.
type Canvas struct {
	w, h    vg.Length
	content bytes.Buffer
	state   state
	stack   []state
	alphas  map[uint8]bool
	images  []image.Image
	glyphs  map[glyph]int // the number of an outline in forms
	forms   []form
}

// state is the state that Push saves.
type state struct {
	color color.NRGBA
	width vg.Length
	round bool // ends of lines
}

type glyph struct {
	font  *opentype.Font
	index sfnt.GlyphIndex
}

// form is an outline in units of its font.
type form struct {
	path string
	box  float64 // no point is further from the origin, in either direction
}

// New returns an empty page, w points wide and h high.
func New(w, h vg.Length) *Canvas {
	c := &Canvas{w: w, h: h, alphas: map[uint8]bool{}, glyphs: map[glyph]int{}}
	vg.Initialize(c)
	return c
}

// Size returns the page's width and height in points.
func (c *Canvas) Size() (w, h vg.Length) { return c.w, c.h }

// SetLineWidth sets the width of lines in points; lines are not drawn at 0 or below.
func (c *Canvas) SetLineWidth(w vg.Length) {
	c.state.width = w
	c.op("w", float64(w))
}

// SetLineDash sets the lengths of dashes and gaps in points. Without dashes, lines are solid.
func (c *Canvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.content.WriteByte('[')
	for i, d := range dashes {
		if i > 0 {
			c.content.WriteByte(' ')
		}
		c.content.WriteString(decimal(float64(d)))
	}
	c.content.WriteString("] ")
	c.op("d", float64(offset))
}

// SetColor sets the colour and opacity of the following drawing; nil is black.
func (c *Canvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.state.color = color.NRGBAModel.Convert(col).(color.NRGBA)
	r, g, b := float64(c.state.color.R)/255, float64(c.state.color.G)/255, float64(c.state.color.B)/255
	c.op("rg", r, g, b)
	c.op("RG", r, g, b)
	c.alphas[c.state.color.A] = true
	fmt.Fprintf(&c.content, "/A%d gs\n", c.state.color.A)
}

// Rotate rotates the following drawing by an angle in radians.
func (c *Canvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.op("cm", cos, sin, -sin, cos, 0, 0)
}

// Translate shifts the following drawing.
func (c *Canvas) Translate(by vg.Point) { c.op("cm", 1, 0, 0, 1, float64(by.X), float64(by.Y)) }

// Scale scales the following drawing.
func (c *Canvas) Scale(x, y float64) { c.op("cm", x, 0, 0, y, 0, 0) }

// Push saves the state for Pop.
func (c *Canvas) Push() {
	c.stack = append(c.stack, c.state)
	c.op("q")
}

// Pop restores the state of the last Push.
func (c *Canvas) Pop() {
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	c.op("Q")
}

// Stroke draws a path's line.
func (c *Canvas) Stroke(p vg.Path) {
	if c.state.width > 0 {
		c.ends(false)
		c.path(p)
		c.op("S")
	}
}

// Fill fills a path.
func (c *Canvas) Fill(p vg.Path) {
	c.path(p)
	c.op("f")
}

// Disc fills a circle of radius r, in a tenth of the bytes of a path.
func (c *Canvas) Disc(at vg.Point, r vg.Length) {
	c.ends(true)
	if c.state.width != 2*r {
		c.SetLineWidth(2 * r)
	}
	c.op("m", float64(at.X), float64(at.Y))
	c.op("l", float64(at.X), float64(at.Y))
	c.op("S")
}

// ends makes the ends of lines round or flat.
func (c *Canvas) ends(round bool) {
	if c.state.round == round {
		return
	}
	c.state.round = round
	if round {
		c.op("J", 1)
	} else {
		c.op("J", 0)
	}
}

// DrawImage draws an image over a rectangle.
func (c *Canvas) DrawImage(r vg.Rectangle, img image.Image) {
	c.images = append(c.images, img)
	c.alphas[255] = true
	size := r.Size()
	c.op("q")
	c.content.WriteString("/A255 gs\n")
	c.op("cm", float64(size.X), 0, 0, float64(size.Y), float64(r.Min.X), float64(r.Min.Y))
	fmt.Fprintf(&c.content, "/I%d Do\nQ\n", len(c.images)-1)
}

// FillString writes text from a point on its base line.
func (c *Canvas) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 {
		return
	}
	scale := float64(f.Font.Size) / float64(f.Face.UnitsPerEm())
	var buf sfnt.Buffer
	for i, r := range text {
		// The position includes kerning.
		x := float64(at.X) + float64(f.Width(text[:i+len(string(r))])-f.Width(string(r)))
		index, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if k, ok := c.outline(glyph{f.Face, index}); ok {
			c.op("q")
			c.op("cm", scale, 0, 0, scale, x, float64(at.Y))
			fmt.Fprintf(&c.content, "/G%d Do\nQ\n", k)
		}
	}
}

// outline returns the number of a glyph's form; spaces have none.
func (c *Canvas) outline(g glyph) (int, bool) {
	if k, known := c.glyphs[g]; known {
		return k, k >= 0
	}
	c.glyphs[g] = -1
	f, err := formOf(g)
	if err != nil || f.path == "" {
		return 0, false
	}
	c.glyphs[g] = len(c.forms)
	c.forms = append(c.forms, f)
	return c.glyphs[g], true
}

// op writes an operator after its numbers.
func (c *Canvas) op(name string, numbers ...float64) {
	for _, v := range numbers {
		c.content.WriteString(decimal(v))
		c.content.WriteByte(' ')
	}
	c.content.WriteString(name)
	c.content.WriteByte('\n')
}

// decimal writes a number without an exponent, as PDF requires. NaN and infinities become 0.
func decimal(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	digits := 3
	if math.Abs(v) < 1 {
		digits = 6
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}
