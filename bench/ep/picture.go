package main

import (
	"fmt"
	"math"
	"strings"
)

// picture draws the share of correct classes over the confidence, with all labels and with a tenth.
// A circle's area is in proportion to the number of predictions.
func (c *comparison) picture() string {
	const size, margin = 260.0, 40.0
	var b strings.Builder
	width, height := 2*(size+margin)+margin, size+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="white"/>`+"\n", width, height)
	for k, cell := range []cell{c.Cells[len(c.Cells)-1], c.Cells[len(c.Cells)-2]} {
		left := margin + float64(k)*(size+margin)
		fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%g" fill="none" stroke="#888"/><path d="M%g %gL%g %g" stroke="#bbb"/>`+"\n", left, margin, size, size, left, margin+size, left+size, margin)
		fmt.Fprintf(&b, `<text x="%g" y="24">%s, %g%% of the labels</text><text x="%g" y="%g" text-anchor="middle">confidence</text>`+"\n", left, c.Name, cell.Percent, left+size/2, height-12)
		for j, name := range []string{wayInput, wayMap, wayOurs} {
			colour := [...]string{"#7f7f7f", "#d95f02", "#1b6ca8"}[j]
			fmt.Fprintf(&b, `<text x="%g" y="%g" fill="%s" text-anchor="end">%s</text>`+"\n", left+size-8, margin+size-38+14*float64(j), colour, name)
			total := 0.0
			for _, one := range cell.Ways[name].Bins {
				total += one.Count
			}
			for _, one := range cell.Ways[name].Bins {
				if one.Count > 0 {
					fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" fill-opacity="0.6"/>`+"\n", left+size*one.Confidence/one.Count, margin+size*(1-one.Right/one.Count), 2+14*math.Sqrt(one.Count/total), colour)
				}
			}
		}
	}
	fmt.Fprintf(&b, `<text transform="translate(16 %g) rotate(-90)" text-anchor="middle">share right</text>`+"\n</svg>\n", height/2)
	return b.String()
}
