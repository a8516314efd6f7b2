package main

import (
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// sizeColors are the colours of the sets, which colour-blind eyes distinguish.
var sizeColors = []color.Color{color.NRGBA{0x00, 0x72, 0xb2, 0xff}, color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, color.NRGBA{0x00, 0x9e, 0x73, 0xff}}

// drawSizes draws time and trustworthiness by the number of rows, side by side.
func drawSizes(r *record, path string) error {
	times, trust := plot.New(), plot.New()
	times.Title.Text, times.Y.Label.Text = "Time", "seconds"
	trust.Title.Text, trust.Y.Label.Text = "Trustworthiness", ""
	times.Y.Scale, times.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	for _, p := range []struct {
		*plot.Plot
		what func(set string, n int) string
	}{{times, sizeTime}, {trust, sizeTrust}} {
		p.X.Label.Text = "rows"
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		for i, s := range sizeSets {
			n, values := r.sizesOf(s.name, p.what)
			if len(n) == 0 {
				continue
			}
			at := make(plotter.XYs, len(n))
			for k := range n {
				at[k].X, at[k].Y = n[k], values[k]
			}
			line, points, err := plotter.NewLinePoints(at)
			if err != nil {
				return err
			}
			line.Color, line.Width = sizeColors[i], vg.Points(1.4)
			points.Color, points.Shape, points.Radius = sizeColors[i], draw.CircleGlyph{}, vg.Points(2)
			p.Add(line, points)
			p.Legend.Add(s.name, line)
		}
		p.Legend.Top, p.Legend.Left = p.Plot == times, p.Plot == times
	}
	canvas := vgimg.New(vg.Points(640), vg.Points(240))
	both := [][]*plot.Plot{{times, trust}}
	for i, c := range plot.Align(both, draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(16)}, draw.New(canvas))[0] {
		both[0][i].Draw(c)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}
