// Package saul is the latent variable model of L. K. Saul, "A tractable latent
// variable model for nonlinear dimensionality reduction" (PNAS 2020), as published,
// with Gaussian tails. It learns a map of a point set (Fit), goes on with one whose
// points have changed (Continue), and places events on a map (Placer).
//
// Package student is the same model with heavy tails, which makes the better maps.
// Package lvm chooses between the two.
//
// # The model
//
// A point x_i has a place mu_i in d dimensions and a variance sigma_i^2. Latent
// draws h ~ N(mu_i, sigma_i^2 I), h' ~ N(mu_j, sigma_j^2 I) (eq 1, 2) coincide on
// a length scale delta with probability exp(-|h - h'|^2 / (2 delta^2)) (eq 3, 4),
// on average with
//
//	P = (delta^2/q)^(d/2) exp(-|mu_i - mu_j|^2 / (2q)),  q = delta^2 + sigma_i^2 + sigma_j^2   (eq 5).
//
// Similar pairs should coincide on their scale delta_ij, dissimilar ones should
// not on theirs, Delta_ij:
//
//	L = sum_ij S_ij log P(c_delta = 1) + D_ij log P(c_Delta = 0)   (eq 6).
//
// Packages graph and coarse say who is similar and dissimilar, with which weights
// and scales (eq 22-26).
//
// # Learning
//
// One step (Model.Step) is the paper's alternating EM in this order: the places
// by a sparse linear system (eq 18-20), solved for the increment; momentum
// (SM 43), zero in the first step; the variances (eq 21), with the E-step done
// again at the new places. Without momentum the likelihood never falls. Written
// as increments the updates are
//
//	(Lap(W) + Gamma) (mu_new - mu) = dL/dmu,
//	sigma_new^2 = sigma^2 (1 + sigma^2/d (sum similar - sum dissimilar) / weight)
//
// so an E-step has to sum, over the dissimilar pairs, only nu/q times mu_i - mu_j
// or |mu_i - mu_j|^2/q - d. No pair is cut off: nearly all of them matter.
//
// # The sweeps
//
// Those sums run over the blocks of package landmark, each unordered pair once for
// both directions and both ends, in tasks whose sums are added in a fixed order
// (sweep.go); the loops over pairs are those of package pairwise. P(c = 0) is computed
// from terms that are all positive, never as 1 - P, and for no d does it take a
// logarithm or a power.
//
// # Fit
//
// Fit goes from rows to a map:
//
//	rows       package points: equal rows become one point; neighbours by Common.Search
//	similar    k = 9 neighbours, E of eq 24, bridged or the largest component (Components)
//	dissimilar landmarks in the input (package landmark; Level)
//	scales     eq SM 44, sigma^2 by eq 21
//	start      eigenvectors of the Laplacian (Start)
//	steps      400, or until one gains less than 1e-5 of the likelihood (Gain)
//	sigma      the latent scale (eq 21)
//
// Near duplicates get floored scales, so that the likelihood stays finite. The result
// depends on the rows and the settings, not on the number of threads.
//
// # Corrections
//
// Of the printed text: eq 2 is N(mu_j, sigma_j^2); eq 13 is about mu_j; SM 14 is a
// derivative in mu_i; SM 17 and 25 have Delta where they print delta; the second
// denominator of SM 29, 30, 34 and 39 is sigma_j^2; SM 32 is L(mu); and P = 1/2
// where |h - h'| is |x_i - x_j|, which is delta_ij sqrt(2 ln 2).
//
// # Place
//
// A Placer answers where a new event belongs, by its nearest reference points alone:
// at the median of their places or, by the rule placing.EM, where eq 20 has it. Its scale
// is that of eq 21. See place_point.go, and docs/decisions/placing.md for what was measured.
package saul
