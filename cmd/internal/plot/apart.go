package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Maps with many classes use one colour for each class. The colours are far from each other. With the
// palette "position" they are assigned so that classes close together on the map have dissimilar ones.

// deuteranopia converts linear RGB to the perception of an eye without middle cones, the most
// frequent kind of colour blindness (G. Machado, M. Oliveira and L. Fernandes, "A
// physiologically-based model for simulation of color vision deficiency", 2009, at full severity).
var deuteranopia = [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}

// tone is a colour in CIE Lab, as perceived with normal and with deutan vision.
type tone struct{ normal, deutan [3]float64 }

func toneOf(c color.NRGBA) tone {
	rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	return tone{lab(rgb), lab(perceived(rgb, deuteranopia))}
}

// unlike returns the perceptual difference of two tones, averaged over both kinds of vision.
func (a tone) unlike(b tone) float64 {
	return (distance(a.normal, b.normal) + distance(a.deutan, b.deutan)) / 2
}

// mostChroma bounds the chroma of far colours in CIE Lab: the primary colours of a screen are glaring.
const mostChroma = 100

// farColors returns n colours that contrast with the ground. The first are those of Okabe and Ito.
// Each further one is as far as possible from the ground, the greys and the previous colours (the
// greedy k-center of Gonzalez 1985).
func farColors(n int, t theme) []color.NRGBA {
	const step = 15 // of sRGB
	var all []color.NRGBA
	var tones []tone
	for r := 0; r < 256; r += step {
		for g := 0; g < 256; g += step {
			for b := 0; b < 256; b += step {
				c := color.NRGBA{uint8(r), uint8(g), uint8(b), 255}
				at := toneOf(c)
				l, chroma := at.normal[0], math.Hypot(at.normal[1], at.normal[2])
				if chroma < 22 || chroma > mostChroma || !t.dark && (l < 22 || l > 76) || t.dark && (l < 48 || l > 93) {
					continue
				}
				all, tones = append(all, c), append(tones, at)
			}
		}
	}
	far := make([]float64, len(all))
	ground, grey := toneOf(t.ground), toneOf(t.other)
	for i, at := range tones {
		far[i] = math.Min(at.unlike(ground), at.unlike(grey))
	}
	first := okabeIto
	if t.dark {
		first = okabeItoDark
	}
	out := slices.Clone(first[:min(n, len(first))])
	for _, c := range out {
		for i, at := range tones {
			far[i] = math.Min(far[i], at.unlike(toneOf(c)))
		}
	}
	for len(out) < n {
		best := 0
		for i := range far {
			if far[i] > far[best] {
				best = i
			}
		}
		out = append(out, all[best])
		for i, at := range tones {
			far[i] = math.Min(far[i], at.unlike(tones[best]))
		}
	}
	return out
}

// deal assigns a colour to each place: colour of[i] to place i. By swapping two colours at a time,
// it reduces
//
//	sum over pairs of exp(-d^2/2h^2) / (1 + (u/u0)^2)
//
// where d is the distance of two places, u the difference of their colours, and h a share of the
// places' extent. It stops when no swap helps, or after a number of rounds.
func deal(places []vg.Point, colors []color.NRGBA) (of []int) {
	n := len(places)
	const share, u0, rounds = 0.12, 40, 50
	var lo, hi vg.Point
	for i, p := range places {
		if i == 0 {
			lo, hi = p, p
		}
		lo, hi = vg.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}, vg.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	h := math.Max(share*math.Hypot(float64(hi.X-lo.X), float64(hi.Y-lo.Y)), 1e-9)
	near, like := make([]float64, n*n), make([]float64, n*n)
	tones := make([]tone, n)
	for i, c := range colors {
		tones[i] = toneOf(c)
	}
	of = make([]int, n)
	for i := range n {
		of[i] = i
		for j := range n {
			d := math.Hypot(float64(places[i].X-places[j].X), float64(places[i].Y-places[j].Y)) / h
			u := tones[i].unlike(tones[j]) / u0
			near[i*n+j], like[i*n+j] = math.Exp(-d*d/2), 1/(1+u*u)
		}
	}
	// gain returns the decrease of the sum if i and j swap their colours.
	gain := func(i, j int) (g float64) {
		a, b := of[i], of[j]
		for k := range n {
			if k != i && k != j {
				c := of[k]
				g += (near[i*n+k] - near[j*n+k]) * (like[a*n+c] - like[b*n+c])
			}
		}
		return g
	}
	for range rounds {
		better := false
		for i := range n {
			for j := range i {
				if gain(i, j) > 1e-12 {
					of[i], of[j] = of[j], of[i]
					better = true
				}
			}
		}
		if !better {
			break
		}
	}
	return of
}

// perceived converts linear RGB to the perception of an eye.
func perceived(rgb [3]float64, eye [9]float64) [3]float64 {
	var out [3]float64
	for k := range out {
		out[k] = math.Min(math.Max(eye[3*k]*rgb[0]+eye[3*k+1]*rgb[1]+eye[3*k+2]*rgb[2], 0), 1)
	}
	return out
}

// lab converts linear sRGB to CIE Lab with white point D65.
func lab(c [3]float64) [3]float64 {
	x := (0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505
	y := 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	z := (0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

// distance returns the distance of two colours in CIE Lab (CIE76).
func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
