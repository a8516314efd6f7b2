// Package farfield provides the sources of repulsion for the points of a map: every other point, or
// fewer sources that represent them.
//
// # What it is for
//
// In the heavy-tailed model all pairs of points are dissimilar, and every step of learning sums
// over them: forces, bounds, likelihoods. A Field is first moved to the current map. A Sweep then
// visits Batches: some targets and all their sources, as plain columns of numbers. So a sum is one
// loop over targets and one over sources, for any approximation. The visitor chooses the kernel
// that is summed. The package only assumes that kernels depend on
//
//	q = sigma_i^2 + sigma_j^2 + |mu_i - mu_j|^2/d,  Delta_i^2,  Delta_j^2
//
// and decrease with q. (With tails other than a = d/2, kernels depend on the parts of q separately;
// the errors below were not measured for them.)
//
// # Four fields
//
// All computes every pair, n (n-1), for small n and for tests.
//
// Cells is for up to three dimensions. Every Move builds a balanced k-d tree on the map. It halves
// counts, not space, so uneven density, outliers and heaps do no harm. The points of a leaf share
// their sources: the points nearby and, for groups farther away, stand-ins. These are d+1 positions
// with the mean and the covariance of the group, with Delta^2 and sigma^2 from a regression on the
// position. Sums over stand-ins are exact up to third derivatives for any kernel. See standins, and
// list for when a group is far enough.
//
// Shared is for more dimensions. Blocks of 64 points in random order have M other points as
// sources, a uniform sample that every Move draws again, with weight (n-1)/M each. It is unbiased,
// cheap and noisy.
//
// With fewer than 2000 points all of them compute every pair.
//
// # Error of Cells
//
// The table compares the repulsion F_i = sum_j [Delta_i^2/(q (q+Delta_i^2)) + the same with
// Delta_j^2] (mu_i - mu_j), for d = 2, a = 1, with the sum over all pairs. It has the root mean
// square error relative to the forces, and the number of sources per point, for 70,000 points on
// two cores. The maps are MNIST while it is learnt, after 10, 40 and all 80 steps, and in three
// dimensions after 40 steps. "worst" is the largest error of any of 500 points, relative to the
// root mean square of the forces, for the plane after 40 steps.
//
//	theta    10 steps       40 steps       80 steps       d = 3          worst
//	0.05     6e-6  10188    1e-5   9503    3e-6  10156                   6e-5
//	0.10     2e-4   4570    2e-4   3825    3e-5   3670                   7e-4
//	0.15     7e-4   2460    7e-4   2136    1e-4   2024    2e-4  14442    4e-3
//	0.20     2e-3   1532    2e-3   1394    4e-4   1330    5e-4   9197    8e-3
//	0.25     3e-3   1083    4e-3    993    9e-4    957    1e-3   6218    1e-2
//	0.30     5e-3    814    6e-3    748    2e-3    734    2e-3   4375    3e-2
//	0.35     7e-3    632    1e-2    588    4e-3    587    4e-3   3265    6e-2
//	0.40     1e-2    507    2e-2    479    6e-3    487    5e-3   2541    6e-2
//	0.45     1e-2    419    3e-2    401    1e-2    414    8e-3   2035    1e-1  default, d = 2
//	0.50     2e-2    354    4e-2    343    2e-2    360    1e-2   1664    2e-1
//	0.60     4e-2    256    1e-1    248    6e-2    284    2e-2   1169    8e-1  default, d = 3
//
// In the plane, R_NX of maps with theta 0.3, 0.4 and 0.5 is .381, .381 and .383 (MNIST), .302, .301
// and .304 (60,000 collisions), .426, .433 and .433 (NSL-KDD), .503, .504 and .503 (200,000 points
// of curved sheets); 0.3 takes 1.1 to 1.15 of the processor time. In three dimensions errors of two
// hundredths cost no quality: R_NX with theta 0.45, 0.6 and 0.8 is .414, .414 and .412 (MNIST),
// .330, .332 and .331 (60,000 collisions), .456, .455 and .456 (NSL-KDD), in a processor time of
// 40, 29 and 27 s for MNIST.
//
// An error below 1e-4 in the plane, and in the principal components that learning starts from,
// needs theta = 0.05. On a line, d = 1, the default is 0.15. Leaves of at most 32 points have 6 to
// 13% fewer sources with slightly larger errors, but lists and sweeps take longer; leaves of 128
// have 11 to 19% more sources with slightly smaller errors. Memory is about 150 bytes per point in
// the plane.
//
// docs/decisions/far-field.md describes rejected alternatives.
//
// # Contract
//
// The batches depend only on the state and, for Shared, on the seed and the number of
// moves so far. They do not depend on the number of threads nor, for Cells, on earlier moves.
// Memory is O(n), and nothing of size n is allocated after the first Move and Sweep. With values
// that are not finite a field neither panics nor hangs; the sums are not finite then. Package
// fieldtest checks all of this.
package farfield
