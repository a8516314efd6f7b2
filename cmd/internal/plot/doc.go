// Package plot draws a map as a picture for people.
//
// The rules for a readable picture, and where they are implemented:
//
//   - Distances must look like distances: one scale for both axes ([viewport]).
//   - Dense regions must not become blots, and single points must stay visible: a dot's radius and
//     opacity follow the density of dots around it ([styleDots]).
//   - No class or value may hide another because of its position in the file or on the scale. Dots
//     are drawn in a shuffled order, determined by a seed; only grey, unknown and not highlighted
//     ones come first ([inTurn]).
//   - Colours must distinguish classes for colour-blind eyes too: Okabe and Ito's colours, then
//     others that are far from each other ([farColors]); the first ten are tested under simulated
//     colour blindness. A class's colour follows its own name, as on the page, so that it stays when
//     other classes come and go ([shadesOf]); "position" gives classes that are close on the map
//     dissimilar ones ([deal]).
//   - Every class has its name where it is densest, without overlapping another name, and with a
//     line if it has to move aside ([arranger]).
//   - Numbers, times and logarithms have a scale with ticks ([scale]); missing values are grey and
//     counted.
//   - The legend and the colour scale stand beside the points, never over them.
//   - A few outliers must not leave most of the picture empty: they are drawn hollow at its edge,
//     and counted below it and in [Drawn] ([newViewport]).
//   - No character may be missing: characters that the program's font lacks come from the system's
//     fonts, or are boxes if no font has them ([typesetter]).
//
// Below the dots classes glow ([picture.glow]). A picture may have a panel for each value of a
// column ([picture.split]), and arrows for points that moved between two maps ([picture.longest]).
//
// Pictures are PNG, SVG or PDF. This package blends the points of a PNG itself. SVG and PDF have
// the points as circles for up to [vectorLimit] points, and otherwise as one embedded image. Text
// and lines are drawn with gonum/plot's vg. The same map gives the same bytes, as long as the fonts
// of the system are the same.
package plot
