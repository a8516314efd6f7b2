// Package saul is the latent variable model of L. K. Saul, "A tractable latent variable model for
// nonlinear dimensionality reduction" (PNAS 2020), as published, with Gaussian tails. It fits a map
// to a point set (Fit), continues a map after its points have changed (Continue), and places new
// events on a map (Placer).
//
// Package student is the same model with heavy tails, which give better maps. Package lvm chooses
// between the two.
//
// # The model
//
// A point x_i has a position mu_i in d dimensions and a variance sigma_i^2. Latent draws h ~
// N(mu_i, sigma_i^2 I), h' ~ N(mu_j, sigma_j^2 I) (eq 1, 2) coincide on a length scale delta with
// probability exp(-|h - h'|^2 / (2 delta^2)) (eq 3, 4). The expectation over the draws is
//
//	P = (delta^2/q)^(d/2) exp(-|mu_i - mu_j|^2 / (2q)),  q = delta^2 + sigma_i^2 + sigma_j^2   (eq 5).
//
// Similar pairs should coincide on their length scale delta_ij, and dissimilar pairs should not
// coincide on theirs, Delta_ij. The log-likelihood is
//
//	L = sum_ij S_ij log P(c_delta = 1) + D_ij log P(c_Delta = 0)   (eq 6).
//
// Packages graph and coarse choose the similar and dissimilar pairs, their weights and their length
// scales (eq 22-26).
//
// # Learning
//
// One step (Model.Step) is the paper's alternating EM. First the positions are updated by a sparse
// linear system (eq 18-20), solved for the increment. Then momentum is added (SM 43), except in the
// first step. Last the variances are updated (eq 21), with a new E-step at the new positions.
// Without momentum the likelihood never falls. Written as increments the updates are
//
//	(Lap(W) + Gamma) (mu_new - mu) = dL/dmu,
//	sigma_new^2 = sigma^2 (1 + sigma^2/d (sum similar - sum dissimilar) / weight)
//
// so that an E-step only sums nu/q times mu_i - mu_j, or nu/q times |mu_i - mu_j|^2/q - d, over the
// dissimilar pairs. No pair is skipped, because nearly all of them contribute.
//
// # The sweeps
//
// The sums run over the blocks of package landmark. Each unordered pair is visited once, for both
// directions and both points. The sums of tasks are added in a fixed order (sweep.go). Package
// pairwise has the loops over pairs. P(c = 0) is computed as a sum of positive terms, never as 1 -
// P, and needs no logarithm or power for any d.
//
// # Fit
//
// Fit computes a map from rows in these stages:
//
//	rows       package points: equal rows become one point; neighbours by Common.Search
//	similar    k = 9 neighbours, E of eq 24, bridged or the largest component (Components)
//	dissimilar landmarks in the input (package landmark; Level)
//	scales     eq SM 44, sigma^2 by eq 21
//	start      eigenvectors of the Laplacian (Start)
//	steps      400, or until one gains less than 1e-5 of the likelihood (Gain)
//	sigma      the latent scale (eq 21)
//
// The scales of near duplicates are bounded from below, so that the likelihood stays finite. The
// result depends on the rows and the settings, not on the number of threads.
//
// # Corrections
//
// Errors in the printed text: eq 2 should read N(mu_j, sigma_j^2); eq 13 is about mu_j; SM 14 is a
// derivative in mu_i; SM 17 and 25 print delta for Delta; the second denominator of SM 29, 30, 34
// and 39 is sigma_j^2; SM 32 is L(mu); and P = 1/2 at |h - h'| = |x_i - x_j| = delta_ij sqrt(2 ln
// 2).
//
// # Place
//
// A Placer computes the position of a new event from its nearest reference points alone. The
// position is the median of theirs or, with the rule placing.EM, the solution of eq 20. The
// variance follows eq 21. See place_point.go; docs/decisions/placing.md has the measurements.
package saul
