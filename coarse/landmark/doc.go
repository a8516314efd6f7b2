// Package landmark sums over dissimilar pairs without listing them: the
// coarse-graining of Saul 2020 (main text "Coarse-graining", eq 25-26,
// supplement "Analysis of coarse-graining" and "Implementation").
//
// # What it is for
//
// The likelihood (eq 6) wants every pair of points that are not neighbours kept
// apart: O(n^2) pairs. Coarse-graining designates landmarks, keeps landmarks
// apart on behalf of the points they stand for, and ties the points weakly to
// their landmark. Applied again to the landmarks and within each landmark's
// group it needs O(n^(4/3)), O(n^(10/9)), ... pairs (SM 40-42).
//
// # Blocks
//
// Whatever the level, the dissimilar pairs are those of a few blocks. A Block is
// a set of nodes all pairs of which are dissimilar, with
//
//	D_uv = scale W_u W_v           (eq 25: W counts examples)
//	Delta_uv = A_u + B_v           (eq 26)
//
// for every ordered pair u != v. That eq 26 separates follows by induction:
// the maximum over alpha and beta of A_alpha + B_beta + delta_i,alpha +
// delta_j,beta is the maximum over alpha of A_alpha + delta_i,alpha plus that
// over beta of B_beta + delta_j,beta; and it starts with A = Delta_i, B = 0. So a
// block of m nodes is four arrays of length m, and memory is O(n) at any level.
//
// In a leaf block the nodes stand for themselves (W = 1) and the ordered pairs
// with E_uv = 1, which are similar, are left out: Block.Skip lists them, and
// Block.Odd those of which one direction remains (E is not symmetric).
//
// # Levels
//
// Level 0 is one leaf block of all points. One coarse-graining of a block with
// landmarks a replaces it by one block of the landmarks, with W_a the sum of W
// over the group Omega_a, and one block for every group, which keeps its W, A, B;
// and it adds the similarity weight W_v between every node v and its landmark.
// Level l coarse-grains every block of level l-1. A block of m nodes gets
// m^(2/3) / 2^(1/3) landmarks, rounded; with fewer than two it stays as it is.
//
// # Weights
//
// S is E plus the similarity weights to landmarks, scaled to sum to n; then D is
// scaled to the sum of S. As delta is symmetric only S_ij + S_ji matters, which
// is what Pairs.Similar holds.
//
// # Points that come and go
//
// A Dynamic keeps the groups of points that are inserted and deleted, each in a
// numbered slot; at the second level also the groups of the landmarks and those within
// every group, and so on. Its Pairs are those of New on the points that are there, in
// the order of their slots, bit for bit, if New is given the same landmarks: Omega is the set
// of points whose nearest landmark, the first of equally near ones, is the
// same, and W, A and B of eq 25 and 26 are sums and maxima over it, taken in one pass.
//
// Landmarks follow by this rule. Every slot draws one number for each block, by the seed,
// and the landmarks of a block are the points whose number is at most a bound. So they are
// an even sample of the points at any time, as those of New are: a new region has its
// share of them as soon as its points are there. The bound stays while the number of
// landmarks is within a tenth of m^(2/3) / 2^(1/3), or is that number rounded (a tenth of
// few is less than one); else it moves just far enough: points with the next lowest
// numbers are promoted, or landmarks with the highest retired. A point with a low number
// is a landmark as soon as it comes. So bounds depend on the changes before; Bounds and
// Resume carry them over a restart.
//
// With n points and m landmarks in dim dimensions a new point costs m dim
// multiplications, and so do the n/m points of a landmark that retires or is
// deleted, each; a promoted one is compared with the points that the triangle inequality
// does not rule out, n at most. One change in about n/m promotes or retires, so a change
// costs O(m dim) on average, and a call a pass over the n landmark numbers if its changes
// did. Changes that come together share the work, so a hundred at a time cost far less
// than a hundred times one; BenchmarkDynamic has the figures. Pairs costs what New costs
// without its search for landmarks, O(n) and the edges of the graph.
//
// # The other way
//
// Package farfield, below, coarse-grains in the map instead: all pairs are
// dissimilar, and groups are found again as the map moves. It belongs to the
// heavy-tailed model.
package landmark
