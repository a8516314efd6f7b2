// Package saul is the latent variable model of L. K. Saul, "A tractable latent
// variable model for nonlinear dimensionality reduction" (PNAS 2020), with tails
// as published (Gaussian) or heavy ones (Student, the default): it learns a map of
// a point set, and places events on a map that has been learnt.
//
// This package holds the published model, and for both the way from rows to a map
// (Fit), their settings, and placing. Package student holds the likelihood with
// heavy tails and how it is maximised; it makes the better maps, for reasons
// that are told there.
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
// Fit goes from rows to a map: equal rows become one point, the exact neighbours,
// the graph, the constants, the start, and EM. Near duplicates get floored or
// clipped scales, so that the likelihood stays finite. The result depends on the
// rows and the settings, not on the number of threads.
//
//	                Student                            Gaussian
//	similar         the k = 6 nearest, every component k = 9, E of eq 24, bridged or the largest component
//	dissimilar      every pair, summed by package      landmarks in the input (package landmark)
//	                field (Coarse)
//	scales          clipped, sigma^2 fixed             eq SM 44, sigma^2 by eq 21
//	start           principal components               eigenvectors of the Laplacian
//	steps           200, from 20,000 points on fewer,  400, or until one gains less than
//	                at least 80, above d = 3 50        1e-5 of the likelihood (Gain)
//	places          Robust, LLE                        Median, EM
//	sigma published standard error of the place        the latent scale (eq 21)
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
// A Placer answers where a new event belongs, by its nearest reference points
// alone: see PlaceRule, and place_student.go and place_point.go for the rules and
// what was measured.
//
// With heavy tails the latent variances are fixed by default and say nothing about
// an event. What is published as its sigma is a standard error of its place, 1 over
// the root of the curvature of EM's bound of the likelihood there, of which the
// likelihood's own is at most as large; of a reference point, the same from its own
// edges (Result.Student.Error2).
package saul
