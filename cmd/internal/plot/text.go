package plot

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/go-text/typesetting/segmenter"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// carried are two faces of Liberation Sans, embedded in the program and opened for the first text.
// Package liberation of plot would link twelve, 3.6 MB more.
var carried = sync.OnceValue(func() *plotfont.Cache {
	return plotfont.NewCache(plotfont.Collection{
		face(font.WeightNormal, liberationsansregular.TTF), face(font.WeightBold, liberationsansbold.TTF),
	})
})

// face parses one of the embedded fonts.
func face(weight font.Weight, ttf []byte) plotfont.Face {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Errorf("plot: a font of the program: %w", err))
	}
	return plotfont.Face{Font: plotfont.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight}, Face: parsed}
}

// look is a theme with its fonts.
type look struct {
	theme
	fonts *fallback
}

func newLook(s Settings) look { return look{themeOf(s), &fallback{folders: s.Fonts}} }

// style returns a text style, left-aligned on the base line.
func (l look) style(size float64, c color.Color, bold bool) text.Style {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = font.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: text.XLeft, YAlign: text.YBottom, Handler: typesetter{text.Plain{Fonts: carried()}, l.fonts}}
}

// aligned returns the style with the given alignment.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// typesetter writes text in the program's font. It uses a system font for characters that this font
// lacks, and boxes for those that no font has.
type typesetter struct {
	text.Plain
	fonts *fallback
}

// run is text in one face, laid-out glyphs, or boxes, one for each character that no font has.
type run struct {
	text    string
	face    plotfont.Face
	boxes   int
	glyphs  []glyph
	advance vg.Length // of the glyphs
}

// These are the sizes of the box for a missing character, in em.
const boxWidth, boxHeight, boxGap = 0.6, 0.7, 0.08

func (r run) width(size vg.Length) vg.Length {
	if r.boxes > 0 {
		return vg.Length(r.boxes) * size * (boxWidth + boxGap)
	}
	if r.glyphs != nil {
		return r.advance
	}
	return r.face.Width(r.text)
}

// runs splits text by the faces that have its characters, from left to right.
func (t typesetter) runs(txt string, f plotfont.Font) (out []run) {
	if shaped(txt) {
		return t.layout(txt, f.Weight == font.WeightBold, f.Size)
	}
	own := t.Fonts.Lookup(f, f.Size)
	var buf sfnt.Buffer
	for _, r := range txt {
		if invisible(r) {
			continue
		}
		if unicode.IsControl(r) {
			r = ' '
		}
		next := run{text: string(r), face: own}
		if g, err := own.Face.GlyphIndex(&buf, r); err != nil || g == 0 {
			if found := t.fonts.find(r, f.Weight == font.WeightBold); found != nil {
				next.face.Face = found
			} else {
				next = run{boxes: 1}
			}
		}
		if k := len(out) - 1; k >= 0 && out[k].face.Face == next.face.Face {
			out[k].text, out[k].boxes = out[k].text+next.text, out[k].boxes+next.boxes
			continue
		}
		out = append(out, next)
	}
	return out
}

// invisible reports whether a character only joins or modifies others.
func invisible(r rune) bool {
	return r >= 0x200B && r <= 0x200F || r >= 0x2060 && r <= 0x2064 || r >= 0xFE00 && r <= 0xFE0F || r == 0xFEFF
}

// Box returns the width of a line of text, and its extent above and below the base line.
func (t typesetter) Box(txt string, f plotfont.Font) (width, height, depth vg.Length) {
	for _, r := range t.runs(txt, f) {
		width += r.width(f.Size)
	}
	ext := t.Extents(f)
	return width, ext.Ascent, ext.Descent
}

// Draw writes lines of text at a point, aligned by the style.
func (t typesetter) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	txt = strings.TrimRight(txt, "\n")
	if txt == "" {
		return
	}
	c.SetColor(sty.Color)
	lines := t.Lines(txt)
	pt.Y += sty.Height(txt)*vg.Length(sty.YAlign) - t.Extents(sty.Font).Ascent
	for i, line := range lines {
		runs := t.runs(line, sty.Font)
		at := vg.Point{X: pt.X, Y: pt.Y + vg.Length(len(lines)-i)*sty.Font.Size}
		for _, r := range runs {
			at.X += vg.Length(sty.XAlign) * r.width(sty.Font.Size)
		}
		for _, r := range runs {
			switch {
			case r.boxes > 0:
				boxes(c, at, r.boxes, sty.Font.Size)
			case r.glyphs != nil:
				for _, g := range r.glyphs {
					if p := g.path(at); p != nil {
						c.Fill(p)
					}
				}
			default:
				c.FillString(r.face, at, r.text)
			}
			at.X += r.width(sty.Font.Size)
		}
	}
}

// boxes draws n boxes for characters that no font has.
func boxes(c vg.Canvas, at vg.Point, n int, size vg.Length) {
	c.SetLineWidth(size * 0.06)
	c.SetLineDash(nil, 0)
	for k := range n {
		x := at.X + size*(vg.Length(k)*(boxWidth+boxGap)+boxGap/2)
		var p vg.Path
		p.Move(vg.Point{X: x, Y: at.Y})
		p.Line(vg.Point{X: x + size*boxWidth, Y: at.Y})
		p.Line(vg.Point{X: x + size*boxWidth, Y: at.Y + size*boxHeight})
		p.Line(vg.Point{X: x, Y: at.Y + size*boxHeight})
		p.Close()
		c.Stroke(p)
	}
}

// halo writes text with a rim in the ground's colour, so that it is legible over points.
func (l look) halo(c vgdraw.Canvas, s text.Style, at vg.Point, txt string) {
	rim := s
	rim.Color = faded(l.ground, 0.92)
	const d, directions = 1.2, 8
	for k := range directions {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / directions)
		c.FillText(rim, at.Add(vg.Point{X: vg.Length(d * cos), Y: vg.Length(d * sin)}), txt)
	}
	c.FillText(s, at, txt)
}

// shorten makes text one line and cuts it to n characters, with an ellipsis. A letter and its marks
// are one character.
func shorten(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	var seg segmenter.Segmenter
	seg.Init([]rune(s))
	var cut string
	all := seg.GraphemeIterator()
	for k := 0; all.Next(); k++ {
		if k < n-1 {
			cut += string(all.Grapheme().Text)
		} else if k == n {
			return cut + "…"
		}
	}
	return s
}

// fittedText cuts text to a width, with an ellipsis.
func fittedText(s text.Style, txt string, width vg.Length) string {
	for n := utf8.RuneCountInString(txt); n > 1 && s.Width(txt) > width; n-- {
		txt = shorten(txt, n-1)
	}
	return txt
}

// smaller shrinks a style until text fits a width, down to the size of small print.
func smaller(s text.Style, txt string, width vg.Length) text.Style {
	for s.Font.Size > smallSize && s.Width(txt) > width {
		s.Font.Size = max(s.Font.Size*0.95, smallSize)
	}
	return s
}

// wrapped breaks text at spaces into at most three lines of about the given number of characters.
func wrapped(txt string, line int) string {
	const most = 3
	words := strings.Fields(txt)
	if len(words) == 0 {
		return txt
	}
	out, length, lines := words[0], utf8.RuneCountInString(words[0]), 1
	for _, w := range words[1:] {
		n := utf8.RuneCountInString(w)
		if length+1+n > line && lines < most {
			out, length, lines = out+"\n"+w, n, lines+1
			continue
		}
		out, length = out+" "+w, length+1+n
	}
	return out
}
