package pdf

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func face(t testing.TB, size vg.Length) font.Face {
	t.Helper()
	parsed, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	return font.Face{Font: font.Font{Typeface: "Liberation", Size: size}, Face: parsed}
}

// sample draws one of everything.
func sample(t testing.TB) []byte {
	c := New(200, 100)
	c.SetColor(color.NRGBA{200, 30, 40, 128})
	c.Disc(vg.Point{X: 20, Y: 30}, 4)
	var p vg.Path
	p.Move(vg.Point{X: 50, Y: 50})
	p.Arc(vg.Point{X: 40, Y: 50}, 10, 0, 2*math.Pi)
	p.Close()
	c.Fill(p)
	c.Push()
	c.Translate(vg.Point{X: 5, Y: 5})
	c.Rotate(0.1)
	c.Scale(2, 2)
	c.SetLineDash([]vg.Length{3, 1}, 0)
	c.Stroke(p)
	c.Pop()
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	img.SetNRGBA(1, 1, color.NRGBA{1, 2, 3, 4})
	c.DrawImage(vg.Rectangle{Max: vg.Point{X: 30, Y: 20}}, img)
	c.SetColor(nil)
	c.FillString(face(t, 12), vg.Point{X: 10, Y: 80}, "Hello, Ölll")
	var b bytes.Buffer
	if n, err := c.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

var (
	object = regexp.MustCompile(`(?m)^(\d+) 0 obj$`)
	length = regexp.MustCompile(`/Length (\d+) >>\nstream\n`)
)

// streams checks the structure of a file, and returns its uncompressed streams.
func streams(t testing.TB, raw []byte) (out []string) {
	t.Helper()
	at := bytes.LastIndex(raw, []byte("startxref\n"))
	table, err := strconv.Atoi(strings.Fields(string(raw[at:]))[1])
	if err != nil || !bytes.HasPrefix(raw[table:], []byte("xref\n0 ")) {
		t.Fatalf("there is no table at %d: %v", table, err)
	}
	lines := strings.Split(string(raw[table:at]), "\n")
	n, _ := strconv.Atoi(strings.Fields(lines[1])[1])
	for k := 1; k < n; k++ {
		where, _ := strconv.Atoi(lines[2+k][:10])
		if m := object.FindSubmatchIndex(raw[where:]); len(lines[2+k]) != 19 || m == nil || m[0] != 0 || string(raw[where+m[2]:where+m[3]]) != strconv.Itoa(k) {
			t.Fatalf("object %d is not at %d", k, where)
		}
	}
	for _, m := range length.FindAllSubmatchIndex(raw, -1) {
		size, _ := strconv.Atoi(string(raw[m[2]:m[3]]))
		z, err := zlib.NewReader(bytes.NewReader(raw[m[1] : m[1]+size]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || !bytes.HasPrefix(raw[m[1]+size:], []byte("\nendstream")) {
			t.Fatalf("a stream of %d bytes: %v", size, err)
		}
		out = append(out, string(text))
	}
	return out
}

func TestFile(t *testing.T) {
	raw := sample(t)
	if !bytes.Equal(raw, sample(t)) {
		t.Error("the same drawing gives other bytes")
	}
	all := streams(t, raw)
	// The streams are the page, the outlines of H e l o , and Ö, and an image with its mask.
	if len(all) != 1+6+2 {
		t.Fatalf("%d streams", len(all))
	}
	page := all[0]
	for _, want := range []string{"8 w\n20 30 m\n20 30 l\nS\n", "/A128 gs", "[3 1] 0 d", "/I0 Do", "/G0 Do", "0.784314 0.117647 0.156863 rg"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if q, back := strings.Count(page, "q\n"), strings.Count(page, "Q\n"); q != back {
		t.Errorf("%d states are kept, %d restored", q, back)
	}
	if got := all[len(all)-1]; got != "\x00\x00\x00\x00\x04\x00" {
		t.Errorf("opacities %q", got)
	}
	if strings.Count(page, "/G2 Do") != 5 { // the l, drawn once and used five times
		t.Errorf("l is used %d times", strings.Count(page, "/G2 Do"))
	}
}

// A circle of curves deviates from its radius by at most a thousandth.
func TestArcs(t *testing.T) {
	c := New(100, 100)
	var p vg.Path
	p.Move(vg.Point{X: 60, Y: 50})
	p.Arc(vg.Point{X: 50, Y: 50}, 10, 0, 2*math.Pi)
	c.content.Reset()
	c.path(p)
	var at [2]float64
	curves := 0
	for _, line := range strings.Split(strings.TrimSpace(c.content.String()), "\n") {
		f := strings.Fields(line)
		var v []float64
		for _, s := range f[:len(f)-1] {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		if f[len(f)-1] == "c" {
			curves++
			for _, s := range []float64{0.25, 0.5, 0.75} {
				u := 1 - s
				x := u*u*u*at[0] + 3*u*u*s*v[0] + 3*u*s*s*v[2] + s*s*s*v[4]
				y := u*u*u*at[1] + 3*u*u*s*v[1] + 3*u*s*s*v[3] + s*s*s*v[5]
				if r := math.Hypot(x-50, y-50); math.Abs(r-10) > 0.01 {
					t.Errorf("a point of the circle is %.4f from its middle", r)
				}
			}
		}
		at = [2]float64{v[len(v)-2], v[len(v)-1]}
	}
	if curves != 4 {
		t.Errorf("%d curves", curves)
	}
}

// Numbers are written without exponents, and can be parsed to the last digit kept.
func TestDecimals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float64Range(-1e6, 1e6).Draw(rt, "v")
		s := decimal(v)
		back, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "eE") || math.Abs(back-v) > 0.000501 {
			rt.Fatalf("%v is written %q", v, s)
		}
	})
	for v, want := range map[float64]string{0: "0", 100: "100", -0.0000001: "0", 2.5: "2.5", 1e-3: "0.001"} {
		if got := decimal(v); got != want {
			t.Errorf("%v is written %q, expected %q", v, got, want)
		}
	}
	if decimal(math.NaN()) != "0" || decimal(math.Inf(1)) != "0" {
		t.Error("what is no number is not written as 0")
	}
}
