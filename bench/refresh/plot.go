package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// plot contains curves over refreshes, or over blocks of events.
type plot struct {
	name, title string
	curves      []curve
	logarithmic bool
	axis        string // the unit of the axis
}

type curve struct {
	name   string
	values []float64
}

// plots are the plots of a scenario.
func (o *outcome) plots() []plot {
	switch {
	case o.Stream != nil:
		return []plot{o.Stream.plot()}
	case len(o.Steps) == 0:
		return nil
	}
	of := func(name string, f func(s step) float64) curve {
		c := curve{name: name}
		for _, s := range o.Steps {
			c.values = append(c.values, f(s))
		}
		return c
	}
	three := func(f func(s step) [3]float64) []curve {
		return []curve{
			of(quantiles[0], func(s step) float64 { return f(s)[0] }),
			of(quantiles[1], func(s step) float64 { return f(s)[1] }),
			of(quantiles[2], func(s step) float64 { return f(s)[2] }),
		}
	}
	return []plot{
		{"moves", "moves in a refresh, % of the diameter", three(func(s step) [3]float64 { return moves(s.Moves) }), true, refreshAxis},
		{"drift", "drift since the epoch began, % of the diameter", three(func(s step) [3]float64 { return moves(s.Drift) }), false, refreshAxis},
		{"loglik", "log-likelihood a point", []curve{of("L", func(s step) float64 { return s.LoglikPoint })}, false, refreshAxis},
		{"strange", "share of strange events in the last blocks", []curve{
			of("share", func(s step) float64 { return s.Share }), of("alarm above", func(s step) float64 { return s.Bound }),
		}, false, refreshAxis},
	}
}

// Size of a plot in pixels, and of its margins.
const (
	width, height = 480, 240
	left, bottom  = 48, 24
	top, right    = 22, 8
)

var colours = []string{"#1b6ca8", "#e0792b", "#8a2be2", "#2e8b57", "#b22222", "#888888"}

const refreshAxis = "refreshes"

// svg draws the plot.
func (p plot) svg() []byte {
	low, high, n := p.bounds()
	x := func(i int) float64 { return left + float64(i)/float64(max(n-1, 1))*(width-left-right) }
	y := func(v float64) float64 { return height - bottom - (p.at(v)-low)/(high-low)*(height-top-bottom) }
	var w bytes.Buffer
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="10">`+"\n", width, height)
	fmt.Fprintf(&w, `<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="14" font-size="12">%s</text>`+"\n", left, html.EscapeString(p.title))
	for k := range 5 {
		at := low + (high-low)*float64(k)/4
		v := at
		if p.logarithmic {
			v = math.Pow(10, at)
		}
		line := height - bottom - float64(k)/4*(height-top-bottom)
		fmt.Fprintf(&w, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.3g</text>`+"\n", left, line, width-right, left-4, line+3, v)
	}
	fmt.Fprintf(&w, `<text x="%d" y="%d">1</text><text x="%d" y="%d" text-anchor="end">%d %s</text>`+"\n", left, height-8, width-right, height-8, n, p.axis)
	for k, c := range p.curves {
		pen := "M"
		var path bytes.Buffer
		for i, v := range c.values {
			if math.IsNaN(p.at(v)) || math.IsInf(p.at(v), 0) {
				pen = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", pen, x(i), y(v))
			pen = "L"
		}
		fmt.Fprintf(&w, `<path d="%s" fill="none" stroke="%s"/><text x="%d" y="%d" fill="%s" text-anchor="end">%s</text>`+"\n",
			path.String(), colours[k], width-right-4, top+12+12*k, colours[k], html.EscapeString(c.name))
	}
	w.WriteString("</svg>\n")
	return w.Bytes()
}

// at returns the position of a value on the axis.
func (p plot) at(v float64) float64 {
	if p.logarithmic {
		return math.Log10(v)
	}
	return v
}

// bounds are those of the axis, and the number of refreshes.
func (p plot) bounds() (low, high float64, n int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range p.curves {
		n = max(n, len(c.values))
		for _, v := range c.values {
			if a := p.at(v); !math.IsNaN(a) && !math.IsInf(a, 0) {
				low, high = min(low, a), max(high, a)
			}
		}
	}
	if !(high > low) {
		return low - 1, low + 1, n
	}
	return low, high, n
}
