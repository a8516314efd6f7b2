// Package mds is multidimensional scaling: a map whose distances follow given ones, for
// many rows by landmarks. It is a baseline of its own, and a frame for other models.
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
// The raw stress of a map is what its distances miss,
//
//	s(x) = sum_{i<j} (delta_ij - r_ij)^2                                     (1)
//
// (Kruskal 1964, Psychometrika 29, 1-27). Its derivative is no more than that of a
// quadratic which lies above it and touches it at x: as r_ij is convex,
// r_ij >= (x_i - x_j)'(z_i - z_j)/|z_i - z_j| for any z. The least point of this quadratic
// is the Guttman transform
//
//	x_i <- 1/m sum_j b_ij (x_i - x_j),   b_ij = delta_ij/r_ij                (2)
//
// for a configuration of mean 0 (de Leeuw 1977, "Applications of convex analysis to
// multidimensional scaling"; Borg and Groenen, Modern Multidimensional Scaling, 8.6). So
// no step raises (1). That is SMACOF. Reported is stress-1, (s / sum_{i<j} r_ij^2)^(1/2).
//
// Steps begin at classical scaling (pca.Scaling). A coordinate in which it has no extent
// is 0, and by (2) it remains so.
//
// # Rows
//
// The quadratic of one place, all landmarks staying where they are, has its least point at
//
//	mu <- mu + 1/m sum_j (1 - delta_j/r_j) (x_j - mu)                        (3)
//
// which is (2) if the mean is 0 and all places move. A row that is no landmark begins at
// the mean of its nearest landmarks, weighted by 1/delta_j^2, and takes a few steps of (3),
// twice as long: where they end, the quadratic is as high as where they began, so that none
// raises the row's stress either (de Leeuw and Heiser 1980). Beside the mean alone, the
// distances and the wider neighbourhoods of the data are kept better on all sets tried, the
// nearest neighbours of a map of two dimensions a little worse. Weights of 1/delta_j to
// 1/delta_j^4 in (3) keep less of the distances. A row at distance 0 of a landmark has its
// place.
//
// # Paths
//
// Geodesic distances are those of Isomap (Tenenbaum, de Silva and Langford, Science 290,
// 2000) from landmarks (de Silva and Tenenbaum, NIPS 2002): along the symmetrised graph of
// nearest neighbours, whose parts are joined by the shortest bridges. A sheet that is
// rolled up is laid out by them.
//
// # Curved sheets
//
// Paths are right for a sheet that is rolled, and wrong elsewhere: in a cloud of many
// dimensions they are detours from point to point, between clusters they lead over a few
// bridges, and a closed surface has no flat map. All of these show in the stress. Curved
// maps landmarks of a sample both ways, and reports a curved sheet if the stress of paths is
// good by Kruskal's scale and at most half that of distances:
//
//	stress-1 of paths <= 0.05  and  <= 1/2 stress-1 of distances              (4)
//
// Of eleven sets of all kinds, mapped in the plane, only a swiss roll passes, with 0.01;
// the least of the others has 0.10 (bench/curved measures others). Sets of few intrinsic
// dimensions that do not pass, such as faces or oil flow, gain wider neighbourhoods from
// paths, and lose distances.
//
// # Contract
//
// With m landmarks a map costs m^2 d operations a step, and n m (dim + d) for the rows;
// Geodesic searches the graph m times, n log n each, and holds n m float32. Curved looks at
// 4000 rows at most. A result is a function of the rows, the settings and the kind of
// processor, not of the number of threads. The mean of the landmarks is 0; a map is known
// up to rotations and reflections. All functions end soon after their context.
package mds
