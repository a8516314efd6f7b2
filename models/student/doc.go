// Package student is the latent variable model with heavy tails, the default kind of map. It is the
// model of package saul with one random scale per pair, shared by closeness and latents, which
// turns Gaussian distributions into Student's. Its maps keep groups together and separate different
// groups. Gaussian attraction does not, because it is not robust. Repulsion between landmarks alone
// does not either, because it ignores all other points.
//
//	r, err := student.Fit(ctx, rows, student.Settings{}, nil)             // learn
//	p, err := student.NewPlacer(snapshot, placing.Options{})         // place
//	l, err := student.NewLearner(neighbours, settings, unit)               // update:
//	report, err := l.Model.Refine(ctx, state, student.Refinement{Steps: 5}) //   from a map
//
// # The model
//
// A pair of points i, j has places mu_i, mu_j in d dimensions, variances sigma_i^2, sigma_j^2 and a
// random scale of its own,
//
//	lambda ~ Gamma(a, a),  h ~ N(mu_i, sigma_i^2/lambda),  h' ~ N(mu_j, sigma_j^2/lambda),
//	P(c=1 | h, h', lambda) = exp(-lambda |h - h'|^2 / (2 delta^2)).                          (H1)
//
// a is the tail: a -> infinity is the Gaussian model. Integrated over the latents and lambda, with
// V = delta^2 + sigma_i^2 + sigma_j^2 and r = |mu_i - mu_j|,
//
//	P(c=1) = (delta^2/V)^(d/2) (1 + r^2/(2aV))^-a,                                           (H2)
//	a = d/2:  P(c=1) = (delta^2/Q)^(d/2),  Q = V + r^2/d.
//
// For d = 2 that is delta^2 / (delta^2 + sigma_i^2 + sigma_j^2 + r^2/2). The likelihood is that of
// eq 6, over ordered pairs,
//
//	L = sum_ij S_ij log P(c_delta = 1) + D_ij log P(c_Delta = 0),                            (H3)
//
// S_ij = 1 for each of the k nearest neighbours j of i (directed; no tree, no other filter), D_ij =
// c for all i != j, neighbours included. delta_ij^2 are the squared lengths of these edges in units
// of their median and Delta_i^2 the largest of i's, clipped to [0.1, 10] (Scales).
//
// # E-step
//
// Given c = 1, the expected lambda falls with the distance of the pair. Given c = 0, it is above 1:
//
//	w = E[lambda | c=1] = V/Q,  Q = V + r^2/(2a),  nu = P(c=1)/P(c=0),
//	E[lambda | c=0] = 1 + nu (1 - w).                                                        (H4)
//
// # The step of mu
//
// Given lambda, the objective is quadratic, as in eq 18-20. Solved for the increment,
//
//	(Lap(W) + Gamma)(mu_new - mu) = dL/dmu = (Lap(V) - Lap(W)) mu,                           (H5)
//	W_ij = (S_ij + S_ji) w/V = (S_ij + S_ji) / Q,
//	V_ij = D_ij nu/Q + (ij -> ji),                                                           (H6)
//	Gamma_i = sum_j [D_ij (1 + nu (1 - w)) + (ij -> ji)] / sigma_i^2.
//
// W_ij are attractions, V_ij repulsions. With the joint latents (h, h', lambda) this is ordinary
// EM, so L never falls, however loosely the system is solved. In the plane, d = 2 and a = 1, with u
// = r^2/2, s = sigma_i^2 + sigma_j^2 and q = s + u,
//
//	W_ij = S_ij / (delta^2 + q) + (ji),   V_ij = D_ij Delta^2 / (q (q + Delta^2)) + (ji).    (H7)
//
// # Majorisers
//
// EM's Gamma makes steps that are far too small. For d = 2, a = 1 the curvature of log P(c=0) is
// bounded by
//
//	Gamma_i = sum_j 2 D_ij (1/(8s) + 1/V) + (ji),                                            (H8)
//
// also monotone (Global), and locally, while no pair shrinks below 1/sqrt 2 of its distance, with
// 1/(8s) replaced by (2e/(s+e) - 1)/(s+e), e = max(u/2, 3s), and 1/V by 1/(V+u) (Local). For far
// pairs that is 6 D/u, which Far uses for all pairs:
//
//	Gamma_i = sum_j 6 D_ij / (V + u) + (ji),
//
// which needs only the division of V_ij. Even this sum is too large, because the fields of far
// pairs mostly cancel. Learning therefore uses half a hundredth of it, up to two hundredths if
// dissimilar pairs weigh more than DefaultWeight (farDamping), and a hundredth of Local. This is 10
// to 100 times faster. L is then not guaranteed to rise, so Learn monitors it. For other d and a,
// Force uses sum_j V_ij + 0.05 sum_j W_ij.
//
// # The step of sigma
//
// The same EM gives, with N_i = sum_j S_ij + S_ji + D_ij + D_ji,
//
//	sigma_i^2 <- sigma_i^2 (1 + sigma_i^2 G_i / (d N_i)),  G_i = 2 dL/dsigma_i^2             (H9)
//	G_i = sum_j S_ij (w r^2/V - d)/V - D_ij nu (w r^2/V - d)/V + (ji),
//
// and with a = d/2, where (w r^2/V - d)/V = -d/Q, simply G_i = d sum_j (V_ij - W_ij). Shared
// variances use sum_i G_i and sum_i N_i. Fixed, shared and free variances give equally good maps.
// Fixed ones need no second sweep.
//
// # Global arrangement
//
// Near edges and repulsion do not determine where groups lie relative to each other. Two terms do.
// The first is a Gaussian prior around a frame (principal components or an unrolled sheet), which
// is added to the objective (package prior, H15 to H18). The second are further edges, m per point,
// with S_ij = s and length scales of their own. Their unit, clips and Delta_i^2 are those of the
// near edges. Their weight falls with the ramp of H11,
//
//	s = s0 + (s1 - s0) ramp,                                                                (H19)
//	s0, s1 = (3/10, 2/25) (16/m)^(2/3) f(n),  f(n) = min(1, 30,000/n)^(3/2),
//
// and they lead to the neighbours with the ranks
//
//	r_l = k (K/k)^(l/m), l = 1 ... m,  K = min(7 k, n/10).                                   (H20)
//
// Up to 30,000 points, m is 150,000/n, at most 16, and the neighbour lists are long enough for
// these ranks. For more points m is 3, and the edges lead to the ends of walks along the lists,
// which have about these ranks (further.go). The same holds for refreshes of updated maps, except
// major ones of up to 10,000 points (package live). Measurements are in docs/decisions/frames.md.
//
// # Many points
//
// From 5,000 points on, three changes reduce memory traffic. The points are reordered by a
// breadth-first walk (order.go). delta_ij^2 is stored in single precision (pair_lengths.go). In the
// plane, W of H5 is stored and its systems are solved in single precision, too (package solve,
// loose solves). Results differ by rounding only. From 100,000 points on, learning starts from the
// map of a sample (sample.go).
//
// # Ranks
//
// With S_ij = 1 for all k nearest neighbours, a map preserves the set of neighbours but not their
// order. Therefore the weights of near edges fall with the rank m of j among the neighbours of i.
// They are 1 on average,
//
//	S_ij = k m^-p / sum_{l=1..k} l^-p,  p = 0.7.                                      (H22)
//
// Events are placed with the same weights. Measurements are in docs/decisions/heavy-tails.md.
//
// # Labels
//
// Options.Supervision, s, makes learning use labels. It reduces the weight of near edges between
// points of different labels by the factor 1 - s,
//
//	S_ij = k m^-p b_ij / sum_{l=1..k} l^-p b_il,                                      (H24)
//	b_ij = 1 - s if the labels of i and j are known and differ, else 1.
//
// If b_ij is the same for all neighbours of i, this is H22. The weights are constants of the
// likelihood, so nothing else changes. Further edges ignore labels and connect the groups that
// labels separate. Events are placed with H22, so their places do not depend on labels.
// Measurements are in docs/decisions/supervision.md.
//
// # Density
//
// With clipped scales and one sigma^2 for all points, the density of the map follows the density of
// the data only weakly. Options.Density, gamma, makes it follow more closely: every point has a
// unit of its own, R_i, and its neighbourhood on the map scales as R_i^gamma,
//
//	delta_ij^2 = clip(|x_i - x_j|^2 / (unit R_i R_j)) (R_i R_j)^gamma,
//	Delta_i^2 = max_j clip(|x_i - x_j|^2 / (unit R_i^2)) R_i^(2 gamma),               (H21)
//	R_i^2 = clip(mean_j |x_i - x_j|^2 / unit),
//
// over the near edges of i. Scales are constants of the likelihood, so nothing else changes. Events
// are placed with the scales of gamma = 0. Measurements are in docs/decisions/density.md.
//
// # The sweeps
//
// Sums over dissimilar pairs run over the batches of a farfield.Field, which may replace groups of
// far points by their centroid, or by a sample. L and its gradient are then those of this
// approximation. With x = s + r^2/d, z = 1 + x/Delta^2 and a = d/2,
//
//	1/nu = z^(d/2) - 1 = (x/Delta^2) S_h(z)              d = 2h
//	                   = (x/Delta^2) (S_h(z) + z^h/g)    d = 2h + 1,  g = 1 + sqrt z,        (H10)
//
// with S_h(z) = 1 + z + ... + z^(h-1). This form needs no power, exponential or logarithm, has no
// cancellation, and needs one division per pair for both directions. The plane has loops of its own
// (plane.go). Other dimensions go column by column over blocks that stay in the first-level cache
// (tile.go). Package pairwise implements the loops with vector instructions. Another tail needs
// logarithms and is 20 to 60 times slower. Log-likelihoods multiply many probabilities before they
// take one logarithm.
//
// # Schedule
//
// Repulsion at full weight from the start freezes a map before it is untangled. The weight ratio
// sum D / sum S therefore rises from r0 = min(5, rf) to its final value rf = c n (n-1) / sum S, by
// default at least 100 for curves and sheets, and 250 for points of six dimensions and more (Weight):
//
//	rho_t = r0 (rf/r0)^min(1, (t - T0 + 1)/T1) from step T0 - 1 on, before r0,               (H11)
//	c_t = rho_t sum S / (n (n-1)),
//
// with T0 flat steps, T1 steps of ramp and T2 flat steps: a quarter, a half and a quarter of all
// (see the function Steps). Systems are solved to a residual of a tenth of the gradient. Momentum
// is that of SM 43. Learning starts from principal components, scaled so that every column has a
// spread of 5, with
//
//	sigma^2 = min(0.02 / f(n)^2, 0.1).                                                      (H23)
//
// # A new point
//
// Place applies H5 to one point, with all other points frozen and without repulsion,
//
//	mu <- sum_j S_xj mu_j/Q_xj / sum_j S_xj/Q_xj,                                            (H12)
//
// which is a robust mean: a neighbour far from the others has little weight. The iteration starts
// from the coordinate-wise median.
//
// # Points that are added and removed
//
// Refine continues from a map whose points have changed a little. An anchor pulls points to their
// previous places (H13). To anneal, edges get longer scales for a while (H14).
//
// # Fit
//
// Fit learns a map of rows in these steps:
//
//	rows       package points: equal rows become one point; neighbours by Common.Search
//	similar    the k = 8 nearest, by rank, every component
//	dissimilar every pair, summed by package farfield (Coarse)
//	scales     clipped, sigma^2 fixed
//	start      the frame
//	whole      a prior around it, further edges of every point
//	steps      200, from 12,000 points on fewer, at least 80; above d = 3 at least 50 (Steps)
//	sigma      standard error of the place
//
// A Placer uses the rule placing.Robust for up to three dimensions and placing.LLE for more: see
// event.go. The latent variances are fixed by default and carry no information about an event. The
// published sigma is a standard error of the place: 1 over the root of the curvature there of EM's
// bound of the likelihood. The curvature of the likelihood itself is at most as large. The sigma of
// a reference point is computed the same way from its own edges (snapshot.Student.Error2).
//
// # Precision
//
// Computations are in float64 with two exceptions, both in the plane and in space only. The systems
// of many points are solved in float32 (see above). The repulsion between the target and the
// sources of a batch is summed in float32, with coordinates relative to the batch
// (ModelSettings.Single). For 4,000 digits in the plane, both precisions agree to 1e-5 of the
// likelihood and 5e-5 of the map's diameter (root mean square, after Procrustes) over the first ten
// steps. At the end of learning they agree to 1e-4 and 1e-2, and accuracies agree to .005
// (TestPrecisions; found with AVX-512: 1e-8, 4e-7, then 1e-6, 1e-4, .0003, with AVX2: 3e-6, 1e-5,
// then 1e-5, 6e-4, .0003).
//
// Alternatives that were tried are in docs/decisions/heavy-tails.md.
//
// # What is approximate
//
// Three things are approximate: the field (see package farfield), steps with Damping below 1, Force
// or momentum, which are not monotone, and systems that are solved loosely, which is harmless. With
// farfield.All, EM or Global, Damping 1 and NoMomentum, only the last remains.
//
// # Contract
//
// A Model allocates its memory once. Steps allocate no memory that grows with n. Results are
// functions of problem, state and settings, bit-identical for any number of threads. Random fields
// derive their draws from their own seed and number of moves.
package student
