package plot

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

// plain holds the characters that are drawn one after the other, from left to right, by one glyph each:
// letters of Latin, Greek, Cyrillic, Armenian, Georgian, Chinese, Japanese and Korean, and signs.
// Combining marks (unicode.M) are none of them.
var plain = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0000, Hi: 0x058F, Stride: 1}, {Lo: 0x10A0, Hi: 0x10FF, Stride: 1}, {Lo: 0x1D00, Hi: 0x200A, Stride: 1}, {Lo: 0x2010, Hi: 0x2029, Stride: 1},
		{Lo: 0x202F, Hi: 0x205F, Stride: 1}, {Lo: 0x2070, Hi: 0x9FFF, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7A3, Stride: 1}, {Lo: 0xF900, Hi: 0xFB06, Stride: 1},
		{Lo: 0xFF00, Hi: 0xFFEF, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0x1D400, Hi: 0x1D7FF, Stride: 1}, {Lo: 0x20000, Hi: 0x3134F, Stride: 1}},
	LatinOffset: 0,
}

// shaped reports whether text needs a layout: scripts from right to left, combining marks, letters that
// change beside others, and characters of several code points.
func shaped(txt string) bool {
	return strings.ContainsFunc(txt, func(r rune) bool { return !invisible(r) && (unicode.Is(unicode.M, r) || !unicode.Is(plain, r)) })
}

// glyph is a glyph of a laid-out text with its position on the line.
type glyph struct {
	outline font.GlyphOutline
	// scale converts the font's units to lengths.
	scale vg.Length
	at    vg.Point
}

// layout lays out text for Draw. A character that no font has is a box, however many code points it has.
func (t typesetter) layout(txt string, bold bool, size vg.Length) (out []run) {
	text, missing := t.drawable(txt, bold)
	for _, o := range visual(text, faces{t.fonts, bold}) {
		var r run
		flush := func() {
			if r.boxes > 0 || r.glyphs != nil {
				out = append(out, r)
			}
			r = run{}
		}
		scale := size / vg.Length(o.Face.Upem())
		for _, g := range o.Glyphs {
			if missing[g.TextIndex()] {
				if r.glyphs != nil {
					flush()
				}
				r.boxes++
				continue
			}
			if r.boxes > 0 {
				flush()
			}
			outline, _ := o.Face.GlyphDataOutline(g.GlyphID) // none for spaces
			r.glyphs = append(r.glyphs, glyph{outline, scale, vg.Point{X: r.advance + length(g.XOffset, size), Y: length(g.YOffset, size)}})
			r.advance += length(g.Advance, size)
		}
		flush()
	}
	return out
}

// layoutSize is the size at which text is laid out, large enough for exact positions.
const layoutSize = 1000

// length converts a distance of the layout to one at a font size.
func length(v fixed.Int26_6, size vg.Length) vg.Length {
	return vg.Length(v) / 64 / layoutSize * size
}

// drawable replaces characters that no font has, each of one or more code points, by one code point. It
// returns the indices of these.
func (t typesetter) drawable(txt string, bold bool) (text []rune, missing map[int]bool) {
	missing = map[int]bool{}
	var seg segmenter.Segmenter
	seg.Init([]rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, txt)))
	for all := seg.GraphemeIterator(); all.Next(); {
		one := all.Grapheme().Text
		if slices.ContainsFunc(one, func(r rune) bool { return !invisible(r) && !t.has(r, bold) }) {
			missing[len(text)] = true
			one = []rune{objectReplacement}
		}
		text = append(text, one...)
	}
	return text, missing
}

// objectReplacement stands for an object in text, and has no direction.
const objectReplacement = '\uFFFC'

// has reports whether the program's font or one of the system has a character. A font may combine
// marks that are missing in it with the letters before them.
func (t typesetter) has(r rune, bold bool) bool {
	_, own := t.fonts.own(bold).NominalGlyph(r)
	return own || unicode.Is(unicode.Mn, r) && r < 0x0370 || t.fonts.find(r, bold) != nil
}

