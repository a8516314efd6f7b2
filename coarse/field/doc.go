// Package field shows points of a map what they are held against: every other
// point, or fewer sources that stand for them.
//
// # What it is for
//
// In the heavy-tailed model all pairs of points are dissimilar, and every step of
// learning sums over them: forces, bounds, likelihoods. A Field is moved to the
// present map and then swept over. A Sweep hands out Batches, some targets and
// all sources that they meet, as plain columns of numbers, so that a sum is one
// loop over targets and one over sources, whatever the approximation. What is
// summed is the visitor's affair: the package knows of the kernels only that they
// depend on
//
//	q = sigma_i^2 + sigma_j^2 + |mu_i - mu_j|^2/d,  Delta_i^2,  Delta_j^2
//
// and fall off with q.
//
// # Four fields
//
// All meets every pair: n (n-1), for small n and for tests.
//
// Cells is for two and three dimensions. Groups of points are found in the map
// by a balanced k-d tree, anew with every Move: halving counts, not space, makes
// it indifferent to uneven density, outliers and heaps. A leaf's points share
// their sources: the points near by, and of groups farther away stand-ins, d+1
// places with the mean and the covariance of the group's points in place, and
// with the regression of Delta^2 and sigma^2 on the place. Sums over stand-ins
// are right up to third derivatives for any kernel. See standins, and list for
// when a group is far enough.
//
// Shared is for more dimensions: blocks of 64 points in random order meet M
// other points, a uniform sample that is drawn anew with every Move, of weight
// (n-1)/M each. Right in the mean; cheap; noisy.
//
// Anchors is for more dimensions, too: some points are drawn as anchors, all
// points belong to the nearest, and meet the members of the cells next to theirs
// and the centroids of all others.
//
// With fewer than 2000 points all of them meet every pair.
//
// # Error of Cells
//
// The repulsion F_i = sum_j [Delta_i^2/(q (q+Delta_i^2)) + the same with Delta_j^2]
// (mu_i - mu_j), the case d = 2, a = 1, against the sum over all pairs: the root of
// the summed squares of the differences, relative to that of the forces, with
// the sources per point, of 70,000 points on two cores. The maps are those of
// MNIST while it is learnt, after 10, 40 and all 80 steps, from dense to sparse,
// and the last one in three dimensions; "worst" is the largest difference of any
// point, relative to the root mean square of the forces, in the map of 40 steps.
//
//	theta    10 steps       40 steps       80 steps       d = 3           worst
//	0.05     1e-5   9300    3e-5   7800    1e-5   7900                    9e-5
//	0.10     3e-4   3800    4e-4   2900    1e-4   2600    4e-5   17400    1e-3
//	0.15     1e-3   1900    1e-3   1500    4e-4   1400    2e-4    7400    5e-3
//	0.20     3e-3   1100    3e-3    990    1e-3    910                    1e-2
//	0.25     5e-3    720    6e-3    700    3e-3    660    2e-3    3100    2e-2
//	0.30     8e-3    530    1e-2    520    5e-3    510    4e-3    2200    5e-2  default, d = 2
//	0.35     1e-2    400    2e-2    410    1e-2    420    7e-3    1600    1e-1  default, d = 3
//	0.40     2e-2    320    4e-2    340    2e-2    350    1e-2    1300    4e-1
//	0.50     6e-2    210    1e-1    230    5e-2    270    4e-2     850    5e-1
//
// Leaves of at most 32 points instead of 64 need 5 to 10% fewer sources for the
// same error and more time to list them; leaves of 128 need 7 to 15% more. With
// the default settings a Move takes about 15 ms, a Sweep without work 5 ms, and
// memory is 100 bytes a point.
//
// For an error of 1% other ways need, in the three maps: one centroid a group
// instead of stand-ins 650, 650 and 440 sources a point, and half as many again
// as stand-ins for 0.2%; a list for every point by the classical rule, edge below
// theta times distance, and centroids 520, 430 and 420, but nothing is shared; a
// uniform grid of two levels (28 points a leaf on average) has 2000, 960 and 820
// with errors of 0.9, 2.5 and 0.9%. Stand-ins laid out as the corners of a square
// or as a cross, four a group, are no better than the three of a triangle; two
// along the radius as seen from the leaf lose where Delta^2 matters, and one,
// moved so that the force is right to second order, is cheaper in sparse maps
// (330) and fails in dense ones. Allowing larger groups where they add little to
// the force saves 5 to 15%, but has to know a force to compare with, which one
// outlier can spoil.
//
// # Contract
//
// What is shown depends on the state alone and, for Shared and Anchors, on the
// seed and the number of moves so far: not on the number of threads, nor for
// Cells on earlier moves. Memory is O(n). After the first Move and Sweep nothing
// of size n is allocated. Values that are not finite do not make a field panic
// or hang; sums over them are not finite, either. Package fieldtest checks all
// of this.
package field
