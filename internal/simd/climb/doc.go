// Package climb finds the place of a new point in the plane among the points that it has edges to.
//
// # The iteration
//
// An edge to a point at mu_j has a weight S_j and a length scale that does not change with the place,
// Fixed_j. A step is
//
//	m = sum_j q_j mu_j / sum_j q_j,  q_j = S_j / (Fixed_j + half |m - mu_j|^2)
//
// (H12 of package student). Steps end at the first that is short enough.
//
// # Exactness
//
// Each q_j is computed as written, without fused multiply-adds, and sums are in the order of the edges.
// So the result has the same bits with every instruction set. The kernel for AVX2 computes four q_j at
// a time, of which the quotients take most time, and the three sums side by side in one register.
package climb