// visual lays out text and returns its runs from left to right, by the Unicode Bidirectional Algorithm.
func visual(text []rune, from faces) []shaping.Output {
	var (
		paragraph bidi.Paragraph
		split     shaping.Segmenter
		shaper    shaping.HarfbuzzShaper
		out       []shaping.Output
		levels    []bidi.Level
	)
	runs := paragraph.Segment(text, bidi.Neutral)
	for i := range runs.NumRuns() {
		r := runs.Run(i)
		in := shaping.Input{Text: text, RunStart: r.Start, RunEnd: r.End, Size: fixed.I(layoutSize), Direction: di.DirectionLTR}
		if !r.IsLeftToRight() {
			in.Direction = di.DirectionRTL
		}
		for _, part := range split.Split(in, from) {
			part.Direction = in.Direction
			out, levels = append(out, shaper.Shape(part)), append(levels, r.Level)
		}
	}
	// Rule L2: from the highest level to the lowest odd one, runs of that level or above are reversed.
	for level := slices.Max(append(levels, 0)); level > 0; level-- {
		for i := 0; i < len(out); i++ {
			j := i
			for j < len(out) && levels[j] >= level {
				j++
			}
			slices.Reverse(out[i:j])
			slices.Reverse(levels[i:j])
			i = max(i, j-1)
		}
	}
	return out
}

// faces chooses the font of a character: the program's own, or one of the system.
type faces struct {
	fonts *fallback
	bold  bool
}

// ResolveFace implements shaping.Fontmap.
func (f faces) ResolveFace(r rune) *font.Face {
	own := f.fonts.own(f.bold)
	if _, there := own.NominalGlyph(r); there {
		return own
	}
	if found := f.fonts.shaper(r, f.bold); found != nil {
		return found
	}
	return own
}

// own returns a face of the program's font.
func (f *fallback) own(bold bool) *font.Face {
	ttf, name := liberationsansregular.TTF, "regular"
	if bold {
		ttf, name = liberationsansbold.TTF, "bold"
	}
	return f.face(name, func() ([]byte, error) { return ttf, nil })
}

// shaper returns the face of a system font that can draw a character, nil if there is none.
func (f *fallback) shaper(r rune, bold bool) *font.Face {
	path := f.file(r, bold)
	if path == "" {
		return nil
	}
	return f.face(path, func() ([]byte, error) { return os.ReadFile(path) })
}

// face returns the first face of a font's data, nil if it cannot be parsed.
func (f *fallback) face(name string, data func() ([]byte, error)) *font.Face {
	if face, known := f.faces[name]; known {
		return face
	}
	if f.faces == nil {
		f.faces = map[string]*font.Face{}
	}
	f.faces[name] = nil
	ttf, err := data()
	if err != nil {
		return nil
	}
	if all, err := font.ParseTTC(bytes.NewReader(ttf)); err == nil && len(all) > 0 {
		f.faces[name] = all[0]
	}
	return f.faces[name]
}

// path returns the outline of a glyph for a text that begins at a point.
func (g glyph) path(from vg.Point) (p vg.Path) {
	from = from.Add(g.at)
	to := func(q opentype.SegmentPoint) vg.Point {
		return vg.Point{X: from.X + g.scale*vg.Length(q.X), Y: from.Y + g.scale*vg.Length(q.Y)}
	}
	for i, s := range g.outline.Segments {
		a := s.Args
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			if i > 0 {
				p.Close()
			}
			p.Move(to(a[0]))
		case opentype.SegmentOpLineTo:
			p.Line(to(a[0]))
		case opentype.SegmentOpQuadTo:
			p.QuadTo(to(a[0]), to(a[1]))
		case opentype.SegmentOpCubeTo:
			p.CubeTo(to(a[0]), to(a[1]), to(a[2]))
		}
	}
	if p != nil {
		p.Close()
	}
	return p
}
