package sheet_test

import (
	"image/color"
	"path/filepath"
	"slices"
	"testing"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
)

const (
	side = sheet.Side
	gap  = sheet.Gap
)

// Two panels of one map. Axes have equal scales, so that a map twice as wide as high fills half the
// height. Classes have their colours, and a distant point is at the edge.
func TestPanels(t *testing.T) {
	const n = 5000
	p := sheet.Panel{X: vec.New[float32](n, 2), Class: make([]int32, n)}
	for i := range n {
		copy(p.X.Row(i), []float32{float32(i) / n * 2, float32(i%50) / 50})
		p.Class[i] = int32(i * 2 / n)
	}
	copy(p.X.Row(0), []float32{-1e6, 0.5})
	path := filepath.Join(t.TempDir(), "two.png")
	if err := sheet.Panels(path, sheet.Figure{Across: 2, Colours: sheet.Classes}, []sheet.Panel{p, p}); err != nil {
		t.Fatal(err)
	}
	img, err := sheet.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 2*side+3*gap || got.Y != side+2*gap {
		t.Fatalf("the picture is of %v", got)
	}
	for _, left := range []int{gap, side + 2*gap} {
		has := func(x, y int, c color.Color) bool {
			r, g, b, _ := c.RGBA()
			R, G, B, _ := img.At(left+x, gap+y).RGBA()
			return r == R && g == G && b == B
		}
		found := map[int]int{} // points by class
		for y := range side {
			for x := range side {
				for c := range 2 {
					if has(x, y, sheet.Classes[c]) {
						found[c]++
						if y < side/4-5 || y > side*3/4+5 || c == 0 && x > side/2+1 || c == 1 && x < side/2-1 {
							t.Fatalf("class %d is at %d, %d", c, x, y)
						}
					}
				}
			}
		}
		if found[0] < 1000 || found[1] < 1000 {
			t.Errorf("%v pixels have points", found)
		}
		if y := side / 2; !has(0, y, sheet.Classes[0]) && !has(0, y-1, sheet.Classes[0]) {
			t.Error("the point far away is not at the edge")
		}
	}
}

// Numbers are coloured by Ramp according to their size, and a marked point has a black edge.
func TestMarkedPoint(t *testing.T) {
	if got, want := sheet.Step([]float64{-1, 3, 1}), []int32{0, int32(len(sheet.Ramp)) - 1, int32(len(sheet.Ramp)) / 2}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	if got := sheet.Step([]float64{2, 2}); !slices.Equal(got, []int32{0, 0}) {
		t.Errorf("steps of equal numbers are %v", got)
	}
	p := sheet.Panel{X: vec.Of(3, 2, []float32{0, 0, 1, 1, 2, 2}), Class: []int32{0, 1, 2}, Dot: 4, Marked: []int{1}}
	path := filepath.Join(t.TempDir(), "marked.png")
	if err := sheet.Panels(path, sheet.Figure{Colours: sheet.Ramp}, []sheet.Panel{p}); err != nil {
		t.Fatal(err)
	}
	img, err := sheet.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[color.RGBA]int{}
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			found[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	for i, want := range []int{16, 64, 16} {
		if got := found[sheet.Ramp[i].(color.RGBA)]; got != want {
			t.Errorf("point %d has %d pixels, want %d", i, got, want)
		}
	}
	if got := found[color.RGBA{0, 0, 0, 0xff}]; got != 144-64 {
		t.Errorf("the edge has %d pixels", got)
	}
}

// A panel with a window omits everything beyond it, and a box is a line around a part of the map.
func TestFrameAndBox(t *testing.T) {
	p := sheet.Panel{X: vec.Of(3, 2, []float32{0, 0, 1, 1, 50, 1}), Class: []int32{0, 1, 2}, Window: sheet.Window{Middle: [2]float64{0.5, 0.5}, Span: 2}}
	p.Boxes = []sheet.Window{{Middle: [2]float64{1, 1}, Span: 0.5}}
	path := filepath.Join(t.TempDir(), "box.png")
	if err := sheet.Panels(path, sheet.Figure{Side: 101, Colours: sheet.Classes}, []sheet.Panel{p}); err != nil {
		t.Fatal(err)
	}
	img, err := sheet.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Size(); got.X != 101+2*gap || got.Y != 101+2*gap {
		t.Fatalf("the picture is of %v", got)
	}
	is := func(x, y int, c color.Color) bool {
		return color.RGBAModel.Convert(img.At(gap+x, gap+y)) == color.RGBAModel.Convert(c)
	}
	for name, c := range map[string]struct {
		x, y   int
		colour color.Color
	}{
		"first point": {25, 75, sheet.Classes[0]}, "second point": {75, 25, sheet.Classes[1]}, "beyond": {100, 25, color.White},
		"left of the box": {62, 25, color.Black}, "top of the box": {75, 13, color.Black}, "right of the box": {87, 25, color.Black},
		"bottom of the box": {75, 38, color.Black}, "in the box": {70, 20, color.White},
	} {
		if !is(c.x, c.y, c.colour) {
			t.Errorf("%s, at %d, %d: %v, want %v", name, c.x, c.y, img.At(gap+c.x, gap+c.y), c.colour)
		}
	}
}
