// Package dist computes distances of float32 vectors fast, for searches that compare many more
// vectors than they report.
//
//	Squared     the squared Euclidean distance of two vectors
//	Rows        that of one vector and several rows of a matrix, given by number
//	Exact       the same as vec.SquaredDistance, bit for bit, of one vector and several rows
//	Manhattan   the sum of absolute differences of one vector and several rows
//	Chebyshev   the largest absolute difference of one vector and several rows
//	Canberra    the sum of differences, as shares of both values, of one vector and several rows
//
// # Order of the sum, and its error
//
// Squared and Rows have 16 partial sums in float32. Element k goes to lane k mod 16; then lanes l
// and l+8 are added, l and l+4, l and l+2, and the last two. There is no fused multiply-add. So the
// result has the same bits for both functions, for every level of package simd, and in plain Go on
// any machine.
//
// All terms are non-negative, so errors do not cancel but do not grow either. With u = 2^-24, a
// difference has a relative error of u, its square 2u plus u, and the sum at most one u for each of
// the ceil(n/16)+3 additions after a lane's first:
//
//	|computed - true| <= true * Bound(n),  Bound(n) = (ceil(n/16) + 8) u, rounded up
//
// unless a square leaves the range of float32: differences above 1e19 give +Inf, and those below
// 1e-19 lose digits or become 0. Users order candidates by these values and report the distances of
// Exact.
//
// Manhattan uses the same lanes without squares: its error is within the same bound, and no small
// difference is lost. Chebyshev only rounds the subtraction. On arm64 both are in plain Go.
package dist
