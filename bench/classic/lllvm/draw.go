package main

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
)

// dot is the width of points in panels, in pixels.
const dot = 4

// plot draws the map NAME as a small picture with few colours.
func (b *bench) plot(ctx context.Context, to, name, title string, args ...string) error {
	drawn := b.file("plot.png")
	args = append([]string{"plot", b.file(name + ".csv"), "-o", drawn, "--title", title, "--width", "720", "--height", "560"}, args...)
	if err := b.command(ctx, args...); err != nil {
		return err
	}
	img, err := sheet.Read(drawn)
	if err != nil {
		return err
	}
	return sheet.Few(to, img)
}

// rollPanels returns panels of the roll, the sheet, the linear maps mu_c and the map.
func rollPanels(x, truth, places vec.Matrix[float32], maps vec.Matrix[float64]) []sheet.Panel {
	colour := sheet.Step(column(truth, 0))
	return []sheet.Panel{rolled(x, colour), flat(truth, colour), squares(x, maps, colour), flat(places, colour)}
}

// flat returns a panel of places in the plane.
func flat(x vec.Matrix[float32], colour []int32, marked ...int) sheet.Panel {
	return sheet.Panel{X: x, Class: colour, Dot: dot, Marked: marked}
}

// rolled returns a panel of points in space, seen obliquely along the y axis.
func rolled(x vec.Matrix[float32], colour []int32, marked ...int) sheet.Panel {
	p := sheet.Panel{X: vec.New[float32](x.Rows, 2), Dot: dot}
	for at, i := range fromBehind(x) {
		copy(p.X.Row(at), oblique(x.Row(i)))
		p.Class = append(p.Class, colour[i])
		if slices.Contains(marked, i) {
			p.Marked = append(p.Marked, at)
		}
	}
	return p
}

// squares returns a panel with a square around each point, spanned by the two columns of its linear
// map.
func squares(x vec.Matrix[float32], maps vec.Matrix[float64], colour []int32) sheet.Panel {
	const half, steps = 0.4, 24 // half a side, and the number of points drawn along it
	var p sheet.Panel
	for _, i := range fromBehind(x) {
		q := spanned(maps.Row(i), maps.Row(x.Rows+i))
		corner := func(a, b float64) []float32 {
			at := slices.Clone(x.Row(i))
			for c := range at {
				at[c] += float32(half * (a*q.At(c, 0) + b*q.At(c, 1)))
			}
			return oblique(at)
		}
		for t := -1.0; t < 1; t += 2.0 / steps {
			for _, at := range [][]float32{corner(t, -1), corner(1, t), corner(-t, 1), corner(-1, -t)} {
				p.X.Data = append(p.X.Data, at...)
				p.Class = append(p.Class, colour[i])
			}
		}
	}
	p.X = vec.Of(len(p.Class), 2, p.X.Data)
	return p
}

// spanned returns an orthonormal basis of the plane that two vectors span.
func spanned(a, b []float64) *mat.Dense {
	columns := mat.NewDense(len(a), 2, nil)
	columns.SetCol(0, a)
	columns.SetCol(1, b)
	var qr mat.QR
	qr.Factorize(columns)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

// oblique projects a point in space to the plane, with the y axis to the upper right.
func oblique(x []float32) []float32 { return []float32{x[0] + 0.45*x[1], x[2] + 0.25*x[1]} }

// fromBehind returns the points by depth, the farthest first.
func fromBehind(x vec.Matrix[float32]) []int {
	order := make([]int, x.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x.Row(j)[1], x.Row(i)[1]) })
	return order
}
