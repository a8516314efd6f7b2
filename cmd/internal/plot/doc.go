// Package plot draws a map as a picture that a person wants to look at.
//
// What a picture of a map owes its reader, and how it is kept here:
//
//   - Distances must look like distances: one scale for both axes ([frame]).
//   - A dense region must not become a blot, nor a lone point vanish: a dot's
//     radius and opacity follow the density of dots around it ([styleDots]).
//   - No class and no value may hide another because of its place in the file or on the
//     scale: dots are drawn in a shuffled order that a seed sets; only what is grey,
//     unknown or not highlighted comes first ([inTurn]).
//   - Colours must distinguish classes for colour-blind eyes, too: Okabe and Ito's
//     colours for up to seven classes, Tol's "muted" set up to ten, checked in
//     this package's tests under simulated colour blindness. Of more classes those
//     that lie near each other are unlike ([farColors], [deal]).
//   - Every class has its name where it is densest, over no other name, with a line
//     where it has to stand aside ([arranger]).
//   - Numbers, times and logarithms have a scale with ticks ([scale]); a value that is
//     missing is grey and counted.
//   - The legend and the colour scale stand beside the points, never over them.
//   - A few far points must not leave most of the picture empty: then they are drawn
//     at its edge, hollow, and counted below it and in [Drawn] ([newFrame]).
//   - No character may be missing: what the program's font lacks comes from the
//     system's, and what no font has is a box ([typesetter]).
//
// Below the dots classes glow ([picture.glow]). A picture may have a panel for each value
// of a column ([picture.split]), and arrows of what moved between two maps ([picture.longest]).
//
// Pictures are PNG (points blended by this package), SVG or PDF (points as circles
// up to [vectorLimit] of them, as one embedded image beyond). Text and lines are
// drawn with gonum/plot's vg. The same map gives the same bytes, as long as the fonts
// of the system are the same.
package plot
