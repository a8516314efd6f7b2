package plot

import (
	"bytes"
	"image/color"
	"math"
	"reflect"
	"testing"

	"github.com/go-text/typesetting/font"

	"unfold/internal/testkit/tier"
)

// setting returns the program's typesetter without fonts of the system.
func setting(t *testing.T) typesetter {
	t.Helper()
	l := newLook(Settings{Fonts: []string{t.TempDir()}})
	return l.style(20, color.Black, false).Handler.(typesetter)
}

// letters returns the letters of a laid-out line from left to right, "?" for shapes that no single letter
// of the text has, and "[]" for boxes.
func letters(t *testing.T, s typesetter, txt string) (out string) {
	t.Helper()
	own := s.fonts.own(false)
	shape := func(r rune) font.GlyphOutline {
		g, _ := own.NominalGlyph(r)
		outline, _ := own.GlyphDataOutline(g)
		return outline
	}
	for _, r := range s.layout(txt, false, 20) {
		for range r.boxes {
			out += "[]"
		}
		for i, g := range r.glyphs {
			if i > 0 && g.at.X < r.glyphs[i-1].at.X {
				t.Errorf("%q: glyph %d is left of the one before it", txt, i)
			}
			found := "?"
			for _, r := range txt + "é" {
				if reflect.DeepEqual(shape(r), g.outline) {
					found = string(r)
					break
				}
			}
			out += found
		}
	}
	return out
}

// Text is drawn in the order in which it is read: Hebrew and Arabic from right to left, numbers in them
// from left to right. Combining marks are over their letters, and an emoji of several code points is one
// character.
func TestTextIsLaidOut(t *testing.T) {
	s := setting(t)
	for _, c := range []struct{ text, want string }{
		{"שלום", "םולש"},
		{"שלום 123", "123 םולש"},
		{"abc שלום 12", "abc 12 םולש"},
		{"e\u0301a", "éa"},
		{"👩‍👩‍👧‍👦 a", "[] a"},
		{"नम", "[][]"},
	} {
		if !shaped(c.text) {
			t.Errorf("%q is drawn letter by letter", c.text)
		}
		if got := letters(t, s, c.text); got != c.want {
			t.Errorf("%q is drawn as %q, want %q", c.text, got, c.want)
		}
	}
	for _, txt := range []string{"Köln", "東京", "plain text, 5 %", "Ελλάδα", "Київ"} {
		if shaped(txt) {
			t.Errorf("%q needs no layout", txt)
		}
	}
	style := newLook(Settings{}).style(20, color.Black, false)
	if mark, letter := style.Width("e\u0301"), style.Width("é"); math.Abs(float64(mark-letter)) > 0.1 {
		t.Errorf("a letter with a combining mark is %v wide, as one letter %v", mark, letter)
	}
}

// The shapes of Arabic letters depend on the letters beside them.
func TestArabicLettersJoin(t *testing.T) {
	s := newLook(Settings{}).style(20, color.Black, false).Handler.(typesetter)
	if s.fonts.find('ب', false) == nil {
		tier.Missing(t, "no font of this machine has Arabic letters (Debian: fonts-dejavu-core)")
	}
	runs := s.layout("ببب", false, 20)
	if len(runs) != 1 || len(runs[0].glyphs) != 3 {
		t.Fatalf("three letters are %d runs", len(runs))
	}
	g := runs[0].glyphs
	for i := range g {
		if reflect.DeepEqual(g[i].outline, g[(i+1)%3].outline) {
			t.Errorf("letters %d and %d have one shape", i, (i+1)%3)
		}
	}
}

// All formats of pictures have such text as outlines.
func TestPicturesOfAllScripts(t *testing.T) {
	m := Map{Title: "שלום مرحبا", X: []float64{0, 1, 2}, Y: []float64{0, 1, 0}, Class: []string{"مرحبا", "e\u0301", "👍🏽"}, By: "kind"}
	for name, draw := range map[string]func(*bytes.Buffer) error{
		"PNG": func(to *bytes.Buffer) error { _, err := PNG(to, m, Settings{}); return err },
		"SVG": func(to *bytes.Buffer) error { _, err := SVG(to, m, Settings{}); return err },
		"PDF": func(to *bytes.Buffer) error { _, err := PDF(to, m, Settings{}); return err },
	} {
		var to bytes.Buffer
		if err := draw(&to); err != nil || to.Len() < 1000 {
			t.Errorf("%s: %d bytes, %v", name, to.Len(), err)
		}
	}
}

// A name is one line in the legend, whatever is in it.
func TestNamesAreOneLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"line\nbreak\tand tab", 20, "line break and tab"}, {"a\r\nb", 20, "a  b"}, {"long\nlong\nlong", 10, "long long…"}} {
		if got := shorten(c.in, c.most); got != c.want {
			t.Errorf("%q is written as %q, want %q", c.in, got, c.want)
		}
	}
}
