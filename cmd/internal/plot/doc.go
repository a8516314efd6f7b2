// Package plot draws a map as a picture that a person wants to look at.
//
// What a picture of a map owes its reader, and how it is kept here:
//
//   - Distances must look like distances: one scale for both axes ([frame]).
//   - A dense region must not become a blot, nor a lone point vanish: a dot's
//     radius and opacity follow the density of dots around it ([styleDots]).
//   - No class may hide another because of its place in the file: dots are drawn
//     in a shuffled order that is the same every time; where colour is a value,
//     the largest values are drawn last.
//   - Colours must distinguish classes for colour-blind eyes, too: Okabe and Ito's
//     colours for up to seven classes, Tol's "muted" set up to ten, checked in
//     this package's tests under simulated colour blindness; beyond, the smaller
//     classes share one grey. A class's name also stands where it is densest.
//   - The legend and the colour scale stand beside the points, never over them.
//   - A few far points must not leave most of the picture empty: then they are drawn
//     at its edge, hollow, and counted below it and in [Drawn] ([newFrame]).
//
// Pictures are PNG (points blended by this package) or SVG (points as circles
// up to [vectorLimit] of them, as one embedded image beyond). Text and lines are
// drawn with gonum/plot's vg. The same map gives the same bytes.
package plot
