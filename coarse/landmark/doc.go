// Package landmark sums over dissimilar pairs without listing them, by the coarse-graining of Saul
// 2020 (main text "Coarse-graining", eq 25-26, supplement "Analysis of coarse-graining" and
// "Implementation").
//
// # What it is for
//
// In the likelihood (eq 6) every pair of points that are not neighbours repels: O(n^2) pairs.
// Coarse-graining chooses landmarks. They repel each other in place of the points that they
// represent, and points are weakly attracted to their landmark. Applied again to the landmarks and
// within each landmark's group, it needs O(n^(4/3)), O(n^(10/9)), ... pairs (SM 40-42).
//
// # Blocks
//
// At any level, the dissimilar pairs are those of a few blocks. A Block is a set of nodes in which
// all pairs are dissimilar, with
//
//	D_uv = scale W_u W_v           (eq 25: W counts examples)
//	Delta_uv = A_u + B_v           (eq 26)
//
// for every ordered pair u != v. That eq 26 separates follows by induction. The maximum over alpha
// and beta of A_alpha + B_beta + delta_i,alpha + delta_j,beta is the maximum over alpha of A_alpha
// + delta_i,alpha plus the maximum over beta of B_beta + delta_j,beta. The start is A = Delta_i, B
// = 0. So a block of m nodes is four arrays of length m, and memory is O(n) at any level.
//
// In a leaf block the nodes represent themselves (W = 1), and the similar ordered pairs, with E_uv
// = 1, are omitted. Block.Skip lists them, and Block.Odd lists those of which one direction remains
// (E is not symmetric).
//
// # Levels
//
// Level 0 is one leaf block of all points. Coarse-graining a block with landmarks a replaces it by
// one block of the landmarks, with W_a the sum of W over the group Omega_a, and one block for every
// group, which keeps its W, A, B. It also adds the similarity weight W_v between every node v and
// its landmark. Level l coarse-grains every block of level l-1. A block of m nodes gets m^(2/3) /
// 2^(1/3) landmarks, rounded; with fewer than two it is not divided.
//
// # Weights
//
// S is E plus the similarity weights to landmarks, scaled to sum to n. D is then scaled to the sum
// of S. As delta is symmetric only S_ij + S_ji matters, which Pairs.Similar has.
//
// # Points that come and go
//
// A Dynamic maintains the groups of points that are inserted and deleted, each in a numbered slot.
// At the second level it also maintains the groups of the landmarks and those within every group,
// and so on. Its Pairs equal those of New on the current points in slot order, bit for bit, if New
// gets the same landmarks. The reason is that Omega is the set of points with the same nearest
// landmark (the first of equally near ones), and that W, A and B of eq 25 and 26 are sums and
// maxima over it, computed in one pass.
//
// Landmarks follow this rule. Every slot draws one number for each block, from the seed, and the
// landmarks of a block are the points whose number is at most a bound. So they are always a uniform
// sample of the points, as those of New are, and a new region has its share of them at once. The
// bound stays while the number of landmarks is within a tenth of m^(2/3) / 2^(1/3), or is that
// number rounded (a tenth of few is less than one). Otherwise it moves just far enough: points with
// the next lowest numbers are promoted, or landmarks with the highest retired. A new point with a
// low number is a landmark immediately. So bounds depend on earlier changes; Bounds and Resume
// preserve them over a restart.
//
// With n points and m landmarks in dim dimensions, a new point costs m dim multiplications. So does
// each of the n/m points of a landmark that retires or is deleted. A promoted landmark is compared
// with the points that the triangle inequality does not rule out, n at most. About one change in
// n/m promotes or retires. A change therefore costs O(m dim) on average, and a call of such changes
// a pass over the n landmark numbers. Changes in one call share the work, so a hundred at a time
// cost far less than a hundred single ones; BenchmarkDynamic measures it. Pairs costs as much as
// New without its search for landmarks, O(n) and the edges of the graph.
//
// # The other way
//
// Package farfield coarse-grains the map instead, for the heavy-tailed model: all pairs are
// dissimilar, and groups are found again as the map moves.
package landmark
