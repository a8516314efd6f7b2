// Package student is the latent variable model with heavy tails, the default: that of
// package saul, in which one random scale is shared by closeness and latents, so that
// Student's distributions take the place of Gaussian ones. Its maps keep groups
// together and apart. Gaussian attraction, which is not robust, does not, and neither
// does repulsion between landmarks, which is blind.
//
//	r, err := student.Fit(ctx, rows, student.Settings{}, nil)             // learn
//	p, err := student.NewPlacer(snapshot, student.PlaceSettings{})         // place
//	l, err := student.NewLearner(neighbours, settings, unit)               // update:
//	report, err := l.Model.Refine(ctx, state, student.Refinement{Steps: 5}) //   from a map
//
// # The model
//
// A pair of points i, j with places mu_i, mu_j in d dimensions and variances
// sigma_i^2, sigma_j^2 has a scale of its own,
//
//	lambda ~ Gamma(a, a),  h ~ N(mu_i, sigma_i^2/lambda),  h' ~ N(mu_j, sigma_j^2/lambda),
//	P(c=1 | h, h', lambda) = exp(-lambda |h - h'|^2 / (2 delta^2)).                          (H1)
//
// a is the tail: a -> infinity is the Gaussian model. Integrated, with
// V = delta^2 + sigma_i^2 + sigma_j^2 and r = |mu_i - mu_j|,
//
//	P(c=1) = (delta^2/V)^(d/2) (1 + r^2/(2aV))^-a,                                           (H2)
//	a = d/2:  P(c=1) = (delta^2/Q)^(d/2),  Q = V + r^2/d.
//
// For d = 2 that is delta^2 / (delta^2 + sigma_i^2 + sigma_j^2 + r^2/2). The
// likelihood is that of eq 6, over ordered pairs,
//
//	L = sum_ij S_ij log P(c_delta = 1) + D_ij log P(c_Delta = 0),                            (H3)
//
// S_ij = 1 for each of the k nearest neighbours j of i (directed; no tree, no
// other filter), D_ij = c for all i != j, neighbours included. delta_ij^2 are the
// squared lengths of these edges in units of their median and Delta_i^2 the
// largest of i's, clipped to [0.1, 10] (Scales).
//
// # E-step
//
// Given c = 1, lambda is smaller the farther the pair; given c = 0 it is larger:
//
//	w = E[lambda | c=1] = V/Q,  Q = V + r^2/(2a),  nu = P(c=1)/P(c=0),
//	E[lambda | c=0] = 1 + nu (1 - w).                                                        (H4)
//
// # The step of mu
//
// Given lambda all is quadratic, as in eq 18-20. Solved for the increment,
//
//	(Lap(W) + Gamma)(mu_new - mu) = dL/dmu = (Lap(V) - Lap(W)) mu,                           (H5)
//	W_ij = (S_ij + S_ji) w/V = (S_ij + S_ji) / Q,
//	V_ij = D_ij nu/Q + (ij -> ji),                                                           (H6)
//	Gamma_i = sum_j [D_ij (1 + nu (1 - w)) + (ij -> ji)] / sigma_i^2.
//
// W are attractions, V_ij repulsions. Joint latents (h, h', lambda) make it
// ordinary EM: L never falls, however loosely the system is solved. In the plane,
// d = 2 and a = 1, with u = r^2/2, s = sigma_i^2 + sigma_j^2 and q = s + u,
//
//	W_ij = S_ij / (delta^2 + q) + (ji),   V_ij = D_ij Delta^2 / (q (q + Delta^2)) + (ji).    (H7)
//
// # Majorisers
//
// EM's Gamma is far too careful. For d = 2, a = 1 the curvature of log P(c=0) is
// bounded by
//
//	Gamma_i = sum_j 2 D_ij (1/(8s) + 1/V) + (ji),                                            (H8)
//
// also monotone (Global), and locally, while no pair shrinks below 1/sqrt 2 of its
// distance, with 1/(8s) replaced by (2e/(s+e) - 1)/(s+e), e = max(u/2, 3s), and 1/V by
// 1/(V+u) (Local). For far pairs that is 6 D/u, which Far takes for all:
//
//	Gamma_i = sum_j 6 D_ij / (V + u) + (ji),
//
// which needs no division beside that of V_ij. Even that adds up the fields of far
// pairs that in truth cancel: learning uses half a hundredth of it, up to two hundredths where dissimilar
// pairs weigh more than DefaultWeight (farDamping; of Local a hundredth), 10 to 100 times faster, and no
// theorem says that L rises then. Learn watches L instead.
// For other d and a Force takes sum_j V_ij + 0.05 sum_j W_ij.
//
// # The step of sigma
//
// The same EM says, with N_i = sum_j S_ij + S_ji + D_ij + D_ji,
//
//	sigma_i^2 <- sigma_i^2 (1 + sigma_i^2 G_i / (d N_i)),  G_i = 2 dL/dsigma_i^2             (H9)
//	G_i = sum_j S_ij (w r^2/V - d)/V - D_ij nu (w r^2/V - d)/V + (ji),
//
// and with a = d/2, where (w r^2/V - d)/V = -d/Q, simply G_i = d sum_j (V_ij - W_ij).
// Shared variances use sum_i G_i and sum_i N_i. On maps fixed, shared and free
// variances do equally well; fixed ones need no second sweep.
//
// # The whole
//
// Near edges and repulsion leave it open where groups lie, which decides how a map looks.
// Two terms settle it. A Gaussian prior around a frame, principal components or a
// sheet unrolled, joins the objective (package prior, H15 to H18). Further edges, m of every
// point, have S_ij = s and length scales of their own; units, clips and Delta_i^2 are
// those of the near ones. Their weight falls with the ramp of H11,
//
//	s = s0 + (s1 - s0) ramp,                                                                (H19)
//	s0, s1 = (3/10, 2/25) (16/m)^(2/3) f(n),  f(n) = min(1, 30,000/n)^(3/2),
//
// and they lead to the neighbours of the ranks
//
//	r_l = k (K/k)^(l/m), l = 1 ... m,  K = min(7 k, n/10).                                   (H20)
//
// Up to 30,000 points m is 300,000/n, at most 16, and lists are long enough for them;
// beyond, and where a map follows its points, m is 3, and walks along the lists end at about
// these ranks (further.go). What was measured is in docs/decisions/frames.md.
//
// # Many points
//
// From 30,000 points on the problem's points stand in the order of a breadth-first walk
// (order.go) and delta_ij^2 is kept in single precision (pair_lengths.go). In the plane so is W of H5,
// and its systems are solved in single precision (package solve, loose solves). A step then waits
// less for memory. Results differ by rounding. From 100,000 on learning starts
// from the map of a sample (sample.go).
//
// # Ranks
//
// With S_ij = 1 for all k nearest, a map shows who they are, and not who of them is nearest.
// The weights of near edges fall with the rank m of j among the neighbours of i, and are 1
// on average,
//
//	S_ij = k m^-p / sum_{l=1..k} l^-p,  p = 0.7.                                      (H22)
//
// An event is placed by the same weights. What was measured is in
// docs/decisions/heavy-tails.md.
//
// # Labels
//
// Options.Supervision, s, lets labels take part. One of the k neighbours of i is taken for its
// partner: the m-th with a probability that falls as m^-p, whose label is unlike that of i with 1 - s times the
// probability of a like one. Near edges weigh as the labels leave it,
//
//	S_ij = k m^-p b_ij / sum_{l=1..k} l^-p b_il,                                      (H24)
//	b_ij = 1 - s if the labels of i and j are known and differ, else 1,
//
// which is H22 where the labels of neighbours are like, unlike or unknown as a whole. Weights are constants of
// the likelihood: all else stays what it is. Further edges lead where they lead without labels, and connect what these take apart. Events are
// placed by H22: where they are does not depend on labels of theirs. What was measured is in docs/decisions/supervision.md.
//
// # Density
//
// Clipped scales and a sigma^2 that is the same for all let the density of the map follow
// the data's as far as neighbours say. Options.Density, gamma, has it follow more closely:
// every point has a unit of its own, R_i, and gets as much room on the map as R_i^gamma says,
//
//	delta_ij^2 = clip(|x_i - x_j|^2 / (unit R_i R_j)) (R_i R_j)^gamma,
//	Delta_i^2 = max_j clip(|x_i - x_j|^2 / (unit R_i^2)) R_i^(2 gamma),               (H21)
//	R_i^2 = clip(mean_j |x_i - x_j|^2 / unit),
//
// over the near edges of i. Scales are constants of the likelihood: all else stays what it
// is. Events are placed by the scales of a map without it. What was measured is in
// docs/decisions/density.md.
//
// # The sweeps
//
// Sums over dissimilar pairs run over the batches of a farfield.Field, which may show
// groups of far points by their centroid, or a sample: then L and its gradient
// are those of what the field shows. With x = s + r^2/d, z = 1 + x/Delta^2 and a = d/2,
//
//	1/nu = z^(d/2) - 1 = (x/Delta^2) S_h(z)              d = 2h
//	                   = (x/Delta^2) (S_h(z) + z^h/g)    d = 2h + 1,  g = 1 + sqrt z,        (H10)
//
// S_h(z) = 1 + z + ... + z^(h-1): no power, exponential or logarithm, nothing that
// cancels, and one division a pair for both directions together. The plane has
// loops of its own (plane.go); others go column by column over blocks that stay in
// the first-level cache (tile.go). Package pairwise has them for vector instructions. Another tail takes
// logarithms and is 20 to 60 times slower. Log-likelihoods multiply probabilities
// up and take one logarithm of many.
//
// # Schedule
//
// Repulsion at full weight from the start freezes a map before it is untangled.
// The weight therefore rises, for sum D / sum S from r0 = min(5, rf) to its final
// value rf = c n (n-1) / sum S:
//
//	rho_t = r0 (rf/r0)^min(1, (t - T0 + 1)/T1) from step T0 - 1 on, before r0,               (H11)
//	c_t = rho_t sum S / (n (n-1)),
//
// T0 steps flat, T1 ramp, T2 flat: a quarter, a half and a quarter of all (see the
// function Steps). Systems are solved to a tenth of the gradient; momentum is that of SM
// 43. The start are principal components, every column with a spread of 5, and
//
//	sigma^2 = min(0.02 / f(n)^2, 0.1).                                                      (H23)
//
// # A new point
//
// Place is H5 for one point with everything else frozen and without repulsion,
//
//	mu <- sum_j S_xj mu_j/Q_xj / sum_j S_xj/Q_xj,                                            (H12)
//
// a robust mean: a neighbour far from the rest loses its weight. It starts from the
// coordinate-wise median.
//
// # Points that come and go
//
// Refine goes on from a map whose points have changed a little, with an anchor at the
// places before (H13) and, to anneal, with edges that reach for a while (H14).
//
// # Fit
//
// Fit goes from rows to a map:
//
//	rows       package points: equal rows become one point; neighbours by Common.Search
//	similar    the k = 8 nearest, by rank, every component
//	dissimilar every pair, summed by package farfield (Coarse)
//	scales     clipped, sigma^2 fixed
//	start      the frame
//	whole      a prior around it, further edges of every point
//	steps      200, from 20,000 points on fewer, at least 80, above d = 3 50 (Steps)
//	sigma      standard error of the place
//
// A Placer has the rules placing.Robust for up to three dimensions and placing.LLE beyond:
// see event.go. The latent variances are fixed by default and say nothing about an event.
// What is published as its sigma is a standard error of its place: 1 over the root of the
// curvature of EM's bound of the likelihood there, of which the likelihood's own is at
// most as large. A reference point has the same from its own edges (snapshot.Student.Error2).
//
// # Precision
//
// All is float64 but for the systems of many points in the plane and in space (see above) and for the repulsion
// between the target and the sources of a batch in the plane and in space (ModelSettings.Single), which is summed in float32,
// coordinates relative to the batch. Of 4,000 digits in the plane, both ways agree to 1e-5 of the likelihood
// and 5e-5 of the map's diameter (root mean square, after Procrustes) over the first
// ten steps, and to 1e-4 and 1e-2 when all is learnt, with the same accuracy to .005
// (TestPrecisions; found with AVX-512: 1e-8, 4e-7, then 1e-6, 1e-4, .0003, with AVX2: 3e-6,
// 1e-5, then 1e-5, 6e-4, .0003).
//
// What was tried is in docs/decisions/heavy-tails.md.
//
// # What is approximate
//
// The field, as it says of itself; steps with Damping below 1, Force and momentum,
// which are not monotone; systems solved loosely, which is harmless. With
// farfield.All, EM or Global, Damping 1 and NoMomentum nothing is.
//
// # Contract
//
// A Model allocates once and then takes steps without memory that grows with n.
// Results are functions of problem, state and settings, to the bit for any number
// of threads. Random fields draw by their own seed and number of moves.
package student
