package main

import (
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"unfold/models/saul"
	"unfold/models/student"
)

// The scales of the curves, typical of real data.
const (
	scale2 = 1
	sigma2 = student.DefaultSigma2
)

var (
	heavy = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	thin  = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
)

// pair is the common interface of both models for two points.
type pair interface {
	LogProb() float64
	Odds() float64
}

func gaussianAt(r float64) saul.Pair {
	return saul.Pair{Scale2: scale2, Sigma2I: sigma2, Sigma2J: sigma2, Dist2: r * r, Dims: 2}
}

func studentAt(r float64) student.Pair {
	return student.Pair{Scale2: scale2, Sigma2I: sigma2, Sigma2J: sigma2, Dist2: r * r, Dims: 2, Tail: 1}
}

// curves draws the three figures of formulas.
func curves(out string) error {
	for name, draw := range map[string]func(*plot.Plot) error{
		"closeness": closeness, "forces": forces, "torn": torn,
	} {
		p := plot.New()
		if err := draw(p); err != nil {
			return err
		}
		p.Legend.Top, p.Legend.Padding = true, vg.Points(2)
		if err := p.Save(vg.Points(330), vg.Points(230), filepath.Join(out, name+".png")); err != nil {
			return err
		}
	}
	return nil
}

// add draws one function.
func add(p *plot.Plot, name string, c color.Color, dashed bool, f func(x float64) float64) {
	line := plotter.NewFunction(f)
	line.Samples, line.Color, line.Width = 400, c, vg.Points(1.6)
	if dashed {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(line)
	p.Legend.Add(name, line)
}

// closeness plots the cost of a similar pair.
func closeness(p *plot.Plot) error {
	p.Title.Text = "What a similar pair costs"
	p.X.Label.Text, p.Y.Label.Text = "distance on the map", "-log P(c = 1)"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 12
	p.Legend.Left = true
	add(p, "Gaussian tails", thin, true, func(r float64) float64 { return -gaussianAt(r).LogProb() })
	add(p, "heavy tails", heavy, false, func(r float64) float64 { return -studentAt(r).LogProb() })
	return nil
}

// forces plots the derivatives of the two parts of the likelihood by the distance.
func forces(p *plot.Plot) error {
	p.Title.Text = "The pull of a neighbour, the push of ten others"
	p.X.Label.Text, p.Y.Label.Text = "distance on the map", "force"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 2.5
	const others = 10
	pushed := func(odds, q, r float64) float64 { return others * student.DefaultWeight * odds / q * r }
	add(p, "Gaussian pull", thin, true, func(r float64) float64 { return r / (scale2 + 2*sigma2) })
	add(p, "heavy-tailed pull", heavy, false, func(r float64) float64 { return r * studentAt(r).Pull() })
	add(p, "Gaussian push", color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, true, func(r float64) float64 {
		return pushed(gaussianAt(r).Odds(), scale2+2*sigma2, r)
	})
	add(p, "heavy-tailed push", color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, false, func(r float64) float64 {
		return pushed(studentAt(r).Odds(), studentAt(r).Q(), r)
	})
	return nil
}

// torn plots the score of a place between two clusters of neighbours.
func torn(p *plot.Plot) error {
	p.Title.Text = "Four neighbours at 0, two at 10"
	p.X.Label.Text, p.Y.Label.Text = "place of the point", "log P of its six pairs"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -3, 13, -100, 0
	score := func(at func(r float64) pair) func(float64) float64 {
		return func(x float64) (sum float64) {
			for _, m := range []float64{-.5, -.2, .2, .5, 9.8, 10.2} {
				sum += at(x - m).LogProb()
			}
			return sum
		}
	}
	add(p, "Gaussian tails", thin, true, score(func(r float64) pair { return gaussianAt(r) }))
	add(p, "heavy tails", heavy, false, score(func(r float64) pair { return studentAt(r) }))
	return nil
}
