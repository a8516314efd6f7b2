// Package mds is multidimensional scaling: it computes a map whose distances approximate given
// ones, for many rows with the help of landmarks. It is a baseline model and a coordinate frame for
// other models.
//
//	Euclidean   follows the distances of the rows
//	Geodesic    follows the lengths of the shortest paths along the graph of their neighbours
//	Curved      decides whether the rows lie on a curved sheet, which Geodesic lays flat
//
// # Symbols
//
//	x_j         place of landmark j, m of them, in d dimensions (the columns of configuration)
//	mu          place of a row
//	delta_j     the distance of a row from landmark j; delta_ij between landmarks
//	r_j, r_ij   the same on the map
//
// # Landmarks
//
// The raw stress of a map is the squared error of its distances,
//
//	s(x) = sum_{i<j} (delta_ij - r_ij)^2                                     (1)
//
// (Kruskal 1964, Psychometrika 29, 1-27). A quadratic majorises it: it lies above the stress and
// touches it at x. This holds because r_ij is convex, so that r_ij >= (x_i - x_j)'(z_i - z_j)/|z_i
// - z_j| for any z. The minimum of the quadratic is the Guttman transform
//
//	x_i <- 1/m sum_j b_ij (x_i - x_j),   b_ij = delta_ij/r_ij                (2)
//
// for a configuration of mean 0 (de Leeuw 1977, "Applications of convex analysis to
// multidimensional scaling"; Borg and Groenen, Modern Multidimensional Scaling, 8.6). So no step
// raises (1). This algorithm is SMACOF. The reported value is stress-1, (s / sum_{i<j}
// r_ij^2)^(1/2).
//
// The steps start at classical scaling (pca.Scaling). A coordinate without extent there is 0 and,
// by (2), stays 0.
//
// # Rows
//
// The quadratic of a single position, with all landmarks fixed, has its minimum at
//
//	mu <- mu + 1/m sum_j (1 - delta_j/r_j) (x_j - mu)                        (3)
//
// which is (2) if the mean is 0 and all positions move. A row that is no landmark starts at the
// mean of its nearest landmarks, weighted by 1/delta_j^2, and takes a few steps of (3), twice as
// long. At the end of a double step the quadratic is as high as at its start, so the row's stress
// does not rise either (de Leeuw and Heiser 1980). Compared with the mean alone, steps preserve the
// distances and the wider neighbourhoods better on all data sets tried, and the nearest neighbours
// of a two-dimensional map slightly worse. Weights of 1/delta_j to 1/delta_j^4 in (3) preserve the
// distances less well. A row at distance 0 of a landmark gets its position.
//
// # Paths
//
// Geodesic distances are those of Isomap (Tenenbaum, de Silva and Langford, Science 290, 2000) from
// landmarks (de Silva and Tenenbaum, NIPS 2002). They follow the symmetrised graph of nearest
// neighbours, whose components are joined by the shortest bridges. They flatten a rolled sheet.
//
// # Curved sheets
//
// Path lengths are right for a rolled sheet and wrong elsewhere. In a cloud of many dimensions
// paths are detours from point to point. Between clusters they cross a few bridges. A closed
// surface has no flat map. All of these raise the stress. Curved maps landmarks of a sample both
// ways. It reports a curved sheet if the stress of paths is good on Kruskal's scale and at most
// half that of distances:
//
//	stress-1 of paths <= 0.05  and  <= 1/2 stress-1 of distances              (4)
//
// Of eleven data sets of all kinds, mapped in the plane, only a swiss roll passes, with 0.01; the
// lowest of the others has 0.10 (bench/curved measures others). Data of few intrinsic dimensions
// that do not pass, such as faces or oil flow, get better wide neighbourhoods from paths, but worse
// distances.
//
// # Contract
//
// With m landmarks a map costs m^2 d operations a step, and n m (dim + d) for the rows. Geodesic
// searches the graph m times, at n log n each, and allocates n m float32. Curved uses at most 4000
// rows. The result is a function of the rows, the settings and the kind of processor, not of the
// number of threads. The landmarks have mean 0; a map is determined up to rotations and
// reflections. All functions return soon after their context ends.
package mds
