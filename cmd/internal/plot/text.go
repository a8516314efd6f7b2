package plot

import (
	"fmt"
	"image/color"
	"sync"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// handler lays out text in Liberation Sans, of which the program carries two faces and
// opens them for the first text. Package liberation of plot would link twelve, 3.6 MB more.
var handler = sync.OnceValue(func() text.Plain {
	return text.Plain{Fonts: plotfont.NewCache(plotfont.Collection{
		face(font.WeightNormal, liberationsansregular.TTF), face(font.WeightBold, liberationsansbold.TTF),
	})}
})

// face opens one of the fonts that the program carries.
func face(weight font.Weight, ttf []byte) plotfont.Face {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Errorf("plot: a font of the program: %w", err))
	}
	return plotfont.Face{Font: plotfont.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight}, Face: parsed}
}

// style returns a text style. Text stands on its base line, from the left.
func style(size float64, c color.Color, bold bool) text.Style {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if bold {
		f.Weight = font.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: text.XLeft, YAlign: text.YBottom, Handler: handler()}
}

// aligned returns a style with other alignment.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign, s.YAlign = x, y
	return s
}

// halo writes text with a white rim, so that it is legible over points.
func halo(c vgdraw.Canvas, s text.Style, at vg.Point, txt string) {
	rim := s
	rim.Color = color.NRGBA{255, 255, 255, 235}
	const d = 1.1
	for _, by := range []vg.Point{{X: d}, {X: -d}, {Y: d}, {Y: -d}, {X: .8, Y: .8}, {X: -.8, Y: .8}, {X: .8, Y: -.8}, {X: -.8, Y: -.8}} {
		c.FillText(rim, at.Add(by), txt)
	}
	c.FillText(s, at, txt)
}

// shorten cuts text to n characters, with an ellipsis.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
